// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/job_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace fuselab::engine {
namespace {

// A job whose clock moves only by what it does.
struct Job {
  explicit Job(double seconds) : budget(seconds, [this] { return spent; }) {}

  // Takes the first figures of so many pieces on so many devices, each in `each` seconds; how many there were time for.
  int first_figures(int pieces, int devices, double each) {
    int measured = 0;
    for (; measured < pieces * devices; ++measured) {
      if (measured >= pieces && budget.for_other_devices() <= 0) break;
      spent += each;
      budget.note_first_figures(each);
    }
    return measured;
  }
  int confirm(int pieces, double each) {
    int confirmed = 0;
    for (; confirmed < pieces; ++confirmed) spent += each;  // nothing ends it
    return confirmed;
  }
  int compare(int pieces, double each) {
    int compared = 0;
    for (; compared < pieces && budget.left() > 0; ++compared) spent += each;
    return compared;
  }

  double spent = 0;
  JobBudget budget;
};

// The models that `run` has where none is named, on one to eight devices; the end stands within the budget and a little more.
TEST(JobBudget, EndsAJobInTimeWithAnyNumberOfDevices) {
  constexpr int kPieces = 80;
  for (const int devices : {1, 4, 8}) {
    Job job(600);
    const int measured = job.first_figures(kPieces, devices, 1.2);
    EXPECT_GE(measured, kPieces) << "the table has no holes";
    EXPECT_EQ(measured == kPieces * devices, devices == 1);
    EXPECT_LT(job.spent, 0.4 * 600 + 2);
    const double tuning = job.budget.for_tuning(kPieces, kPieces / 2);
    EXPECT_GT(tuning, 0);
    job.spent += tuning;
    EXPECT_EQ(job.confirm(kPieces, 1.8), kPieces) << devices;
    EXPECT_EQ(job.compare(kPieces / 2, 4), kPieces / 2) << devices;
    EXPECT_LT(job.spent, 600 + 10);
  }
}

TEST(JobBudget, ConfirmsFirstThenComparesThenTunes) {
  Job job(30);
  job.first_figures(10, 1, 1);
  EXPECT_DOUBLE_EQ(job.budget.for_whole_models(), -2.5) << "their share ends before that of other devices";
  EXPECT_DOUBLE_EQ(job.budget.for_other_devices(), 2) << "their share ends before the budget";
  EXPECT_DOUBLE_EQ(job.budget.for_tuning(0, 0), 20);
  EXPECT_DOUBLE_EQ(job.budget.for_tuning(10, 0), 5);
  EXPECT_DOUBLE_EQ(job.budget.for_tuning(10, 1), 1);
  EXPECT_DOUBLE_EQ(job.budget.for_tuning(10, 5), 0) << "nothing is left";
  EXPECT_EQ(job.confirm(10, 2), 10);
  EXPECT_EQ(job.compare(5, 4), 0);
}

TEST(JobBudget, ComparesNothingAfterItsEnd) {
  Job job(0.01);
  job.first_figures(3, 2, 0.1);
  EXPECT_DOUBLE_EQ(job.spent, 0.3) << "the first device only";
  EXPECT_EQ(job.confirm(3, 0.1), 3);
  EXPECT_LE(job.budget.left(), 0);
}

TEST(JobBudget, WithoutAnEndLeavesNothingOut) {
  Job job(std::numeric_limits<double>::infinity());
  EXPECT_EQ(job.first_figures(10, 3, 1e6), 30);
  EXPECT_GT(job.budget.for_whole_models(), 0);
  EXPECT_GT(job.budget.left(), 0);
}

}  // namespace
}  // namespace fuselab::engine
