// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fuselab {

// What users say of a run. Marks are the only part of a run that may change after it has ended, and no figure depends on them. All
// texts are untrusted: plain_line() or plain_text() stands before a terminal.
struct RunMarks {
  std::string name;               // empty: the run is called after what it measured
  std::vector<std::string> tags;  // sorted, each once
  std::string note;               // may have several lines
  bool pinned = false;            // the baseline of what it measured

  bool operator==(const RunMarks&) const = default;
};

}  // namespace fuselab
