// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/gate/judge/judgement.h"

namespace fuselab::engine {

// Writes everything that a run of the gate measured, as JSON lines: first the run's settings and its end, then every case with its
// end and all its samples. Atomic: on failure, such as kIo on a full disk, the old file stays.
Status write_check_record(const std::filesystem::path& file, CheckRun run);

// Reads a run and judges it again from the samples.
// Fails with kNotFound; with kInvalidArgument for a file that is no such record; with kCorrupt, naming the line, where a line is
// inconsistent, where its samples do not give what it says, or where it is incomplete: every change that was called needs a
// confirmation or the reason why there is none.
Result<CheckRun> read_check_record(const std::filesystem::path& file);

// Reads one run of the gate to be shown: a record, whose verdicts are decided again, or the last run of a file of JSON lines.
// Fails as read_check_record() and read_check_files() do; with kInvalidArgument for a file of another kind.
Result<CheckReport> read_check_report(const std::filesystem::path& file);

}  // namespace fuselab::engine
