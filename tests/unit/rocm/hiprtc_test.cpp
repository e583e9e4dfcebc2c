// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/compiler/hiprtc.h"

#include <gmock/gmock.h>

#include "tests/support/environment_variables.h"

namespace fuselab::hip {
namespace {

class HiprtcTest : public testing::Test {
 protected:
  HiprtcTest() {
    variables_.set("FUSELAB_LIB_HIPRTC", FAKE_HIPRTC);
    variables_.set("FUSELAB_LIB_COMGR", FAKE_HIPRTC);
    variables_.set("FUSELAB_FAKE_HIPRTC", "");
  }
  Result<std::string> compile(const std::string& target, const std::vector<std::string>& options) {
    FL_TRY(const auto library, Hiprtc::open());
    FL_TRY(const std::vector<std::byte> code, library->compile("void k() {}", target, options, log_));
    return std::string(reinterpret_cast<const char*>(code.data()), code.size());
  }
  std::string why_not(const std::string& target, const std::vector<std::string>& options) {
    const auto code = compile(target, options);
    return code.ok() ? "it compiled" : code.error().message;
  }

  test::Variables variables_;
  std::string log_;
};

TEST_F(HiprtcTest, CompilesForWhatComgrNames) {
  const auto code = compile("gfx90a", {"-O3"});
  ASSERT_TRUE(code.ok()) << code.error().message;
  EXPECT_THAT(code.value(), testing::HasSubstr("void k() {}"));
  EXPECT_EQ(log_, "");
  EXPECT_EQ(Hiprtc::open().value()->architectures(), (std::set<std::string>{"gfx90a", "gfx942"}));
}

// hiprtc 5.2 ends the process instead.
TEST_F(HiprtcTest, DoesNotTryWhatComgrDoesNotName) {
  EXPECT_EQ(why_not("gfx950", {}),
            "hiprtc of an unknown version makes no code for gfx950: comgr names 2 architectures, and not this one; update ROCm");
  EXPECT_EQ(compile("gfx950", {}).error().code, ErrorCode::kUnsupported);
}

TEST_F(HiprtcTest, SaysWhatTheTextHasWrong) {
  variables_.set("FUSELAB_FAKE_HIPRTC", "error");
  EXPECT_EQ(why_not("gfx90a", {}), "CompileSource:1:1: error: expected unqualified-id\n1 error generated.");
  EXPECT_EQ(compile("gfx90a", {}).error().code, ErrorCode::kCompileFailed);
  EXPECT_EQ(why_not("gfx90a", {"--what"}), "hiprtc of an unknown version: HIPRTC_ERROR_INVALID_OPTION");
}

TEST_F(HiprtcTest, SaysWhatIsMissing) {
  variables_.set("FUSELAB_FAKE_HIPRTC", "isas=0");
  EXPECT_EQ(why_not("gfx90a", {}), "comgr (" FAKE_HIPRTC ") does not tell what it compiles for");
  variables_.set("FUSELAB_LIB_COMGR", "/nonexistent/libamd_comgr.so.3");
  EXPECT_EQ(why_not("gfx90a", {}),
            "hiprtc of an unknown version needs comgr: FUSELAB_LIB_COMGR: /nonexistent/libamd_comgr.so.3 not found");
  variables_.set("FUSELAB_LIB_HIPRTC", HOLLOW);
  EXPECT_EQ(why_not("gfx90a", {}), HOLLOW " has no function hiprtcGetErrorString: it is too old or not the library");
  variables_.set("FUSELAB_LIB_HIPRTC", "/nonexistent/libhiprtc.so.7");
  EXPECT_EQ(why_not("gfx90a", {}), "no hiprtc: FUSELAB_LIB_HIPRTC: /nonexistent/libhiprtc.so.7 not found");
}

}  // namespace
}  // namespace fuselab::hip
