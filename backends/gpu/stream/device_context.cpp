// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/device_context.h"

namespace fuselab::gpu::stream {

Result<std::unique_ptr<DeviceContext>> DeviceContext::open(std::shared_ptr<const Driver> driver, int ordinal, OnLost on_lost) {
  std::unique_ptr<DeviceContext> context(new DeviceContext(std::move(driver), ordinal, std::move(on_lost)));
  FL_TRY_VOID(context->start());
  return context;
}

// No kernel ran yet, so no failure here is a kernel's: it is returned, and the process lives on.
Status DeviceContext::start() {
  const auto failed = [this](const char* how, const char* call) { return name() + how + " (" + call + ")"; };
  FL_TRY_VOID(driver_->check(calls().device_get(&device_, ordinal_), failed("", vendor().get_device)));
  FL_TRY_VOID(driver_->check(calls().context_retain(&context_, device_), failed(" cannot be opened", vendor().retain_context)));
  retained_ = true;
  FL_TRY_VOID(driver_->check(calls().context_set(context_), failed(" cannot be opened", vendor().set_context)));
  return driver_->check(calls().stream_create(&stream_, vendor().stream_flags), failed(" has no stream", vendor().create_stream));
}

DeviceContext::~DeviceContext() {
  if (lost_) return;  // nothing answers any more
  if (stream_ != nullptr) calls().stream_destroy(stream_);
  if (retained_) calls().context_release(device_);
}

Status DeviceContext::check(abi::Code code, const std::string& what) {
  const Status status = driver_->check(code, name() + ": " + what);
  if (status.ok() || !vendor().loses_device(code)) return status;
  if (!lost_) {
    lost_ = true;
    if (on_lost_) on_lost_(status.error().message);
  }
  return status;
}

}  // namespace fuselab::gpu::stream
