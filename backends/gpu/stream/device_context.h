// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/gpu/lost_device.h"
#include "backends/gpu/stream/driver.h"

namespace fuselab::gpu::stream {

// One device, opened: its primary context, current in the opening thread, and one stream. Used by that thread.
class DeviceContext {
 public:
  static Result<std::unique_ptr<DeviceContext>> open(std::shared_ptr<const Driver> driver, int ordinal, OnLost on_lost);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;
  ~DeviceContext();

  const Driver& driver() const { return *driver_; }
  const abi::DriverFunctions& calls() const { return driver_->calls(); }
  const Vendor& vendor() const { return driver_->vendor(); }
  abi::Stream stream() const { return stream_; }
  abi::Context context() const { return context_; }
  int ordinal() const { return ordinal_; }  // as the driver counts devices
  bool lost() const { return lost_; }
  // Returns success, or an error with the action and the code. A code after which the device is lost calls OnLost first, once.
  Status check(abi::Code code, const std::string& what);
  Status synchronize(const std::string& what) { return check(calls().stream_synchronize(stream_), what); }

 private:
  DeviceContext(std::shared_ptr<const Driver> driver, int ordinal, OnLost on_lost)
      : driver_(std::move(driver)), ordinal_(ordinal), on_lost_(std::move(on_lost)) {}
  Status start();
  std::string name() const { return std::string(vendor().backend) + ":" + std::to_string(ordinal_); }

  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  OnLost on_lost_;
  bool lost_ = false;
  bool retained_ = false;
  abi::Device device_ = 0;
  abi::Context context_ = nullptr;
  abi::Stream stream_ = nullptr;
};

}  // namespace fuselab::gpu::stream
