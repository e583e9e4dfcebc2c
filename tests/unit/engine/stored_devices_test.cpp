// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/stored_devices.h"

#include <gtest/gtest.h>

#include "core/base/version.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {
namespace {

class StoredDevicesOfABackend : public testing::Test {
 protected:
  StoredDevicesOfABackend() {
    report_.id = "cpu";
    report_.availability.usable = false;
    report_.availability.reason = "no compiler";
    device_.id = "cpu:0";
    device_.uuid = "a processor";
    device_.backend = "cpu";
    device_.type = "cpu";
    catalog_.devices.push_back(device_);
    store_environment(std::string(tool_version()));
  }
  void store_environment(const std::string& version) {
    const EnvironmentIdentity identity = platform::environment_identity(platform::machine_facts(), device_, version);
    catalog_.environments = {{identity.key().hex(), identity}};
  }

  BackendReport report_;
  DeviceInfo device_;
  Catalog catalog_;
};

TEST_F(StoredDevicesOfABackend, StandInWhereItCannotBeUsedAndItIsSaid) {
  const StoredDevices known = with_stored_devices({report_}, catalog_);
  ASSERT_EQ(known.backends.at(0).devices.size(), 1U);
  EXPECT_EQ(known.backends[0].devices[0].uuid, "a processor");
  ASSERT_EQ(known.unchecked.size(), 1U);
  EXPECT_EQ(known.why.rfind("cpu:0 cannot be used now (no compiler)", 0), 0U) << known.why;
}

TEST_F(StoredDevicesOfABackend, StandInOnlyForTheEnvironmentThatIsNow) {
  store_environment("another version");
  const StoredDevices known = with_stored_devices({report_}, catalog_);
  EXPECT_TRUE(known.unchecked.empty());
  EXPECT_EQ(known.why, "");
  EXPECT_TRUE(known.backends.at(0).devices.empty());
}

TEST_F(StoredDevicesOfABackend, AreNotNeededWhereItCanBeUsed) {
  report_.availability.usable = true;
  report_.devices.push_back(device_);
  const StoredDevices known = with_stored_devices({report_}, catalog_);
  EXPECT_TRUE(known.unchecked.empty());
  EXPECT_EQ(known.backends.at(0).devices.size(), 1U);
}

}  // namespace
}  // namespace fuselab::engine
