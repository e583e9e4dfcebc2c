// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace fuselab {

// What a system's kernels run on. Software is there on every machine, scripted, and is no evidence of anything.
enum class RunsOn { kHardware, kGpu, kSoftware };

// R116: the row of one system, with the kind that discovery groups by. All rows stand in backends/systems.cpp.
struct BackendInfo {
  std::string_view id;  // S2's `name`
  std::string_view display_name;
  std::string_view kind;  // "compute", "library", "compiler", "test"
  RunsOn runs_on = RunsOn::kHardware;
  std::string_view licence;  // of what is opened at run time, as SPDX writes it where it can; "" when nothing is
  std::vector<std::string_view> required_libraries = {};  // sonames that are searched at run time; any one of them will do

  bool requires_gpu() const { return runs_on == RunsOn::kGpu; }
};

}  // namespace fuselab
