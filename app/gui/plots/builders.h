// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <string>
#include <vector>

#include "app/gui/models/convergence_point.h"
#include "app/gui/plots/plot_spec.h"
#include "app/views/snapshots.h"
#include "core/measure/ceiling.h"

// From the engine's values to plots. Pure: the same value gives the same plot.
namespace fuselab::gui {

// Unfused, fused and ideal time of the chosen pieces (all when empty) on one device, with intervals.
PlotSpec compare_plot(const engine::CompareTable& table, const std::vector<std::string>& piece_keys, const std::string& device);

// The same of one piece on every device where something of it was measured: which backend to run it on. Keys are device ids.
PlotSpec backends_plot(const engine::CompareRow& row);

// A file to propose for a plot: its title without what a file name cannot hold.
QString file_name_for(const QString& title);

struct DeviceCeilings {
  std::string device_id;
  CeilingTable table;
  std::int64_t last_cache = 0;  // bytes; 0: not known. A bandwidth is memory's only where the working set exceeds it
};
// Attained rate over intensity below the measured ceilings: of each piece its recommended plan on the recommended device (the
// best mix), and apart from them the plans that lost.
PlotSpec roofline_plot(const engine::CompareTable& table, const std::vector<DeviceCeilings>& ceilings);

PlotSpec convergence_plot(const std::vector<ConvergencePoint>& points, bool by_seconds, const QString& piece);

// Bandwidth over footprint, one line per stream mix, intervals as whiskers.
PlotSpec ceiling_plot(const CeilingTable& ceilings, const QString& device);

// Sums of a model on every device: the figures of the chart of totals.
PlotSpec totals_plot(const std::vector<engine::ModelTotal>& totals);

// The five numbers of the samples of one trial: the figures of their box.
PlotSpec spread_plot(const std::vector<double>& samples_ns);

}  // namespace fuselab::gui
