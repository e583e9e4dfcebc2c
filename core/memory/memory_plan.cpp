// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fuselab {
namespace {

bool live_together(const BufferLife& a, const BufferLife& b) {
  return a.first <= b.last && b.first <= a.last;
}

struct Placed {
  std::size_t buffer = 0;
  std::int64_t begin = 0, end = 0;
};

// Returns the lowest offset at which so many bytes are free between the buffers that live at the same time. `placed` is sorted by
// where they begin.
std::int64_t lowest_place(const std::vector<Placed>& placed, std::span<const BufferLife> buffers, const BufferLife& buffer,
                          std::int64_t size) {
  std::int64_t place = 0;
  for (const Placed& other : placed) {
    if (!live_together(buffers[other.buffer], buffer)) continue;
    if (other.begin - place >= size) return place;
    place = std::max(place, other.end);
  }
  return place;
}

}  // namespace

Result<MemoryPlan> plan_memory(std::span<const BufferLife> buffers, std::int64_t alignment) {
  if (alignment <= 0 || (alignment & (alignment - 1)) != 0)
    return invalid_argument("an alignment of " + std::to_string(alignment) + " is no power of two");
  MemoryPlan plan;
  std::vector<std::int64_t> sizes;
  for (const BufferLife& buffer : buffers) {
    if (buffer.last < buffer.first || buffer.size.count < 0) return invalid_argument("a buffer has no possible life or size");
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() - plan.unshared.count;
    if (buffer.size.count > most - alignment) return Error{ErrorCode::kUnsupported, "the buffers are too large together"};
    sizes.push_back(std::max((buffer.size.count + alignment - 1) / alignment, std::int64_t{1}) * alignment);
    plan.unshared.count += sizes.back();
  }
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  plan.offsets.resize(buffers.size());
  std::vector<Placed> placed;
  for (const std::size_t index : order) {
    const std::int64_t begin = lowest_place(placed, buffers, buffers[index], sizes[index]);
    const Placed here{index, begin, begin + sizes[index]};
    const auto after =
        std::upper_bound(placed.begin(), placed.end(), here, [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    placed.insert(after, here);
    plan.offsets[index] = begin;
    plan.total.count = std::max(plan.total.count, here.end);
  }
  return plan;
}

}  // namespace fuselab
