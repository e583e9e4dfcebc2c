// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/in_place.h"

#include <algorithm>
#include <iterator>

namespace fuselab {

std::vector<InPlace> overwritten_in_place(const std::vector<KernelArgument>& arguments) {
  std::vector<KernelArgument> tensors;
  std::ranges::copy_if(arguments, std::back_inserter(tensors),
                       [](const KernelArgument& each) { return each.role != BufferRole::kScratch; });
  std::vector<InPlace> found;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].role != BufferRole::kInOut) continue;
    const auto partner = std::ranges::find_if(tensors, [&](const KernelArgument& each) {
      return each.role == BufferRole::kIn && each.name == tensors[i].name && each.type == tensors[i].type;
    });
    if (partner != tensors.end()) found.push_back({i, static_cast<std::size_t>(partner - tensors.begin())});
  }
  return found;
}

}  // namespace fuselab
