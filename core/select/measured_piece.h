// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/nan_loss.h"
#include "core/measure/ceiling.h"
#include "core/select/workload_characteristics.h"
#include "core/stats/statistics.h"

namespace fuselab {

// What a piece took on one device, in the plan that the device would run.
struct TimeOnDevice {
  std::string device_id;
  double ns = 0;                      // median
  Interval interval;                  // 95 % of the median
  NanLoss nan_loss = NanLoss::kNone;  // withheld: a figure to be shown, and no choice
};

// A piece that was measured: a key of the measured table with its row.
struct MeasuredPiece {
  std::string key;        // of the piece with its extents: graph_key, hex
  std::string signature;  // piece_signature(): the same at other extents
  std::string name;       // for people
  std::string dtype;      // of its first output, for people
  WorkloadCharacteristics work;
  std::vector<TimeOnDevice> times;  // one per device that was measured
};

// Null where it was not measured there.
const TimeOnDevice* time_on(const MeasuredPiece& piece, std::string_view device_id);
// Whether it may be chosen.
inline bool is_choosable(const TimeOnDevice& time) {
  return time.ns > 0 && time.nan_loss != NanLoss::kWithheld;
}
// The device with the least time of those that may be chosen; null where there is none.
const TimeOnDevice* fastest_of(const MeasuredPiece& piece);
// Whether the interval of another device that may be chosen overlaps the fastest one's: which is faster was not seen.
bool is_within_noise(const MeasuredPiece& piece);

// What the selector is told of a device.
struct SelectableDevice {
  std::string id;       // "cpu:0"
  std::string backend;  // "cpu"
  CeilingTable ceilings;
  std::int64_t compute_units = 1;
  bool shares_host_memory = false;  // nothing is copied to hand work over: DeviceInfo::uses_host_memory()
  bool is_host_cpu_again = false;   // DeviceInfo::is_host_cpu_again()
};

// How large a piece is beside others of its signature: FLOPs where it is a contraction, else compulsory bytes.
inline double work_size(const WorkloadCharacteristics& work) {
  return work.primary == OperationType::kContraction ? work.flops : static_cast<double>(work.traffic().count);
}

}  // namespace fuselab
