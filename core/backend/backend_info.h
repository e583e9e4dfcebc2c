// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace fuselab {

// The hardware that a system's kernels run on. Software is scripted and available on every machine; its results are no evidence.
enum class RunsOn { kHardware, kGpu, kSoftware };

// The row of one system (R116), with the kind that discovery groups by. All rows are in backends/systems.cpp.
struct BackendInfo {
  std::string_view id;  // S2's `name`
  std::string_view display_name;
  std::string_view kind;  // "compute", "library", "compiler", "test"
  RunsOn runs_on = RunsOn::kHardware;
  std::string_view licence;  // licence of what is opened at run time, in SPDX form where possible; "" when nothing is
  std::vector<std::string_view> required_libraries = {};  // sonames that are searched at run time; any one of them is enough

  bool requires_gpu() const { return runs_on == RunsOn::kGpu; }
};

}  // namespace fuselab
