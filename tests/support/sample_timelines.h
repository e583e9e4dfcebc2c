// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/profile/profile.h"

namespace fuselab::test {

// What three runs of a plan of two kernels look like when they were recorded: 2 µs of work behind 1 µs of nothing, and a copy.
inline DeviceTrace sample_trace() {
  DeviceTrace trace{"CUPTI 13.0.1, activity records", 3, 5000, 1e9, {}, 2, 1, ""};
  for (int i = 0; i < 6; ++i) {
    DeviceSpan kernel{"kernel",
                      i % 2 == 0 ? "first" : "second",
                      i / 2,
                      i % 2,
                      i * 3000.0 + 500,
                      2000.0 + i,
                      7,
                      {64, 1, 1},
                      {256, 1, 1},
                      40,
                      1024,
                      2048,
                      0,
                      0};
    trace.spans.push_back({"launch", "cuLaunchKernel", i / 2, i % 2, i * 3000.0, 300, 0, {}, {}, 0, 0, 0, 0, 0});
    trace.spans.push_back(std::move(kernel));
  }
  trace.spans.push_back({"overhead", "emptying CUPTI's buffers", -1, -1, 17900, 200, 0, {}, {}, 0, 0, 0, 0, 0});
  trace.spans.push_back({"copy", "device to host", -1, -1, 18500, 500, 8, {}, {}, 0, 0, 0, 0, 8192});
  return trace;
}

inline DeviceSeries sample_series() {
  return {"CUPTI 13.0.1, PM sampling",
          1,
          5000,
          {0, 5000, 10000},
          {{"device_occupancy", "CUPTI: sm__warps_active", {0.25, 0.75, 0.5}, ""}, {"device_l2_bytes", "CUPTI: lts", {}, "MIG"}},
          true,
          ""};
}

inline DeviceSamples sample_samples() {
  return {"CUPTI 13.0.1, PC sampling",
          3,
          512,
          100,
          3,
          {{0, "row", 0x20, 0, {{"long_scoreboard", 60}, {"selected", 20}}}, {-1, "other", 0x10, 0, {{"wait", 20}}}},
          ""};
}

}  // namespace fuselab::test
