// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/cuda/driver/cuda_driver.h"
#include "backends/gpu/lost_device.h"

namespace fuselab::cuda {

using gpu::OnLost;

// One device, opened: its primary context, current in the opening thread, and one stream. Used by that thread.
class CudaContext {
 public:
  static Result<std::unique_ptr<CudaContext>> open(std::shared_ptr<const CudaDriver> driver, int ordinal, OnLost on_lost);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  const CudaDriver& driver() const { return *driver_; }
  const abi::DriverFunctions& calls() const { return driver_->calls(); }
  abi::Stream stream() const { return stream_; }
  bool lost() const { return lost_; }
  // Returns success, or an error with the action and the code. A code after which the device is lost calls OnLost first, once.
  Status check(abi::Code code, const std::string& what);
  Status synchronize(const std::string& what) { return check(calls().stream_synchronize(stream_), what); }

 private:
  CudaContext(std::shared_ptr<const CudaDriver> driver, int ordinal, OnLost on_lost)
      : driver_(std::move(driver)), ordinal_(ordinal), on_lost_(std::move(on_lost)) {}
  Status start();

  std::shared_ptr<const CudaDriver> driver_;
  int ordinal_;
  OnLost on_lost_;
  bool lost_ = false;
  bool retained_ = false;
  abi::Device device_ = 0;
  abi::Context context_ = nullptr;
  abi::Stream stream_ = nullptr;
};

}  // namespace fuselab::cuda
