// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "app/session/gate/selftest.h"

namespace fuselab::session {

// The file of a self-test: one JSON document a line, what was asked first. Lines are appended whole; a line that was torn off at
// the end is dropped when the file is gone on with.
class SelftestRecord {
 public:
  // Without a path nothing is kept. kInvalidArgument where the file was begun with another question; kCorrupt where it cannot be
  // read.
  static Result<SelftestRecord> open(const SelftestSpec& spec);

  std::vector<SelftestTrial> take_trials() { return std::move(trials_); }  // that the file already holds
  Status append(const SelftestTrial& trial);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<SelftestTrial> trials_;
};

}  // namespace fuselab::session
