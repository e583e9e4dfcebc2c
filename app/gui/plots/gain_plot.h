// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/plots/drawing/plot_spec.h"
#include "app/views/snapshots.h"

namespace fuselab::gui {

// Plots the measured gain of fusing each piece over the gain that its traffic allows, by device; the diagonal is the bound. Keys
// are pieces. A gain beyond the diagonal comes from something else than traffic, such as launches.
PlotSpec gain_plot(const engine::CompareTable& table);

}  // namespace fuselab::gui
