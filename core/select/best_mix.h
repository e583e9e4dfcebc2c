// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/units.h"

namespace fuselab {

// One piece of a model as the choice of a mix of devices sees it.
struct MixPiece {
  int count = 1;                                     // uses in the model
  std::vector<std::optional<double>> ns_per_device;  // time of one use; nothing where it was not measured
  Bytes boundary;  // inputs and outputs, which are handed over when it runs on another device than the home
};

// Returns the time to hand `bytes` over from one device to another; nothing when it was not measured, in which case no switch is
// planned.
using SwitchingCost = std::function<std::optional<double>(std::size_t from, std::size_t to, Bytes bytes)>;

// An assignment of pieces to devices: most stay on the home device, and a piece moves away only when that pays for handing its
// inputs and outputs over on every use. Neighbours that move to the same device are not credited for sharing a switch, so the total
// is an upper bound of what the mix needs.
struct DeviceMix {
  std::size_t home = 0;
  std::vector<std::optional<std::size_t>> device;  // by piece; nothing where no device can run it
  double work_ns = 0;                              // counts included
  double switching_ns = 0;
};

// Returns the mix with the least total over all choices of a home; a home that runs more of the pieces is preferred to a faster one
// that runs fewer. O(devices² × pieces). Returns nothing when no piece was measured.
std::optional<DeviceMix> best_mix(std::span<const MixPiece> pieces, std::size_t device_count, const SwitchingCost& switching);

}  // namespace fuselab
