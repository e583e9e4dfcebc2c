// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/value_slots.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/backend/footprint.h"

namespace fuselab::worker {
namespace {

struct Slot {
  Bytes size;
  int busy_until = 0;
};

std::optional<std::size_t> best_free(const std::vector<Slot>& slots, const Lifetime& tensor) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].busy_until >= tensor.first) continue;
    const auto size = slots[i].size.count;
    const auto before = best ? slots[*best].size.count : -1;
    const bool holds = size >= tensor.size.count, held_before = before >= tensor.size.count;
    const bool smaller_and_holds = holds && (!held_before || size < before);
    const bool larger_and_none_holds = !holds && !held_before && size > before;
    if (smaller_and_holds || larger_and_none_holds) best = i;
  }
  return best;
}

}  // namespace

Bytes sum_of(const std::vector<Bytes>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Bytes{}, saturating_sum);
}

ValueSlots share_slots(const std::vector<Lifetime>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return tensors[a].first < tensors[b].first; });
  std::vector<Slot> slots;
  ValueSlots shared;
  shared.slot_of.resize(tensors.size());
  for (const std::size_t index : order) {
    const Lifetime& tensor = tensors[index];
    const std::size_t place = best_free(slots, tensor).value_or(slots.size());
    if (place == slots.size()) slots.emplace_back();
    slots[place].size.count = std::max(slots[place].size.count, tensor.size.count);
    slots[place].busy_until = tensor.last;
    shared.slot_of[index] = place;
  }
  for (const Slot& slot : slots) shared.sizes.push_back(slot.size);
  return shared;
}

}  // namespace fuselab::worker
