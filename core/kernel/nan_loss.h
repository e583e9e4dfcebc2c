// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/kernel/launch_config.h"

namespace fuselab {

// What a kernel states of itself in its launch configuration, `nan=lost`: where the right result is NaN it may give a number. So
// the statement is part of the kernel's identity, is stored with each trial and stands in every command that repeats one.
inline constexpr std::string_view kNanParameter = "nan";
inline constexpr std::string_view kNanLost = "lost";

bool loses_nan(const LaunchConfig& config);
// Of a plan's configurations as they are stored, joined by ';': a plan loses NaN where one of its kernels does.
bool any_loses_nan(std::string_view configs);

// What that means for a measured plan: one that loses NaN is shown everywhere, and chosen only where the user accepts it.
enum class NanLoss { kNone, kWithheld, kAccepted };
NanLoss nan_loss_of(std::string_view configs, bool accepted);
inline constexpr std::string_view kAcceptNanLoss = "--accept nan-loss";

}  // namespace fuselab
