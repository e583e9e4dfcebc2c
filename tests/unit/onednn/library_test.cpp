// SPDX-License-Identifier: Apache-2.0
// Either major of the library, as fakes made here, and what is refused of one that is absent, too old, too new or not it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "backends/onednn/library/onednn_library.h"
#include "backends/onednn/onednn_backend.h"

namespace fuselab::onednn {
namespace {

Result<std::shared_ptr<OneDnnLibrary>> open(const char* file) {
  return OneDnnLibrary::open(loading::Surroundings{file, {}});
}

TEST(OneDnnLibrary, IsOfTheMajorThatItSays) {
  const auto second = open(FAKE_ONEDNN_2);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second.value()->version(), "2.6.0");
  EXPECT_EQ(second.value()->isa(), "avx512_core_bf16");
  EXPECT_EQ(second.value()->team().name(), "sequential");
  const auto third = open(FAKE_ONEDNN_3);
  ASSERT_TRUE(third.ok()) << third.error().message;
  EXPECT_EQ(third.value()->version(), "3.7.1");
  EXPECT_EQ(third.value()->post_op_argument(1), 2 * abi::kPostOpBaseLater | abi::kSource1) << "asked of the library";
}

TEST(OneDnnLibrary, SaysInOneLineWhyNot) {
  const std::pair<const char*, const char*> cases[] = {{"/nowhere/libdnnl.so.3", "/nowhere/libdnnl.so.3 not found"},
                                                       {FAKE_ONEDNN_OLD, "is oneDNN 2.5.0: 2.6 or newer is needed"},
                                                       {FAKE_ONEDNN_NEW, "is oneDNN 4.0.0: its C API is not known here"},
                                                       {FAKE_ONEDNN_TBB, "TBB"},
                                                       {FAKE_ONEDNN_HOLLOW, "has no function dnnl_version"},
                                                       {FAKE_ONEDNN_PARTIAL, "has no function dnnl_matmul_desc_init"}};
  for (const auto& [file, reason] : cases) {
    const auto opened = open(file);
    ASSERT_FALSE(opened.ok()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(opened.error().message.find(reason), std::string::npos) << opened.error().message;
    EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  }
}

TEST(OneDnnLibrary, NamesItsStatusAndWhatWasDone) {
  const Status refused = OneDnnLibrary::check(abi::kUnimplemented, "oneDNN's matmul");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "oneDNN's matmul: dnnl_unimplemented");
  EXPECT_EQ(OneDnnLibrary::check(abi::kOutOfMemory, "x").error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(OneDnnLibrary::check(77, "x").error().message, "x: oneDNN status 77");
}

}  // namespace
}  // namespace fuselab::onednn
