// SPDX-License-Identifier: Apache-2.0
// The state of the fake driver: started or not, which thread has a context, what its device does.
#include "tests/support/fake_cuda/fake_state.h"

#include <unistd.h>

#include <cstdlib>

#include "backends/cuda/abi/driver_abi.h"

#ifndef FAKE_BEHAVIOUR
#define FAKE_BEHAVIOUR "FUSELAB_FAKE_CUDA"
#endif

using namespace fuselab;
using namespace fuselab::cuda::abi;

namespace fuselab::fake_cuda {
namespace {

bool initialised = false;
int retained = 0;
int misuses = 0;
thread_local bool current = false;

}  // namespace

Behaviour behaviour() {
  return Behaviour::of(FAKE_BEHAVIOUR);
}

DeviceModel& model() {
  static DeviceModel held;
  return held;
}

void hang() {
  for (;;) pause();
}

Code misuse(Code code) {
  ++misuses;
  return code;
}

Code started() {
  return initialised ? kSuccess : misuse(kNotInitialized);
}

Code in_context() {
  if (const Code code = started(); code != kSuccess) return code;
  return current && retained > 0 ? kSuccess : misuse(kInvalidContext);
}

Code outside_capture() {
  if (const Code code = in_context(); code != kSuccess) return code;
  if (!model().capturing()) return model().failed();
  model().spoil_capture();
  return misuse(kCaptureUnsupported);
}

}  // namespace fuselab::fake_cuda

using namespace fuselab::fake_cuda;

FAKE_EXPORT Code cuInit(unsigned) {
  const Behaviour asked = behaviour();
  if (asked.text("init") == "crash") std::abort();
  if (asked.text("init") == "hang") hang();
  if (model().failed() != 0) retained = 0;  // what was lost gives nothing back
  model().fail(kSuccess);                   // as in a fresh process
  initialised = true;
  misuses = 0;
  return static_cast<Code>(asked.number("init").value_or(kSuccess));
}

FAKE_EXPORT Code cuDevicePrimaryCtxRetain(Context* context, Device) {
  if (const Code code = started(); code != kSuccess) return code;
  ++retained;
  *context = reinterpret_cast<Context>(&model());
  return kSuccess;
}
FAKE_EXPORT Code cuDevicePrimaryCtxRelease_v2(Device) {
  if (retained == 0) return misuse(kInvalidContext);
  --retained;
  return kSuccess;
}
FAKE_EXPORT Code cuCtxSetCurrent(Context context) {
  if (context != nullptr && retained == 0) return misuse(kInvalidContext);
  current = context != nullptr;
  return kSuccess;
}

// For tests, through dlsym: how many calls the real driver would have refused, and how long the device has been at work.
FAKE_EXPORT int fuselab_fake_cuda_misuses() {
  return misuses;
}
FAKE_EXPORT double fuselab_fake_cuda_nanoseconds() {
  return model().now();
}
