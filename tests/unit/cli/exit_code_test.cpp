// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/exit_code.h"

#include <gtest/gtest.h>

#include <map>

namespace fuselab::cli {
namespace {

TEST(ExitCodes, FollowTheOneTable) {
  const std::map<ErrorCode, int> table{
      {ErrorCode::kInvalidArgument, 2},
      {ErrorCode::kNotFound, 5},
      {ErrorCode::kUnavailable, 6},
      {ErrorCode::kUnsupported, 2},
      {ErrorCode::kCompileFailed, 3},
      {ErrorCode::kLaunchFailed, 3},
      {ErrorCode::kOutOfMemory, 6},
      {ErrorCode::kTimeout, 3},
      {ErrorCode::kCrashed, 3},
      {ErrorCode::kCorrupt, 2},
      {ErrorCode::kUntrusted, 2},
      {ErrorCode::kIo, 6},
      {ErrorCode::kBusy, 6},
      {ErrorCode::kCancelled, 4},
      {ErrorCode::kNumerics, 7},
      {ErrorCode::kInternal, 3},
  };
  for (const auto& [code, number] : table) EXPECT_EQ(static_cast<int>(exit_code_for({code, "message"})), number) << name_of(code);
}

TEST(ExitCodes, HaveTheirNumbersForGood) {
  EXPECT_EQ(static_cast<int>(ExitCode::kOk), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kRegression), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kInconclusive), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kNothingMatched), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::kUnfit), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::kNumerics), 7);
}

}  // namespace
}  // namespace fuselab::cli
