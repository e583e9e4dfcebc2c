// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/group_product.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "backends/emulator/tensor_map.h"

namespace fuselab::simt {
namespace {

constexpr int kDepth = 16, kRows = 64;
constexpr int kSwizzle = 128;

float of_bits(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float bf16_at(std::uintptr_t at) {
  std::uint16_t stored = 0;
  std::memcpy(&stored, reinterpret_cast<const void*>(at), sizeof stored);
  return of_bits(static_cast<std::uint32_t>(stored) << 16);
}

float half_of(unsigned pair, int which) {
  return of_bits(which == 0 ? pair << 16 : pair & 0xffff0000U);
}

// A matrix that fl_matrix_place describes, by its lines (rows of a, columns of b) and steps of depth.
class Matrix {
 public:
  Matrix(std::uintptr_t base, std::uint64_t place, bool along_depth)
      : start_(base + ((place & 0x3fff) << 4)),
        apart_(static_cast<std::int64_t>(place >> 32 & 0x3fff) << 4),
        next_(static_cast<std::int64_t>(place >> 16 & 0x3fff) << 4),
        along_depth_(along_depth) {}
  std::uintptr_t address(int line, int k) const {
    const std::int64_t offset = along_depth_ ? line / 8 * apart_ + line % 8 * 128 + k * 2
                                             : line / 64 * next_ + line % 64 * 2 + k / 8 * apart_ + k % 8 * 128;
    return swizzled(start_ + static_cast<std::uintptr_t>(offset), kSwizzle);
  }
  // The swizzle counts rows from multiples of 1,024 bytes.
  void check(const char* name, int line) const {
    if ((start_ >> 7 & 7) == 0) return;
    report(std::string("the matrix ") + name + place_mark(static_cast<CodePlace>(line)) + " of a warpgroup begins in row " +
           std::to_string(start_ >> 7 & 7) + " behind a multiple of 1024 bytes, where the swizzle has to begin anew");
  }

 private:
  std::uintptr_t start_;
  std::int64_t apart_, next_;
  bool along_depth_;
};

}  // namespace

GroupProduct group_product(const GroupOperands& operands, std::uintptr_t base, int line) {
  const Matrix left(base, operands.a, true), right(base, operands.b, !operands.turned);
  const std::vector<const unsigned*> registers(operands.registers, operands.registers + kGroup);
  const bool placed = registers.front() == nullptr;
  const int columns = operands.columns;
  if (placed) left.check("a", line);
  right.check("b", line);
  GroupProduct product;
  product.sums.assign(operands.sums, operands.sums + kGroup);
  product.sums_each = columns / 2;
  product.in_registers = !placed;
  for (int row = 0; placed && row < kRows; ++row) {
    for (int part = 0; part < 2; ++part) product.reads.emplace_back(left.address(row, part * 8), 16);
  }
  for (int i = 0; i < columns * kDepth / 8; ++i) {
    product.reads.emplace_back(operands.turned ? right.address(i / kDepth * 8, i % kDepth) : right.address(i / 2, i % 2 * 8), 16);
  }
  product.work = [=, keep = operands.keep](std::vector<std::vector<float>>& sums) {
    std::vector<double> a(kRows * kDepth), b(static_cast<std::size_t>(columns * kDepth));
    for (int i = 0; i < kRows * kDepth; ++i) {
      const int row = i / kDepth, k = i % kDepth;
      const auto thread = static_cast<std::size_t>(row / 16 * kWarp + row % 8 * 4 + k % 8 / 2);
      a[static_cast<std::size_t>(i)] =
          placed ? bf16_at(left.address(row, k)) : half_of(registers[thread][k / 8 * 2 + row / 8 % 2], k % 2);
    }
    for (int i = 0; i < columns * kDepth; ++i) b[static_cast<std::size_t>(i)] = bf16_at(right.address(i / kDepth, i % kDepth));
    for (int thread = 0; thread < kGroup; ++thread) {
      for (int i = 0; i < columns / 2; ++i) {
        const int row = thread / kWarp * 16 + thread % kWarp / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        float& sum = sums[static_cast<std::size_t>(thread)][static_cast<std::size_t>(i)];
        double total = keep ? sum : 0.0;
        for (int k = 0; k < kDepth; ++k)
          total += a[static_cast<std::size_t>(row * kDepth + k)] * b[static_cast<std::size_t>(column * kDepth + k)];
        sum = static_cast<float>(total);
      }
    }
  };
  return product;
}

// Issued, committed in groups and waited for. The sums are out of reach in between: the kernel sees NaN.
void BlockRun::group_issue(GroupProduct product, int line) {
  std::vector<Group>& groups = groups_here();
  if (groups.empty() || groups.back().committed) groups.push_back({take_slot(), {}, false, {}});
  Group& open = groups.back();
  const Access who = slot_access(open.slot, leading_, kGroup, line);
  for (const auto& [at, bytes] : product.reads) {
    memory_.check(at, bytes, false, who);
    check_fenced(at, bytes, who);
  }
  HiddenSums& sums = hidden_[product.sums.front()];
  if ((sums.products == 0 || product.in_registers) && !group_fenced_[static_cast<std::size_t>(leading_ / kGroup)]) {
    report("the warpgroup of " + name_of(leading_) + " multiplies" + place_mark(who.place) +
           " what its threads may still be writing to registers: fl_group_fence is missing");
  }
  for (std::size_t i = 0; sums.products == 0 && i < product.sums.size(); ++i) {
    sums.values.emplace_back(product.sums[i], product.sums[i] + product.sums_each);
    std::fill_n(product.sums[i], product.sums_each, std::numeric_limits<float>::quiet_NaN());
  }
  ++sums.products;
  open.products.push_back(std::move(product));
}

void BlockRun::group_fence() {
  group_fenced_[static_cast<std::size_t>(leading_ / kGroup)] = true;
}

void BlockRun::group_commit() {
  std::vector<Group>& groups = groups_here();
  if (groups.empty() || groups.back().committed) return;
  groups.back().committed = true;
  clocks_.release(groups.back().slot, groups.back().known);
}

void BlockRun::group_wait(int newest) {
  std::vector<Group>& groups = groups_here();
  const auto committed = [&] {
    return std::count_if(groups.begin(), groups.end(), [](const Group& each) { return each.committed; });
  };
  while (committed() > newest) {
    group_fenced_[static_cast<std::size_t>(leading_ / kGroup)] = false;
    const Group& oldest = groups.front();
    for (const GroupProduct& product : oldest.products) {
      const auto found = hidden_.find(product.sums.front());
      product.work(found->second.values);
      if (--found->second.products > 0) continue;
      for (std::size_t i = 0; i < product.sums.size(); ++i) {
        std::copy(found->second.values[i].begin(), found->second.values[i].end(), product.sums[i]);
      }
      hidden_.erase(found);
    }
    for (int i = leading_; i < leading_ + kGroup; ++i) clocks_.acquire(i, oldest.known);
    free_slot(oldest.slot);
    groups.erase(groups.begin());
  }
}

}  // namespace fuselab::simt
