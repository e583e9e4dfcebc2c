// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/fake_cuda/behaviour.h"
#include "tests/support/fake_cuda/device_model.h"

namespace fuselab::fake_cuda {

// What the real driver answers to calls that come too early or at the wrong moment. Ours makes none of them, so only the fake has
// names for these.
inline constexpr Code kNotInitialized = 3;
inline constexpr Code kInvalidDevice = 101;
inline constexpr Code kInvalidContext = 201;
inline constexpr Code kIllegalState = 401;
inline constexpr Code kCaptureUnsupported = 900;
inline constexpr Code kCaptureInvalidated = 901;

// $FUSELAB_FAKE_CUDA, or the variable of the library that is made of this one's parts.
Behaviour behaviour();
DeviceModel& model();
[[noreturn]] void hang();

// The driver was started; else kNotInitialized.
Code started();
// The driver was started and the calling thread has a context that was not given back; else kInvalidContext.
Code in_context();
// The same, and no stream is being recorded: such a call ends the recording with an error, kCaptureUnsupported, as the real driver
// does for what cannot be part of a graph. A lost device answers with what it was lost to.
Code outside_capture();
// Says that the driver answered so, and returns it: tests ask for the number of misuses.
Code misuse(Code code);

}  // namespace fuselab::fake_cuda
