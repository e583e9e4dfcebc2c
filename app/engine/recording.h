// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/engine/subject/job_spec.h"
#include "core/base/result.h"

namespace fuselab::engine {

// What another tool measured, kept as a run of this database.
struct ImportedRecording {
  std::string run_id;
  std::string kernel;  // "convolution_kernel"
  std::string device;  // "NVIDIA A100"
  std::string device_id;
  std::int64_t trials = 0, timed = 0;
};

// Adds a recording to the database: results in the format T4, or Kernel Tuner's cache; packed by gzip or not. It becomes a run like
// any other, on a device of its own that is marked as recorded. Its trials have the origin "imported": no kernel of them can be
// run. `kernel` and `device` name what the file leaves open; empty: the file's own name says so ("convolution_A100.T4.json"). Fails
// with kCorrupt, naming the place in the file, and with kBusy where another process writes the database.
Result<ImportedRecording> import_recording(const Config& config, const std::filesystem::path& file, const std::string& kernel,
                                           const std::string& device);

}  // namespace fuselab::engine
