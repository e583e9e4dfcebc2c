// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/loops.h"

#include <algorithm>
#include <map>

namespace fuselab::profile {

std::vector<Loop> find_loops(const std::vector<Instruction>& code) {
  std::map<std::size_t, std::size_t> ends;  // begin → end
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].target || *code[i].target > code[i].address) continue;
    const auto head = std::lower_bound(code.begin(), code.end(), *code[i].target,
                                       [](const Instruction& each, std::int64_t address) { return each.address < address; });
    if (head == code.end() || head->address != *code[i].target) continue;
    std::size_t& end = ends[static_cast<std::size_t>(head - code.begin())];
    end = std::max(end, i + 1);
  }
  std::vector<Loop> loops;
  for (const auto& [begin, end] : ends) loops.push_back({begin, end, -1, 1, true});
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (std::size_t outer = 0; outer < i; ++outer) {
      if (loops[outer].end >= loops[i].end) loops[i].parent = static_cast<int>(outer);  // the last one found is the smallest
    }
    if (loops[i].parent < 0) continue;
    Loop& around = loops[static_cast<std::size_t>(loops[i].parent)];
    loops[i].depth = around.depth + 1;
    around.innermost = false;
  }
  return loops;
}

}  // namespace fuselab::profile
