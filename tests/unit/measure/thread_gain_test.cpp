// SPDX-License-Identifier: Apache-2.0
#include "core/measure/ceilings/thread_gain.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

Ceiling rate(int threads, double per_second, const std::string& form = "AVX2, 12 chains") {
  Ceiling row;
  row.kind = "flops";
  row.threads = threads;
  row.per_second = per_second;
  row.form = form;
  return row;
}

TEST(ThreadGain, IsLostWhereTwoThreadsComputeNoFasterThanOne) {
  EXPECT_TRUE(thread_gain({rate(1, 60e9), rate(2, 62e9)})->is_lost());
  EXPECT_FALSE(thread_gain({rate(1, 60e9), rate(2, 119e9)})->is_lost());
  EXPECT_FALSE(thread_gain({rate(1, 60e9), rate(2, 62e9), rate(2, 118e9)})->is_lost()) << "measured again, it was not";
}

TEST(ThreadGain, IsUnknownOfOneThreadAndOfGpus) {
  EXPECT_FALSE(thread_gain({}));
  EXPECT_FALSE(thread_gain({rate(1, 60e9)}));
  EXPECT_FALSE(thread_gain({rate(64, 9e12, "")})) << "64 threads in a group";
}

}  // namespace
}  // namespace fuselab
