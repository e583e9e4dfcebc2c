// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/plots/drawing/plot_spec.h"
#include "core/profile/profile.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::gui {

// The hierarchical roofline of one plan: the measured bandwidth of each level of the memory and the measured arithmetic, and a dot
// for each level at the intensity of the bytes that go through it, counted ones where they were counted.
PlotSpec profile_roofline(const Profile& profile);

// The measured time of the piece at each size of the sweep, over its working set.
PlotSpec sweep_plot(const Profile& profile);

// A timeline: a lane for each thread, a bar for each span, coloured by its kind; of very many spans the longest.
PlotSpec timeline_plot(const std::vector<TraceSpan>& spans);

// Counters over the time of the plan, one at a time would be small: each as a share of its most, so that all have one axis.
PlotSpec series_plot(const DeviceSeries& series);

}  // namespace fuselab::gui
