// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace fuselab {

// The purpose of a worker process. A role refuses the others' requests, so that vendor stacks that cannot share a process never
// meet and a compiler never touches a device.
enum class WorkerRole { kProbe, kCompile, kMeasure };

constexpr std::string_view name_of(WorkerRole role) {
  constexpr std::array<std::string_view, 3> kNames = {"probe", "compile", "measure"};
  return kNames[static_cast<std::size_t>(role)];
}

constexpr std::optional<WorkerRole> parse_worker_role(std::string_view name) {
  for (const WorkerRole role : {WorkerRole::kProbe, WorkerRole::kCompile, WorkerRole::kMeasure}) {
    if (name_of(role) == name) return role;
  }
  return std::nullopt;
}

}  // namespace fuselab
