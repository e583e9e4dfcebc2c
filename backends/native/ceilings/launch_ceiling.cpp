// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/launch_ceiling.h"

#include "backends/host/pinned_scope.h"
#include "backends/native/ceilings/rate_sample.h"
#include "backends/native/threads/loaded_module.h"

namespace fuselab::cpu {
namespace {

void nothing(void* const*, void*, std::int64_t, std::int64_t) {}

}  // namespace

std::vector<Ceiling> measure_launch_ceilings(ThreadPool& pool, double seconds) {
  // Through a pointer that nobody knows, as the code of a generated kernel is called.
  volatile KernelFunction unknown = nothing;
  const KernelFunction kernel = unknown;
  const std::vector<int> counts = thread_counts(pool);
  const double share = seconds * 1e9 / static_cast<double>(counts.size());
  const host::PinnedScope pinned(pool.first_cpu());
  std::vector<Ceiling> rows;
  for (const int threads : counts) {
    const Summary rate =
        sample_rate(1, share, [&] { pool.run(threads, [&](int thread) { kernel(nullptr, nullptr, thread, thread + 1); }); });
    rows.push_back({"launch", 0, 0, false, {0}, threads, rate.p90, rate.median, rate.maximum});
  }
  return rows;
}

}  // namespace fuselab::cpu
