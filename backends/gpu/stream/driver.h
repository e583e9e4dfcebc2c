// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/gpu/stream/vendor.h"

namespace fuselab::gpu::stream {

// An opened and initialised driver. Thread-safe; a context is current per thread.
class Driver {
 public:
  // `vendor` must outlive it.
  Driver(const Vendor& vendor, const abi::DriverFunctions& calls, int version)
      : vendor_(vendor), calls_(calls), version_(version) {}

  const Vendor& vendor() const { return vendor_; }
  const abi::DriverFunctions& calls() const { return calls_; }
  int version_number() const { return version_; }
  // Returns a code's name: "ILLEGAL_ADDRESS (700)".
  std::string name_of(abi::Code code) const;
  // Returns success, or an error with the action: "allocating 4 GiB: OUT_OF_MEMORY (2)".
  Status check(abi::Code code, const std::string& what) const;

 protected:
  explicit Driver(const Vendor& vendor) : vendor_(vendor) {}

  const Vendor& vendor_;
  abi::DriverFunctions calls_{};
  int version_ = 0;
};

}  // namespace fuselab::gpu::stream
