// SPDX-License-Identifier: Apache-2.0
#include "app/session/settled.h"

#include <gtest/gtest.h>

namespace fuselab::session {
namespace {

bool settles(Outcome outcome, const char* reason) {
  PlanResult result;
  result.outcome = outcome;
  result.reason = reason;
  return session::settles(result);
}

TEST(Settled, IsACrashOfThePlansOwn) {
  EXPECT_TRUE(settles(Outcome::kCrashed, "worker (measure, pid 7) was killed by signal 11 (SIGSEGV)"));
  EXPECT_TRUE(settles(Outcome::kCrashed, "worker (measure, pid 7) exited with code 9"));
}

TEST(Settled, IsNoWorkerThatSomebodyKilled) {
  EXPECT_FALSE(settles(Outcome::kCrashed, "worker (measure, pid 7) was killed by signal 9 (SIGKILL)"));
  EXPECT_FALSE(settles(Outcome::kCrashed, "worker (compile, pid 7) was killed by signal 15 (SIGTERM); its last words: x"));
}

TEST(Settled, IsNoCompilerThatWasKilled) {
  EXPECT_FALSE(settles(Outcome::kCrashed, "the compiler /usr/bin/gcc was killed by signal 9 (SIGKILL); out of memory? …"));
}

TEST(Settled, IsNothingThatAnotherTryMayChange) {
  for (Outcome const outcome : {Outcome::kTimeout, Outcome::kOutOfMemory, Outcome::kCancelled, Outcome::kSkipped}) {
    EXPECT_FALSE(settles(outcome, "why")) << name_of(outcome);
  }
  for (Outcome const outcome : {Outcome::kTimed, Outcome::kDropped, Outcome::kCompileError, Outcome::kWrongResult}) {
    EXPECT_TRUE(settles(outcome, "why")) << name_of(outcome);
  }
}

}  // namespace
}  // namespace fuselab::session
