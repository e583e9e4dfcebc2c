// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backends/rocm/driver/hip_device.h"
#include "backends/rocm/driver/hip_driver.h"
#include "tests/support/environment_variables.h"

namespace fuselab::hip {

// The fake library in place of HIP's, behaving well until it is set to something else.
class FakeRuntime {
 public:
  FakeRuntime() {
    use("FUSELAB_LIB_HIP", FAKE_HIP);
    use("FUSELAB_LIB_AMD_SMI", FAKE_AMD_SMI);
    behave("");
  }
  void behave(const std::string& behaviour) { use("FUSELAB_FAKE_HIP", behaviour); }
  void use(const std::string& variable, const std::string& value) { variables_.set(variable, value); }

  // The driver that opens now.
  std::shared_ptr<const HipDriver> driver() {
    const auto opened = HipDriver::open();
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? opened.value() : nullptr;
  }

 private:
  test::Variables variables_;
};

}  // namespace fuselab::hip
