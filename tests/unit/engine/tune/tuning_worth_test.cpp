// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/tuning_worth.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

CompareCell cell_on(const std::string& device, double median_ns, double ideal_ns) {
  CompareCell cell;
  cell.device_id = device;
  cell.backend = device.substr(0, device.find(':'));
  cell.ideal_ns = ideal_ns;
  if (median_ns <= 0) return cell;
  cell.fused.state = cell.unfused.state = CellState::kMeasured;
  cell.fused.figure = cell.unfused.figure = Figure{median_ns, {median_ns, median_ns}, device, "", false, 0, 0, ""};
  return cell;
}

CompareRow row_of(std::vector<CompareCell> cells) {
  CompareRow row;
  row.count = 3;
  row.cells = std::move(cells);
  return row;
}

TEST(TuningWorth, OfTheFastestIsWhatItsIdealLeaves) {
  const CompareRow row = row_of({cell_on("cpu:0", 1000, 400), cell_on("opencl:0", 2000, 400)});
  EXPECT_EQ(tuning_worth(row, "cpu:0").ns, 3 * 600.0);
  EXPECT_EQ(tuning_worth(row, "cpu:0").given_up, "");
}

TEST(TuningWorth, OfASlowerOneIsWhatTuningCouldTakeFromTheFastest) {
  const CompareRow row = row_of({cell_on("cpu:0", 1000, 400), cell_on("opencl:0", 2000, 400)});
  EXPECT_EQ(tuning_worth(row, "opencl:0").ns, 3 * 500.0) << "a factor of four, and then its ideal is near";
  EXPECT_EQ(tuning_worth(row, "opencl:0").given_up, "");
}

TEST(TuningWorth, IsNothingWhereTuningCannotReachTheFastest) {
  const CompareRow far = row_of({cell_on("cpu:0", 1000, 400), cell_on("opencl:0", 5000, 400)});
  EXPECT_EQ(tuning_worth(far, "opencl:0").ns, 0);
  EXPECT_EQ(tuning_worth(far, "opencl:0").given_up,
            "5.00 µs is 5.0 times cpu:0's 1.00 µs, and tuning is taken to win a factor of 4 at most");
  const CompareRow bound = row_of({cell_on("cpu:0", 1000, 400), cell_on("opencl:0", 2000, 1200)});
  EXPECT_EQ(tuning_worth(bound, "opencl:0").given_up, "even its ideal, 1.20 µs, is slower than cpu:0's 1.00 µs");
}

TEST(TuningWorth, GivesUpNeitherTheOnlyDeviceNorOneWithoutAFigure) {
  const CompareRow alone = row_of({cell_on("cpu:0", 1000, 1100)});
  EXPECT_EQ(tuning_worth(alone, "cpu:0").ns, 0) << "it is at its ceiling";
  EXPECT_EQ(tuning_worth(alone, "cpu:0").given_up, "");
  const CompareRow failed = row_of({cell_on("cpu:0", 1000, 400), cell_on("opencl:0", 0, 400)});
  EXPECT_EQ(tuning_worth(failed, "opencl:0").given_up, "") << "another configuration may run";
  EXPECT_EQ(tuning_worth(failed, "onednn:0").given_up, "") << "it is not in the table";
}

}  // namespace
}  // namespace fuselab::engine
