// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "app/engine/compare/run_diff.h"
#include "app/gui/plots/plot_spec.h"
#include "core/gate/judged_history.h"

// Plots of many runs, and of samples in the order they were taken. Pure: the same value gives the same plot.
namespace fuselab::gui {

// The runs of one series, its levels, and where they change.
PlotSpec history_plot(const JudgedHistory& series);

// The kernels that both runs have, the largest change first: at most kMostDiffBars. Keys are "piece\nplan\ndevice\nmetric".
inline constexpr std::size_t kMostDiffBars = 40;
PlotSpec diff_plot(const engine::RunDiff& diff);
// Both trials of one row in run order.
PlotSpec diff_samples_plot(const engine::DiffRow& row);

// The samples of one block of a kernel, in run order. Blocks of one kernel are measured in processes of their own or minutes apart.
struct SampleBlock {
  std::vector<double> samples_ns;
  double median_ns = 0;
  QString label;        // "2026-11-22 17:05:00, re-timed"
  bool chosen = false;  // of the trial that is looked at
};
// Samples in the order they were taken, block after block: drift, outliers, and what differs from block to block.
PlotSpec run_order_plot(const std::vector<SampleBlock>& blocks);
// Which share of the samples took at most so long: of the chosen block, and of the others together.
PlotSpec distribution_plot(const std::vector<SampleBlock>& blocks);

}  // namespace fuselab::gui
