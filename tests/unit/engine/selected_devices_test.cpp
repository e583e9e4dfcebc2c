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

using Ids = std::vector<std::string>;

Ids chosen(const std::vector<BackendReport>& backends, const DeviceChoice& choice, Drivers drivers = Drivers::kAll) {
  Ids ids;
  const auto devices = select_devices(backends, choice, false, drivers);
  if (!devices.ok()) return {devices.error().message};
  for (const DeviceInfo& device : devices.value()) ids.push_back(device.id);
  return ids;
}

BackendReport unusable(const std::string& id, const std::string& why) {
  BackendReport report;
  report.id = id;
  report.availability = Availability::unavailable(why);
  return report;
}

std::vector<BackendReport> three() {
  return {backend_on("cpu", "cpu"), backend_on("onednn", "cpu"), backend_on("opencl", "cpu"), unusable("cuda", "no libcuda.so.1")};
}

TEST(SelectedDevices, AreAllThatAreUsableWithoutTheSyntheticOnes) {
  std::vector<BackendReport> backends = three();
  backends.push_back(backend_on("null", "synthetic"));
  backends.back().devices.front().synthetic = true;
  EXPECT_EQ(chosen(backends, {}), Ids({"cpu:0", "onednn:0", "opencl:0"})) << "one processor through three backends";
  EXPECT_EQ(chosen(backends, {.only = {"null"}}), Ids({"null:0"}));
  EXPECT_EQ(select_devices(backends, {}, true).value().size(), 4U);
}

TEST(SelectedDevices, AreRestrictedToThoseThatAreNamed) {
  EXPECT_EQ(chosen(three(), {.only = {"opencl"}}), Ids({"opencl:0"}));
  EXPECT_EQ(chosen(three(), {.only = {"opencl:0", "cpu"}}), Ids({"cpu:0", "opencl:0"}));
  EXPECT_EQ(chosen(three(), {.only = {"cuda"}}), Ids({"backend 'cuda' is not usable here: no libcuda.so.1"}));
}

TEST(SelectedDevices, LackThoseThatAreExcepted) {
  EXPECT_EQ(chosen(three(), {.except = {"opencl"}}), Ids({"cpu:0", "onednn:0"}));
  EXPECT_EQ(chosen(three(), {.only = {"cpu", "opencl"}, .except = {"opencl:0"}}), Ids({"cpu:0"}));
  EXPECT_EQ(chosen(three(), {.except = {"cuda"}}), Ids({"cpu:0", "onednn:0", "opencl:0"})) << "it is not there anyway";
  EXPECT_EQ(chosen(three(), {.only = {"cpu"}, .except = {"cpu"}}), Ids({"every usable device is left out by --no-device"}));
}

TEST(SelectedDevices, BeginWithThoseThatArePreferred) {
  EXPECT_EQ(chosen(three(), {.prefer = {"opencl", "onednn:0"}}), Ids({"opencl:0", "onednn:0", "cpu:0"}));
  const DeviceChoice choice{.prefer = {"cuda", "opencl"}};
  EXPECT_EQ(chosen(three(), choice), Ids({"opencl:0", "cpu:0", "onednn:0"})) << "what cannot be used is passed over";
  EXPECT_EQ(unusable_preferences(three(), choice), Ids({"cuda is preferred and cannot be used here: no libcuda.so.1"}));
}

TEST(SelectedDevices, AreNamedInTheErrorForANameThatIsKnownNowhere) {
  const std::string told = "there is no device or backend 'gpu'; usable devices: cpu:0, onednn:0, opencl:0";
  for (const DeviceChoice& choice :
       {DeviceChoice{.only = {"gpu"}}, DeviceChoice{.except = {"gpu"}}, DeviceChoice{.prefer = {"gpu"}}})
    EXPECT_EQ(chosen(three(), choice), Ids({told}));
}

TEST(SelectedDevices, TakeEachSiliconOnceForTheGate) {
  const std::vector<BackendReport> backends = {backend_on("cpu", "cpu"), backend_on("opencl", "cpu")};
  EXPECT_EQ(chosen(backends, {}, Drivers::kFirst), Ids({"cpu:0"}));
  EXPECT_EQ(chosen(backends, {.only = {"opencl"}}, Drivers::kFirst), Ids({"opencl:0"}));
  EXPECT_EQ(chosen(backends, {.only = {"cpu:0", "opencl:0"}}, Drivers::kFirst), Ids({"cpu:0", "opencl:0"}));
  EXPECT_EQ(chosen({backends[1]}, {}, Drivers::kFirst), Ids({"opencl:0"})) << "there is no other way to it";
  EXPECT_EQ(chosen({backends[0], backend_on("opencl", "gpu")}, {}, Drivers::kFirst), Ids({"cpu:0", "opencl:0"}));
}

TEST(SelectedDevices, TakeAGpuForTheGateThroughTheFirstBackendThatDrivesIt) {
  std::vector<BackendReport> backends = {backend_on("cuda", "gpu"), backend_on("opencl", "gpu")};
  EXPECT_EQ(chosen(backends, {}, Drivers::kFirst), Ids({"cuda:0", "opencl:0"})) << "nobody says that they are the same";
  for (BackendReport& backend : backends) backend.devices.front().properties["uuid"] = "GPU-0123";
  EXPECT_EQ(chosen(backends, {}, Drivers::kFirst), Ids({"cuda:0"}));
  EXPECT_EQ(chosen(backends, {}), Ids({"cuda:0", "opencl:0"})) << "a comparison takes both";
  EXPECT_EQ(chosen(backends, {.only = {"opencl:0"}}, Drivers::kFirst), Ids({"opencl:0"}));
  EXPECT_EQ(backends[0].devices.front().silicon(), backends[1].devices.front().silicon()) << "they share one lock";
}

}  // namespace
}  // namespace fuselab::engine
