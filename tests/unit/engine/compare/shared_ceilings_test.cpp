// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/shared_ceilings.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

DeviceInfo device_of(const std::string& id, const std::string& type) {
  DeviceInfo info;
  info.id = id;
  info.backend = id.substr(0, id.find(':'));
  info.type = type;
  return info;
}

Ceiling limit(const std::string& kind, double per_second, std::int64_t footprint = 0) {
  Ceiling ceiling;
  ceiling.kind = kind;
  ceiling.footprint = Bytes{footprint};
  ceiling.per_second = per_second;
  return ceiling;
}

// The two cores of one machine: the compiled probe reached 433 GFLOP/s, the one in OpenCL C 168.
TEST(SharedCeilings, AreTheHighestOfWhateverDrivesTheProcessor) {
  const DeviceInfo cpu = device_of("cpu:0", "cpu"), opencl = device_of("opencl:0", "cpu"), onednn = device_of("onednn:0", "cpu");
  const CeilingTable of_cpu{{limit("flops", 433e9), limit("stream", 20e9, 8192)}};
  const CeilingTable of_opencl{{limit("flops", 168e9), limit("stream", 22e9, 8192), limit("stream", 9e9, 65536)}};
  const CeilingTable none;
  const auto tables = shared_ceilings({{&cpu, &of_cpu}, {&opencl, &of_opencl}, {&onednn, &none}});
  ASSERT_EQ(tables.size(), 3U);
  for (const CeilingTable& table : tables) {
    EXPECT_EQ(table.peak_flops(), 433e9);
    EXPECT_EQ(table.bandwidth_of_class(1, 1, Bytes{8192}), 22e9);
    EXPECT_EQ(table.bandwidth_of_class(1, 1, Bytes{65536}), 9e9);
    EXPECT_EQ(table.rows.size(), 3U) << "each limit once";
  }
}

TEST(SharedCeilings, StayADevicesOwnElsewhere) {
  const DeviceInfo cpu = device_of("cpu:0", "cpu"), gpu = device_of("cuda:0", "gpu"), other = device_of("xla:0", "gpu");
  DeviceInfo scripted = device_of("null:0", "cpu");
  scripted.synthetic = true;
  const CeilingTable of_cpu{{limit("flops", 433e9)}}, of_gpu{{limit("flops", 9e13)}}, of_script{{limit("flops", 1e18)}};
  const CeilingTable none;
  const auto tables = shared_ceilings({{&cpu, &of_cpu}, {&gpu, &of_gpu}, {&other, &none}, {&scripted, &of_script}});
  EXPECT_EQ(tables[0].peak_flops(), 433e9);
  EXPECT_EQ(tables[1].peak_flops(), 9e13);
  EXPECT_TRUE(tables[2].rows.empty());
  EXPECT_EQ(tables[3].peak_flops(), 1e18);
}

}  // namespace
}  // namespace fuselab::engine
