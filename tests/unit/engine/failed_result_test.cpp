// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/workers/final_results.h"

namespace fuselab::engine {
namespace {

PlanResult result_of(ErrorCode code, const char* message = "why") {
  return failed_result(Error{code, message});
}

TEST(FailedResult, OfACompilersVerdictIsServedAgain) {
  EXPECT_EQ(result_of(ErrorCode::kCompileFailed).outcome, Outcome::kCompileError);
  EXPECT_EQ(result_of(ErrorCode::kInternal).outcome, Outcome::kCompileError);
  EXPECT_TRUE(is_final(result_of(ErrorCode::kCompileFailed)));
  EXPECT_EQ(result_of(ErrorCode::kCompileFailed).reason, "why");
}

TEST(FailedResult, OfWhatBefellTheMachineIsTriedAgain) {
  EXPECT_EQ(result_of(ErrorCode::kOutOfMemory).outcome, Outcome::kOutOfMemory);
  EXPECT_EQ(result_of(ErrorCode::kIo).outcome, Outcome::kSkipped);
  for (const ErrorCode code : {ErrorCode::kOutOfMemory, ErrorCode::kIo, ErrorCode::kBusy, ErrorCode::kNotFound,
                               ErrorCode::kUnavailable, ErrorCode::kCorrupt, ErrorCode::kTimeout, ErrorCode::kCancelled}) {
    EXPECT_FALSE(is_final(result_of(code))) << name_of(code);
  }
  const PlanResult killed = result_of(ErrorCode::kCrashed, "the compiler gcc was killed by signal 9 (SIGKILL); out of memory?");
  EXPECT_EQ(killed.outcome, Outcome::kCrashed);
  EXPECT_FALSE(is_final(killed));
}

}  // namespace
}  // namespace fuselab::engine
