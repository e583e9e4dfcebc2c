// SPDX-License-Identifier: Apache-2.0
// What is taken for MKL, as fakes made here, and what is refused of one that is absent, too old, incomplete or already in other
// hands.
#include <gtest/gtest.h>

#include "backends/mkl/mkl_library.h"

namespace fuselab::mkl {
namespace {

Result<std::shared_ptr<MklLibrary>> open(const char* file) {
  return MklLibrary::open(loading::Surroundings{file, {}});
}

TEST(MklLibrary, SaysItsVersionAndHowItComputes) {
  const auto opened = open(FAKE_MKL_GOOD);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const auto& facts = opened.value()->facts();
  EXPECT_EQ(facts.version, "2026.1");
  EXPECT_EQ(facts.build, "20260101");
  EXPECT_EQ(facts.settings.substr(0, 8), "unknown-") << "no code path was opened";
  EXPECT_GE(facts.most_threads, 1);
}

TEST(MklLibrary, SaysInOneLineWhyNot) {
  const std::pair<const char*, const char*> cases[] = {{"/nowhere/libmkl_rt.so.3", "/nowhere/libmkl_rt.so.3 not found"},
                                                       {FAKE_MKL_OLD, "is MKL 2020.1: 2021 or newer is needed"},
                                                       {FAKE_MKL_PARTIAL, "has no function cblas_sgemm_compute"},
                                                       {FAKE_MKL_STUBBORN, "does not take the threads that it is told to"}};
  for (const auto& [file, reason] : cases) {
    const auto opened = open(file);
    ASSERT_FALSE(opened.ok()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(opened.error().message.find(reason), std::string::npos) << opened.error().message;
    EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace fuselab::mkl
