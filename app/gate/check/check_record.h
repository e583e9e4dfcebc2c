// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/gate/judge/judgement.h"

namespace fuselab::engine {

// Writes all that a run of the gate measured, as JSON lines: what the run was and how it ended, then every case with its end and
// all its samples. Atomic: the old file stays where the disk is full (kIo).
Status write_check_record(const std::filesystem::path& file, CheckRun run);

// The run again, judged anew from the samples. kNotFound; kInvalidArgument for what is no such record; kCorrupt, with the line,
// where one does not hold together, where its samples do not say what it says, or where it kept less than it takes: a change that
// was called has a confirmation or why there is none.
Result<CheckRun> read_check_record(const std::filesystem::path& file);

}  // namespace fuselab::engine
