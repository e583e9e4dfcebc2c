// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/watched_memory.h"

#include <algorithm>
#include <cstring>

namespace fuselab::simt {
namespace {

constexpr std::int64_t kGapBytes = 256;  // between shared arrays
constexpr std::int64_t kSharedAlignment = 16;
constexpr int kUnwritten = 0xFF;  // NaN in every float type

bool same_thread(const Access& a, const Access& b) {
  return a.block == b.block && a.thread == b.thread;
}

}  // namespace

WatchedMemory::WatchedMemory() {
  allow_dynamic(0);
}

bool WatchedMemory::in_order(const Access& before, const Access& now) const {
  if (before.block < 0 || same_thread(before, now)) return true;
  return before.block == now.block && clocks_->knows(now.thread, before.thread, before.interval);
}

std::string WatchedMemory::who_text(const Access& who) const {
  if (who.thread >= block_threads_ * cluster_) return "what a thread of block " + std::to_string(who.block) + " has set going";
  return "thread " + std::to_string(who.thread % block_threads_) + " of block " +
         std::to_string(who.block + who.thread / block_threads_);
}

std::string WatchedMemory::race_text(const Access& before, bool wrote, const Access& now, bool writes,
                                     const std::string& element) const {
  return who_text(now) + (writes ? " writes " : " reads ") + element + place_mark(now.place) + " and " + who_text(before) +
         (wrote ? " writes" : " reads") + " it" + place_mark(before.place) +
         (before.block == now.block ? " with no barrier between them" : "; blocks run in any order");
}

void WatchedMemory::add_buffer(std::string name, std::uintptr_t begin, std::int64_t bytes, int element, BufferUse use) {
  Region region{std::move(name), begin, bytes, element, false, use, {}, 0, false};
  if (use != BufferUse::kRead) region.cells.resize(static_cast<std::size_t>((bytes + element - 1) / element));
  regions_.push_back(std::move(region));
}

void WatchedMemory::add_image(std::uintptr_t begin, std::uintptr_t end) {
  image_begin_ = begin;
  image_end_ = end;
}

void WatchedMemory::begin_block() {
  for (Slab& slab : slabs_) std::memset(slab.bytes.data(), kUnwritten, slab.bytes.size());
  for (Region& region : regions_) {
    if (!region.shared) continue;
    std::fill(region.cells.begin(), region.cells.end(), Cell());
    region.asked = false;
  }
}

void WatchedMemory::allow_dynamic(std::int64_t bytes, int cluster, std::int64_t most_static) {
  dynamic_bytes_ = bytes;
  static_bytes_ = most_static;
  slabs_.resize(static_cast<std::size_t>(cluster));
  for (Slab& slab : slabs_) slab.bytes.resize(static_cast<std::size_t>(2 * most_static + 2 * bytes));
}

std::uintptr_t WatchedMemory::in_rank(std::uintptr_t address, int rank) {
  const Region* const here = find(address);
  for (const auto& [key, region] : shared_arrays_) {
    if (region != here) continue;
    const auto there = shared_arrays_.find({std::get<0>(key), std::get<1>(key), rank});
    return there == shared_arrays_.end() || !there->second->asked ? 0 : there->second->begin + (address - here->begin);
  }
  return 0;
}

void* WatchedMemory::shared_array(const std::string& name, std::int64_t element, std::int64_t count, std::int64_t alignment,
                                  int line, std::int64_t offset, int rank) {
  Region*& array = shared_arrays_[{name, line, rank}];
  Slab& slab = slabs_[static_cast<std::size_t>(rank)];
  if (array == nullptr) {
    const auto base = reinterpret_cast<std::uintptr_t>(slab.bytes.data());
    // Memory is as aligned as FL_SHARED promises, and no more; what lies at an offset is as far from an aligned place as there.
    const auto exact = static_cast<std::uintptr_t>(std::max<std::int64_t>(alignment, kSharedAlignment));
    const std::uintptr_t off = offset < 0 ? 0 : static_cast<std::uintptr_t>(offset) % exact;
    const std::uintptr_t begin =
        (base + exact + static_cast<std::uintptr_t>(slab.used + kGapBytes)) / (2 * exact) * (2 * exact) + exact + off;
    slab.used = static_cast<std::int64_t>(begin - base) + element * count;
    if (offset < 0) slab.asked += element * count;
    if (offset >= 0 && (offset < slab.dynamic_end || offset % kSharedAlignment != 0 || offset + element * count > dynamic_bytes_)) {
      report("shared array " + name + place_mark(static_cast<CodePlace>(line)) + " takes bytes " + std::to_string(offset) + " to " +
             std::to_string(offset + element * count) + " of " + std::to_string(dynamic_bytes_) +
             " that the launch asks for; the one before ends at " + std::to_string(slab.dynamic_end));
    }
    if (offset >= 0) slab.dynamic_end = offset + element * count;
    if (slab.asked > static_bytes_ || slab.used + kGapBytes > static_cast<std::int64_t>(slab.bytes.size())) {
      report("shared array " + name + place_mark(static_cast<CodePlace>(line)) + " brings the block to " +
             std::to_string(slab.asked) + " bytes of static shared memory; the limit is " + std::to_string(static_bytes_));
    }
    Region region{name, begin, element * count, element, true, BufferUse::kReadWrite, {}, rank, false};
    region.cells.resize(static_cast<std::size_t>(count));
    regions_.push_back(std::move(region));
    array = &regions_.back();
  }
  array->asked = true;
  return reinterpret_cast<void*>(array->begin);
}

WatchedMemory::Region* WatchedMemory::find(std::uintptr_t address) {
  const auto holds = [&](const Region& region) { return address - region.begin < static_cast<std::uintptr_t>(region.bytes); };
  if (last_ != nullptr && holds(*last_)) return last_;
  for (Region& region : regions_) {
    if (holds(region)) return last_ = &region;
  }
  return nullptr;
}

const WatchedMemory::Region* WatchedMemory::nearest(std::uintptr_t address) const {
  const Region* best = nullptr;
  std::uintptr_t best_distance = 1U << 20;
  for (const Region& region : regions_) {
    const std::uintptr_t end = region.begin + static_cast<std::uintptr_t>(region.bytes);
    const std::uintptr_t distance = address < region.begin ? region.begin - address : address < end ? 0 : address - end;
    if (distance < best_distance) {
      best = &region;
      best_distance = distance;
    }
  }
  return best;
}

std::string WatchedMemory::where(std::uintptr_t address) const {
  const Region* const region = nearest(address);
  if (region == nullptr) return "far from every buffer";
  const std::string name = (region->shared ? "shared array " : "buffer ") + region->name;
  if (address < region->begin) return std::to_string(region->begin - address) + " bytes before " + name;
  const auto offset = static_cast<std::int64_t>(address - region->begin);
  if (offset >= region->bytes) return std::to_string(offset - region->bytes) + " bytes past the end of " + name;
  return "element " + std::to_string(offset / region->element) + " of " + name;
}

void WatchedMemory::check(std::uintptr_t address, std::int64_t bytes, bool writes, const Access& who) {
  Region* const region = find(address);
  const std::int64_t offset = region == nullptr ? 0 : static_cast<std::int64_t>(address - region->begin);
  if (region == nullptr || offset + bytes > region->bytes) {
    if (region == nullptr && !writes && address >= image_begin_ && address < image_end_) return;
    const std::uintptr_t outside = region == nullptr ? address : region->begin + static_cast<std::uintptr_t>(region->bytes);
    report(who_text(who) + (writes ? " writes " : " reads ") + std::to_string(bytes) + " bytes out of bounds" +
           place_mark(who.place) + ": " +
           (region == nullptr ? where(address)
                              : "the last " + std::to_string(offset + bytes - region->bytes) + " are " + where(outside)));
  }
  if (region->use == BufferUse::kRead) {
    if (writes) report(who_text(who) + " writes the input " + region->name + place_mark(who.place));
    return;
  }
  const std::int64_t last = (offset + bytes - 1) / region->element;
  for (std::int64_t index = offset / region->element; index <= last; ++index) {
    check_cell(*region, index, region->cells[static_cast<std::size_t>(index)], writes, who);
  }
}

std::vector<Access> WatchedMemory::writers(std::uintptr_t address, std::int64_t bytes) {
  std::vector<Access> found;
  const Region* const region = find(address);
  if (region == nullptr || !region->shared) return found;
  const std::int64_t offset = static_cast<std::int64_t>(address - region->begin);
  for (std::int64_t i = offset / region->element; i <= (offset + bytes - 1) / region->element; ++i) {
    found.push_back(region->cells[static_cast<std::size_t>(i)].write);
  }
  return found;
}

void WatchedMemory::check_cell(const Region& region, std::int64_t index, Cell& cell, bool writes, const Access& who) const {
  const auto element = [&] { return region.name + "[" + std::to_string(index) + "]"; };
  if (cell.copy.block >= 0) {
    report(who_text(who) + (writes ? " writes " : " reads ") + element() + place_mark(who.place) +
           " while the asynchronous copy of " + who_text(cell.copy) + place_mark(cell.copy.place) +
           " into it has not been waited for");
  }
  if (!in_order(cell.write, who)) report(race_text(cell.write, true, who, writes, element()));
  if (writes) {
    if (!in_order(cell.read, who)) report(race_text(cell.read, false, who, true, element()));
    if (!in_order(cell.other_read, who)) report(race_text(cell.other_read, false, who, true, element()));
    cell.write = who;
    return;
  }
  if (cell.write.block < 0 && region.use != BufferUse::kReadWrite) {
    report(who_text(who) + " reads " + element() + place_mark(who.place) + ", an output that was not written yet");
  }
  if (cell.write.block < 0 && region.shared) {
    report(who_text(who) + " reads " + element() + place_mark(who.place) + ", which no thread of this block has written");
  }
  if (!same_thread(cell.read, who)) cell.other_read = cell.read;
  cell.read = who;
}

void WatchedMemory::check_aligned(std::uintptr_t address, std::int64_t bytes, const Access& who) const {
  if (address % static_cast<std::uintptr_t>(bytes) == 0) return;
  report(who_text(who) + " accesses a vector of " + std::to_string(bytes) + " bytes at a misaligned address" +
         place_mark(who.place) + ": " + std::to_string(address % static_cast<std::uintptr_t>(bytes)) + " bytes off, at " +
         where(address));
}

void WatchedMemory::check_readonly(std::uintptr_t address, std::int64_t bytes, const Access& who) const {
  const Region* const region = nearest(address);
  if (region == nullptr || (!region->shared && region->use == BufferUse::kRead)) return;
  report(who_text(who) + " reads " + std::to_string(bytes) + " bytes of " + region->name + place_mark(who.place) +
         " through the read-only cache, but the launch may write there");
}

void WatchedMemory::begin_copy(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, std::int64_t valid, const Access& who) {
  if (valid > 0) check(from, valid, false, who);
  check(to, bytes, true, who);
  Region* const region = find(to);
  if (!region->shared)
    report(who_text(who) + " copies asynchronously into " + region->name + place_mark(who.place) + ", which is not shared memory");
  std::memset(reinterpret_cast<void*>(to), kUnwritten, static_cast<std::size_t>(bytes));
  const auto first = static_cast<std::int64_t>(to - region->begin) / region->element;
  const auto last = (static_cast<std::int64_t>(to - region->begin) + bytes - 1) / region->element;
  for (std::int64_t i = first; i <= last; ++i) region->cells[static_cast<std::size_t>(i)].copy = who;
}

void WatchedMemory::finish_copy(std::uintptr_t to, std::uintptr_t from, std::int64_t bytes, std::int64_t valid, const Access& who) {
  Region* const region = find(to);
  const auto first = static_cast<std::int64_t>(to - region->begin) / region->element;
  const auto last = (static_cast<std::int64_t>(to - region->begin) + bytes - 1) / region->element;
  for (std::int64_t i = first; i <= last; ++i) region->cells[static_cast<std::size_t>(i)].copy = Access();
  std::memset(reinterpret_cast<void*>(to), 0, static_cast<std::size_t>(bytes));
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), static_cast<std::size_t>(valid));
  if (valid > 0) check(from, valid, false, who);
  check(to, bytes, true, who);
}

}  // namespace fuselab::simt
