// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/drawback.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/select/workload_characteristics.h"
#include "core/stats/statistics.h"

namespace fuselab {

// The time of a piece on one device, in the plan that the device would run.
struct TimeOnDevice {
  std::string device_id;
  double ns = 0;                 // median
  Interval interval;             // 95 % of the median
  PlanDrawbacks drawbacks = {};  // withheld: the figure is shown but may not be chosen
};

// A measured piece: a key of the measured table with its row.
struct MeasuredPiece {
  std::string key;        // of the piece with its extents: graph_key, hex
  std::string signature;  // piece_signature(): the same at other extents
  std::string name;       // for people
  std::string dtype;      // of its first output, for people
  WorkloadCharacteristics work;
  std::vector<TimeOnDevice> times;  // one per device that was measured
};

// Returns null where the piece was not measured on the device.
const TimeOnDevice* time_on(const MeasuredPiece& piece, std::string_view device_id);
// Returns true for a time whose plan may be chosen.
inline bool is_choosable(const TimeOnDevice& time) {
  return time.ns > 0 && !time.drawbacks.is_withheld();
}
// Returns the device with the least time of those that may be chosen; null where there is none.
const TimeOnDevice* fastest_of(const MeasuredPiece& piece);
// Returns true when the interval of another device that may be chosen overlaps the fastest one's, so that the faster one is
// unknown.
bool is_within_noise(const MeasuredPiece& piece);

// The facts about a device that the selector uses.
struct SelectableDevice {
  std::string id;       // "cpu:0"
  std::string backend;  // "cpu"
  CeilingTable ceilings;
  std::int64_t compute_units = 1;
  bool shares_host_memory = false;  // work is handed over without a copy: DeviceInfo::uses_host_memory()
  bool is_host_cpu_again = false;   // DeviceInfo::is_host_cpu_again()
  std::size_t preference = 0;       // preference_rank(): the lowest is taken where times are equal within noise
};

// Returns the size of a piece for comparison with others of its signature: FLOPs for a contraction, else compulsory bytes.
inline double work_size(const WorkloadCharacteristics& work) {
  return work.primary == OperationType::kContraction ? work.flops : static_cast<double>(work.traffic().count);
}

}  // namespace fuselab
