// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <vector>

#include "app/engine/compare/runs/run_diff.h"
#include "app/gui/plots/drawing/plot_spec.h"
#include "core/gate/judged_history.h"

// Builds plots of many runs, and of samples in the order they were taken. Pure: the same value gives the same plot.
namespace fuselab::gui {

// Plots the runs of one series, its levels, and where they change.
PlotSpec history_plot(const JudgedHistory& series);

// Plots the kernels that both runs have, the largest change first, at most kMostDiffBars. Keys are "piece\nplan\ndevice\nmetric".
inline constexpr std::size_t kMostDiffBars = 40;
PlotSpec diff_plot(const engine::RunDiff& diff);
// Plots both trials of one row in run order.
PlotSpec diff_samples_plot(const engine::DiffRow& row);

// The samples of one block of a kernel, in run order. Blocks of one kernel are measured in processes of their own or minutes apart.
struct SampleBlock {
  std::vector<double> samples_ns;
  double median_ns = 0;
  QString label;        // "2026-11-22 17:05:00, re-timed"
  bool chosen = false;  // it belongs to the trial on display
};
// Plots samples in the order they were taken, block after block, to show drift, outliers and differences between blocks.
PlotSpec run_order_plot(const std::vector<SampleBlock>& blocks);
// Plots the share of the samples that took at most a given time, for the chosen block and for the others together.
PlotSpec distribution_plot(const std::vector<SampleBlock>& blocks);

}  // namespace fuselab::gui
