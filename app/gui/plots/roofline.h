// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/plots/drawing/plot_spec.h"
#include "app/views/snapshots.h"
#include "core/backend/device_info.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::gui {

// One piece of hardware with the ceilings that any of its devices reached. Several backends drive the host's processor.
struct HardwareCeilings {
  QString name;                   // "CPU", "cuda:0"
  std::set<std::string> devices;  // by their ids
  CeilingTable table;
  std::int64_t last_cache = 0;  // bytes; 0: not known. A bandwidth is memory's only where the working set exceeds it
  bool is_host = false;
};
// `ceilings_of`: what was measured on one device.
std::vector<HardwareCeilings> ceilings_by_hardware(const std::vector<DeviceInfo>& devices,
                                                   const std::function<CeilingTable(const DeviceInfo&)>& ceilings_of);

// Plots the attained rate over intensity below the measured ceilings: for each piece its recommended plan on the recommended device
// (the best mix), and apart from them the plans that lost. Each hardware that has a dot has its roofs once.
PlotSpec roofline_plot(const engine::CompareTable& table, const std::vector<HardwareCeilings>& ceilings);

}  // namespace fuselab::gui
