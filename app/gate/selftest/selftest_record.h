// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "app/gate/selftest/selftest.h"
#include "core/base/content_hash.h"

namespace fuselab::engine {

// What a record holds, to be looked at without the device.
struct StoredSelftest {
  SelftestSpec spec;  // without record and slice
  std::string commit;
  std::string device_uuid;
  std::vector<SelftestKernel> kernels;
  std::vector<SelftestTrial> trials;  // as many as there are so far
};
// A record, complete or not, as it was written or as `zstd FILE` made it smaller. kNotFound; kInvalidArgument for another file;
// kCorrupt with the line.
Result<StoredSelftest> read_selftest(const std::filesystem::path& record);

// Of the bytes of this program and of its worker: the commit alone does not tell programs of changed sources apart. kIo.
Result<ContentHash> build_of(const std::filesystem::path& worker_program);

// The file of a self-test: one JSON document a line, what was asked first and by which program, then the comparisons with the
// conditions of each process and, where it is new, the machine. Lines are appended whole; a line that was torn off at the end is
// dropped when the file is gone on with.
class SelftestRecord {
 public:
  // Without a path nothing is kept. kInvalidArgument where the file is no record or was begun with another question, device, kernel
  // or program; kCorrupt where a line does not hold together.
  static Result<SelftestRecord> open(const SelftestSpec& spec, const DeviceInfo& device, const std::vector<SelftestKernel>& kernels,
                                     const std::filesystem::path& worker_program);

  std::vector<SelftestTrial> take_trials() { return std::move(trials_); }  // that the file already holds
  Status append(const SelftestTrial& trial);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<SelftestTrial> trials_;
  std::string machine_;  // as the file says last; a line says it where it is new
};

}  // namespace fuselab::engine
