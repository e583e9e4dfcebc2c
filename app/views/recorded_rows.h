// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// Of the devices that recordings of other tools are on. They are not here, and nobody can run the kernels.
inline constexpr std::string_view kRecordedBackend = "recorded";

// Returns whether a row is of a recording: it says nothing of this machine.
bool is_recorded(const CompareRow& row);

}  // namespace fuselab::engine
