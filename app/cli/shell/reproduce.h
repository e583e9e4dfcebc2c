// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

namespace fuselab::cli {

// Returns the command that measures a row's piece again: on the device where it failed, in the configuration that failed where that
// is known; else on the recommended device. Empty for a piece that is never measured.
std::string reproducing_command(const engine::CompareTable& table, const engine::CompareRow& row);

// Returns whether the fused plan or the unfused one, its baseline, failed on some device.
bool has_failed(const engine::CompareRow& row);

}  // namespace fuselab::cli
