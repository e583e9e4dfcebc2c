// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/select/selector.h"

// Devices that follow a law, and pieces measured on them.
namespace fuselab::world {

// launch + bytes / rate.
struct Law {
  std::string device_id;
  double launch_ns = 0;
  double bytes_per_ns = 1;
  double ns(const WorkloadCharacteristics& work) const {
    return launch_ns + static_cast<double>(work.traffic().count) / bytes_per_ns;
  }
};

inline Law slow_start() {  // fast once it runs
  return {"cuda:0", 10'000, 100};
}
inline Law quick_start() {
  return {"cpu:0", 100, 10};
}

inline TimeOnDevice time_of(const Law& law, const WorkloadCharacteristics& work, double noise = 0.01) {
  const double ns = law.ns(work);
  return {law.device_id, ns, {ns * (1 - noise), ns * (1 + noise)}};
}

// A map of so many f32, measured on all devices of `laws`.
inline MeasuredPiece map_piece(std::int64_t elements, const std::vector<Law>& laws, const std::string& signature = "map") {
  MeasuredPiece piece;
  piece.key = signature + std::to_string(elements);
  piece.signature = signature;
  piece.name = piece.key;
  piece.dtype = "f32";
  piece.work = map_workload(elements, DType::kF32, 1);
  for (const Law& law : laws) piece.times.push_back(time_of(law, piece.work));
  return piece;
}

inline SelectableDevice device_of(const Law& law) {
  SelectableDevice device;
  device.id = law.device_id;
  device.backend = law.device_id.substr(0, law.device_id.find(':'));
  device.shares_host_memory = device.backend == "cpu";
  return device;
}

inline Ceiling ceiling(const std::string& kind, double per_second) {
  Ceiling row;
  row.kind = kind;
  row.footprint = {1 << 20};
  row.per_second = per_second;
  return row;
}

}  // namespace fuselab::world
