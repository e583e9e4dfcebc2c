// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_context.h"

namespace fuselab::cuda {

Result<std::unique_ptr<CudaContext>> CudaContext::open(std::shared_ptr<const CudaDriver> driver, int ordinal, OnLost on_lost) {
  std::unique_ptr<CudaContext> context(new CudaContext(std::move(driver), ordinal, std::move(on_lost)));
  FL_TRY_VOID(context->start());
  return context;
}

// No kernel ran yet, so no failure here is a kernel's: it is returned, and the process lives on.
Status CudaContext::start() {
  const std::string name = "cuda:" + std::to_string(ordinal_);
  FL_TRY_VOID(driver_->check(calls().device_get(&device_, ordinal_), name + " (cuDeviceGet)"));
  FL_TRY_VOID(driver_->check(calls().context_retain(&context_, device_), name + " cannot be opened (cuDevicePrimaryCtxRetain)"));
  retained_ = true;
  FL_TRY_VOID(driver_->check(calls().context_set(context_), name + " cannot be opened (cuCtxSetCurrent)"));
  return driver_->check(calls().stream_create(&stream_, abi::kStreamNonBlocking), name + " has no stream (cuStreamCreate)");
}

CudaContext::~CudaContext() {
  if (lost_) return;  // nothing answers any more
  if (stream_ != nullptr) calls().stream_destroy(stream_);
  if (retained_) calls().context_release(device_);
}

Status CudaContext::check(abi::Code code, const std::string& what) {
  const Status status = driver_->check(code, "cuda:" + std::to_string(ordinal_) + ": " + what);
  if (status.ok() || !is_fatal(code)) return status;
  if (!lost_) {
    lost_ = true;
    if (on_lost_) on_lost_(status.error().message);
  }
  return status;
}

}  // namespace fuselab::cuda
