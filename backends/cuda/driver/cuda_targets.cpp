// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_targets.h"

#include "core/kernel/virtual_target.h"

namespace fuselab::cuda {
namespace {

std::vector<Target> documented() {
  std::vector<Target> targets;
  for (const std::string& id : virtual_target_ids()) {
    const VirtualTarget each = virtual_target(id).value();
    if (each.backend == "cuda") targets.push_back(each.target);
  }
  return targets;
}

}  // namespace

const std::vector<Target>& cuda_targets() {
  static const std::vector<Target> targets = documented();
  return targets;
}

}  // namespace fuselab::cuda
