// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/selected_devices.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

BackendReport backend_on(const std::string& id, const std::string& type) {
  BackendReport report;
  report.id = id;
  report.availability = Availability::available();
  DeviceInfo device;
  device.id = id + ":0";
  device.backend = id;
  device.type = type;
  report.devices = {device};
  return report;
}

std::vector<std::string> chosen(const std::vector<BackendReport>& backends, const std::vector<std::string>& wanted) {
  std::vector<std::string> ids;
  const auto devices = select_devices(backends, wanted, false);
  if (!devices.ok()) return {devices.error().message};
  for (const DeviceInfo& device : devices.value()) ids.push_back(device.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(SelectedDevices, TakeTheProcessorOnceUnlessItIsNamedTwice) {
  const std::vector<BackendReport> backends = {backend_on("cpu", "cpu"), backend_on("opencl", "cpu")};
  EXPECT_EQ(chosen(backends, {}), Ids({"cpu:0"}));
  EXPECT_EQ(chosen(backends, {"opencl"}), Ids({"opencl:0"}));
  EXPECT_EQ(chosen(backends, {"cpu:0", "opencl:0"}), Ids({"cpu:0", "opencl:0"}));
  EXPECT_EQ(chosen({backends[1]}, {}), Ids({"opencl:0"})) << "there is no other way to it";
  EXPECT_EQ(chosen({backends[0], backend_on("opencl", "gpu")}, {}), Ids({"cpu:0", "opencl:0"}));
}

TEST(SelectedDevices, TakeWhatWasMeasuredByAnyWay) {
  const std::vector<BackendReport> backends = {backend_on("cpu", "cpu"), backend_on("opencl", "cpu")};
  const auto both = select_devices(backends, {}, false, {"opencl:0"});
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both.value().size(), 2U);
  const auto named = select_devices(backends, {"cpu"}, false, {"opencl:0"});
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named.value().size(), 1U) << "others are named";
}

TEST(SelectedDevices, TakeAGpuThroughTheFirstBackendThatDrivesIt) {
  std::vector<BackendReport> backends = {backend_on("cuda", "gpu"), backend_on("opencl", "gpu")};
  EXPECT_EQ(chosen(backends, {}), Ids({"cuda:0", "opencl:0"})) << "nobody says that they are the same";
  for (BackendReport& backend : backends) backend.devices.front().properties["uuid"] = "GPU-0123";
  EXPECT_EQ(chosen(backends, {}), Ids({"cuda:0"}));
  EXPECT_EQ(chosen(backends, {"opencl:0"}), Ids({"opencl:0"}));
  EXPECT_EQ(backends[0].devices.front().silicon(), backends[1].devices.front().silicon()) << "they share one lock";
}

}  // namespace
}  // namespace fuselab::engine
