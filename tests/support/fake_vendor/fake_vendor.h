// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/gpu/stream/driver.h"
#include "core/backend/device_info.h"

namespace fuselab::fake_vendor {

using gpu::stream::abi::Code;

// Acme shares no code, no number and no word with a real vendor.
inline constexpr Code kNoMemory = 71;
inline constexpr Code kGone = -5;
inline constexpr Code kLate = -6;
inline constexpr Code kCannotWait = 12;
inline constexpr Code kForeign = 33;

// How its one device behaves, and what it has seen.
struct State {
  std::size_t memory = std::size_t{1} << 30;
  bool waits = true;  // streams wait for a word
  Code load = 0;      // the answer to loading a module
  Code launch = 0;    // found when a launch is waited for
  int strangers = 0;  // flags, options and attributes that are none of Acme's
  int contexts = 0;   // retained, not yet released
  int launches = 0;   // that ran
};
State& state();

const gpu::stream::Vendor& vendor();
// Returns the driver in front of a fresh device. Its table has only what a runtime needs: the other functions are null.
std::shared_ptr<const gpu::stream::Driver> open_driver();
// acme:0
DeviceInfo described_device();
// Returns a kernel that writes twice its input, 25 numbers of f32, to its output.
CompiledKernel doubling_kernel();

}  // namespace fuselab::fake_vendor
