// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "app/gate/selftest/selftest.h"
#include "core/base/content_hash.h"

namespace fuselab::engine {

// The contents of a record, which can be read without the device.
struct StoredSelftest {
  SelftestSpec spec;  // without record and slice
  std::string commit;
  std::string device_uuid;
  std::vector<SelftestKernel> kernels;
  std::vector<SelftestTrial> trials;  // the comparisons made so far
};
// Reads a record, complete or not, as it was written or compressed by `zstd FILE`. Fails with kNotFound, with kInvalidArgument for
// another kind of file, and with kCorrupt naming the line.
Result<StoredSelftest> read_selftest(const std::filesystem::path& record);

// Returns a hash of the bytes of this program and of its worker, since the commit alone does not tell programs of changed sources
// apart. Fails with kIo.
Result<ContentHash> build_of(const std::filesystem::path& worker_program);

// The file of a self-test, one JSON document a line: first the settings and the program that began it, then the comparisons with
// the conditions of each process and, where it is new, the machine. Lines are appended whole; a line that was cut off at the end is
// dropped when the file is continued.
class SelftestRecord {
 public:
  // Opens the record of `spec`; without a path nothing is kept. Fails with kInvalidArgument where the file is no record or was
  // begun with other settings, another device, kernel or program; with kCorrupt where a line is inconsistent.
  static Result<SelftestRecord> open(const SelftestSpec& spec, const DeviceInfo& device, const std::vector<SelftestKernel>& kernels,
                                     const std::filesystem::path& worker_program);

  std::vector<SelftestTrial> take_trials() { return std::move(trials_); }  // the comparisons that the file already holds
  Status append(const SelftestTrial& trial);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<SelftestTrial> trials_;
  std::string machine_;  // the machine that the file named last; it is written again only when it changes
};

}  // namespace fuselab::engine
