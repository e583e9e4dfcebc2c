// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <string>
#include <vector>

#include "app/gui/models/convergence_point.h"
#include "app/gui/plots/drawing/plot_spec.h"
#include "app/views/snapshots.h"
#include "core/measure/ceilings/ceiling.h"

// Builds plots from the engine's values. Pure: the same value gives the same plot.
namespace fuselab::gui {

// Plots unfused, fused and ideal time of the chosen pieces (all when empty) on one device, with intervals.
PlotSpec compare_plot(const engine::CompareTable& table, const std::vector<std::string>& piece_keys, const std::string& device);

// Plots the same for one piece on every device where it was measured, to show which backend to use. Keys are device ids.
PlotSpec backends_plot(const engine::CompareRow& row);

// Returns a file name to propose for a plot: its title without characters that a file name cannot hold.
QString file_name_for(const QString& title);

PlotSpec convergence_plot(const std::vector<ConvergencePoint>& points, bool by_seconds, const QString& piece);

// Plots bandwidth over footprint, one line per stream mix, intervals as whiskers.
PlotSpec ceiling_plot(const CeilingTable& ceilings, const QString& device);

// Returns the figures for the chart of totals: the sums of a model on every device.
PlotSpec totals_plot(const std::vector<engine::ModelTotal>& totals);

// Returns the figures for the box plot of one trial's samples: their five numbers.
PlotSpec spread_plot(const std::vector<double>& samples_ns);

}  // namespace fuselab::gui
