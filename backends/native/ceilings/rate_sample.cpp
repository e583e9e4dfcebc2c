// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/rate_sample.h"

#include <algorithm>

#include "core/platform/system/clock.h"

namespace fuselab::cpu {
namespace {

constexpr int kFewestSamples = 7;
constexpr double kShortestSample = 200'000;  // ns: far above the clock's and the pool's own cost

}  // namespace

Summary sample_rate(double amount, double nanoseconds, const std::function<void()>& work) {
  const auto run = [&](int repetitions) {
    const double start = platform::monotonic_now().count;
    for (int i = 0; i < repetitions; ++i) work();
    return std::max(platform::monotonic_now().count - start, 1.0);
  };
  const double warm = std::min(run(1), run(1));
  const int repetitions = static_cast<int>(std::clamp(kShortestSample / warm, 1.0, 1e6));
  std::vector<double> rates;
  const double until = platform::monotonic_now().count + nanoseconds;
  while (rates.size() < kFewestSamples || platform::monotonic_now().count < until) {
    rates.push_back(amount * repetitions / (run(repetitions) * 1e-9));
  }
  return summarize(rates);
}

double glimpse_rate(double amount, const std::function<void()>& work) {
  work();
  double least = 0;
  for (int i = 0; i < 2; ++i) {
    const double start = platform::monotonic_now().count;
    work();
    const double taken = std::max(platform::monotonic_now().count - start, 1.0);
    least = i == 0 ? taken : std::min(least, taken);
  }
  return amount / (least * 1e-9);
}

std::vector<int> thread_counts(const ThreadPool& pool) {
  std::vector<int> counts;
  for (int n = 1; n < pool.size(); n *= 2) counts.push_back(n);
  counts.push_back(pool.size());
  return counts;
}

}  // namespace fuselab::cpu
