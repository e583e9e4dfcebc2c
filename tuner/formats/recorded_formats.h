// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "tuner/recorded_space.h"

namespace fuselab::tuner {

// Parsers for the four public formats of recorded tuning runs. They are tolerant where the writers of a format are known to
// differ. Text is untrusted; errors name the place in the file. Times in the files are milliseconds and are returned as
// nanoseconds.

// Parses T1, a tuning problem: the space, its name and the defaults; no trials.
Result<RecordedSpace> parse_t1(std::string_view json);

// Parses T4: results without their space.
Result<std::vector<RecordedTrial>> parse_t4(std::string_view json);

// Parses Kernel Tuner's own cache: the axes and the results. The axes' values are complete, the constraints are not recorded, so
// configurations that were not measured are valid and evaluate to "never recorded".
Result<RecordedSpace> parse_kernel_tuner(std::string_view json);

// Parses what Triton's autotuner keeps of one kernel, `NAME.autotune.json`: results without their space. Keyword arguments and
// num_warps, num_stages, num_ctas are the parameters.
Result<std::vector<RecordedTrial>> parse_triton_autotune(std::string_view json);

// Tells Kernel Tuner's cache, Triton's and T4 apart and parses it. A name and a space are there where the file has them.
// Fails for a file without any result.
Result<RecordedSpace> parse_recording(std::string_view json);

}  // namespace fuselab::tuner
