// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuselab::engine {

// The launch configurations of a plan's kernels, in order of execution. TrialRecord::config and a figure hold them as one text, in
// which they are joined by ';'.
struct PlanConfigs {
  std::vector<std::string> each;  // LaunchConfig::text() of each kernel

  static PlanConfigs of(std::string_view text);  // of one kernel at least: an empty text is its configuration
  std::string text() const;
};

}  // namespace fuselab::engine
