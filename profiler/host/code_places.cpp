// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/code_places.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace fuselab::profile {

std::vector<KernelMapping> kernel_mappings(std::string_view maps, std::string_view name) {
  std::vector<KernelMapping> mappings;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    // "7f2a…000-7f2a…000 r-xp 00001000 00:01 2056  /memfd:fuselab-kernel (deleted)"
    std::istringstream words(line);
    std::string range, rights, offset, device, inode, path;
    words >> range >> rights >> offset >> device >> inode >> path;
    if (rights.size() < 3 || rights[2] != 'x' || path != "/memfd:" + std::string(name)) continue;
    const std::size_t dash = range.find('-');
    if (dash == std::string::npos) continue;
    mappings.push_back({std::stoull(range.substr(0, dash), nullptr, 16), std::stoull(range.substr(dash + 1), nullptr, 16),
                        std::stoull(offset, nullptr, 16), std::stoull(inode)});
  }
  std::sort(mappings.begin(), mappings.end(), [](const KernelMapping& a, const KernelMapping& b) { return a.inode < b.inode; });
  return mappings;
}

std::vector<CodeHit> hits_in(const std::vector<KernelMapping>& mappings, const std::vector<SampledAddress>& samples) {
  std::map<std::pair<int, std::int64_t>, std::int64_t> counted;
  for (const SampledAddress sample : samples) {
    int step = -1;
    std::uint64_t last = 0;
    for (const KernelMapping& mapping : mappings) {
      if (step < 0 || mapping.inode != last) ++step;
      last = mapping.inode;
      if (sample < mapping.begin || sample >= mapping.end) continue;
      ++counted[{step, static_cast<std::int64_t>(sample - mapping.begin + mapping.offset)}];
      break;
    }
  }
  std::vector<CodeHit> hits;
  for (const auto& [place, count] : counted) hits.push_back({place.first, place.second, count});
  return hits;
}

}  // namespace fuselab::profile
