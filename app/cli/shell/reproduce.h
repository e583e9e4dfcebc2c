// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

namespace fuselab::cli {

// One word of a shell's command line, quoted where it must be.
std::string shell_word(const std::string& word);

// The command that measures a row's piece again, as it stands: on the device where it failed, in the configuration that failed
// where that is known; else on the recommended device. Empty for what is never measured.
std::string reproducing_command(const engine::CompareTable& table, const engine::CompareRow& row);

// Whether the baseline or what is held against it failed on some device.
bool has_failed(const engine::CompareRow& row);

}  // namespace fuselab::cli
