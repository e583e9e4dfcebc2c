// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// Rows of the devices that recordings of other tools are on. They are not here, and their kernels cannot be run.
inline constexpr std::string_view kRecordedBackend = "recorded";

// Returns whether a row is of a recording: it says nothing of this machine.
bool is_recorded(const CompareRow& row);

}  // namespace fuselab::engine
