// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/kernel/launch_config.h"

namespace fuselab {

// The parameter by which a kernel states in its launch configuration, as `nan=lost`, that it may give a number where the right
// result is NaN. The statement is thereby part of the kernel's identity, is stored with each trial and appears in every command
// that repeats one.
inline constexpr std::string_view kNanParameter = "nan";
inline constexpr std::string_view kNanLost = "lost";

bool loses_nan(const LaunchConfig& config);
// Returns true for a plan one of whose kernels loses NaN, given the stored configurations of its kernels, joined by ';'.
bool any_loses_nan(std::string_view configs);

// The consequence of NaN loss for a measured plan: one that loses NaN is shown everywhere, and chosen only where the user accepts
// it.
enum class NanLoss { kNone, kWithheld, kAccepted };
NanLoss nan_loss_of(std::string_view configs, bool accepted);
inline constexpr std::string_view kAcceptNanLoss = "--accept nan-loss";

}  // namespace fuselab
