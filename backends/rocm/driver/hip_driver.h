// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/gpu/stream/driver.h"
#include "backends/rocm/abi/hip_abi.h"

namespace fuselab::hip {

// The opened and initialised HIP runtime. Stays loaded for the process, which uses one.
class HipDriver final : public gpu::stream::Driver {
 public:
  // Looks for libamdhip64.so.10, .7, .6 and .5 ($FUSELAB_LIB_HIP overrides) and initialises it.
  // Fails with kUnavailable and one line: "no HIP runtime here: libamdhip64.so.10, … not found", "the HIP runtime is too old: it is
  // 4.3, 5.2 is needed", "no AMD GPU: there is no /dev/kfd: … (hipInit: hipErrorNoDevice (100))".
  static Result<std::shared_ptr<const HipDriver>> open(const std::string& kfd = "/dev/kfd");

  std::string version() const;  // "7.1"
  // What the common table has no place for.
  const abi::HipFunctions& own_calls() const;

 private:
  HipDriver();
};

}  // namespace fuselab::hip
