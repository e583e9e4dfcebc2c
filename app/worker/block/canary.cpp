// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/canary.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "app/worker/block/cache_lines.h"
#include "core/platform/system/clock.h"

namespace fuselab::worker {
namespace {

constexpr std::size_t kReadWords = Canary::kReadBytes / sizeof(std::uint64_t);
// Side by side, enough to keep the arithmetic units busy: another thread on the same core takes half of them away, which it would
// not of one chain.
constexpr std::size_t kChains = 16;
constexpr int kSteps = 1600;  // 3 to 6 µs on processors of 2020 to 2025

}  // namespace

bool Canary::can_read_memory() {
  return can_empty_caches();
}

Canary::Canary(int reads) {
  if (reads <= 0 || !can_read_memory()) return;
  memory_.assign(static_cast<std::size_t>(std::min(reads, kMostReads)) * kReadWords, 1);
  empty_from_caches(std::as_bytes(std::span(memory_)));
}

void Canary::sing() {
  compute();
  if (next_ < memory_.size()) read_next();
}

void Canary::compute() {
  std::array<double, kChains> chains{};
  chains.fill(sum_);
  keep(chains);
  const double start = platform::monotonic_now().count;
  for (int step = 0; step < kSteps; ++step) {
    for (double& chain : chains) chain = chain * 0.999 + 0.001;
  }
  keep(chains);
  times_.compute.push_back(platform::monotonic_now().count - start);
}

void Canary::read_next() {
  const auto begin = memory_.begin() + static_cast<std::ptrdiff_t>(next_);
  const double start = platform::monotonic_now().count;
  auto sum = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(kReadWords), std::uint64_t{0});
  keep(sum);
  times_.memory.push_back(platform::monotonic_now().count - start);
  next_ += kReadWords;
}

}  // namespace fuselab::worker
