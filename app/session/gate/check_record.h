// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/session/gate/judgement.h"

namespace fuselab::session {

// Writes all that a run of the gate measured, as JSON lines: what the run was, then every case with all its samples. Atomic: the
// old file stays where the disk is full (kIo).
Status write_check_record(const std::filesystem::path& file, const CheckRun& run);

// The run again, its comparisons decided anew from the samples. kNotFound; kInvalidArgument for what is no such record; kCorrupt,
// with the line, where one does not hold together or its samples do not say what it says.
Result<CheckRun> read_check_record(const std::filesystem::path& file);

}  // namespace fuselab::session
