// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/default_backend.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

BackendReport backend(const std::string& id, bool usable, bool synthetic = false) {
  BackendReport report;
  report.id = id;
  report.availability = usable ? Availability{true, ""} : Availability::unavailable("lib" + id + ".so not found");
  if (!usable) return report;
  DeviceInfo device;
  device.id = id + ":0";
  device.backend = id;
  device.synthetic = synthetic;
  report.devices.push_back(device);
  return report;
}

DefaultChoiceRecord choice(const std::string& piece, const std::string& device, const std::string& environment = "today") {
  DefaultChoiceRecord record;
  record.piece_key = piece;
  record.device_id = device;
  record.environment_key = environment;
  return record;
}

const std::vector<BackendReport> kBackends{backend("cpu", true), backend("cuda", true), backend("triton", false),
                                           backend("null", true, /*synthetic=*/true)};
const std::map<std::string, std::string> kHere{{"cpu:0", "today"}, {"cuda:0", "today"}, {"null:0", "today"}};

TEST(DefaultBackend, IsTheInitialOneBeforeAnythingIsMeasured) {
  const DefaultBackend found = default_backend({}, kHere, kBackends);
  EXPECT_EQ(found.id, "triton");
  EXPECT_EQ(found.pieces, 0);
  EXPECT_FALSE(found.usable);
  EXPECT_EQ(found.why_not, "libtriton.so not found");
}

TEST(DefaultBackend, IsWhatMostPiecesChose) {
  const DefaultBackend found =
      default_backend({choice("a", "cpu:0"), choice("b", "cuda:0"), choice("c", "cuda:0")}, kHere, kBackends);
  EXPECT_EQ(found.id, "cuda");
  EXPECT_EQ(found.pieces, 2);
  EXPECT_EQ(found.measured, 3);
  EXPECT_TRUE(found.usable);
}

TEST(DefaultBackend, CountsTheNewestChoiceOfAPiece) {
  const DefaultBackend found = default_backend({choice("a", "cpu:0"), choice("a", "cuda:0")}, kHere, kBackends);
  EXPECT_EQ(found.id, "cpu");
  EXPECT_EQ(found.measured, 1);
}

TEST(DefaultBackend, LeavesOutOtherMachinesAndSyntheticDevices) {
  const DefaultBackend found = default_backend(
      {choice("a", "cuda:0", "another machine"), choice("b", "null:0"), choice("c", "rocm:0"), choice("d", "cpu:0")}, kHere,
      kBackends);
  EXPECT_EQ(found.id, "cpu");
  EXPECT_EQ(found.pieces, 1);
  EXPECT_EQ(found.measured, 1);
}

}  // namespace
}  // namespace fuselab::engine
