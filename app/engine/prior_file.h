// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"

namespace fuselab::engine {

// Reads configurations that other searches timed, the fastest first, each once. A file is what Triton's autotuner, Kernel Tuner,
// KTT or `fuselab export` wrote, gzip allowed; a folder is a cache of Triton, of which every NAME.autotune.json is read. The times
// order what is in one file; files are taken in turns, since times of different kernels do not compare. Fails where nothing was
// timed, and for a file that cannot be read; in a folder such a file is left out. Files are untrusted.
Result<std::vector<LaunchConfig>> read_prior(const std::filesystem::path& path);

}  // namespace fuselab::engine
