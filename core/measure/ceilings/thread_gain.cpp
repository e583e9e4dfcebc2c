// SPDX-License-Identifier: Apache-2.0
#include "core/measure/ceilings/thread_gain.h"

#include <algorithm>

namespace fuselab {

std::optional<ThreadGain> thread_gain(const std::vector<Ceiling>& rows) {
  ThreadGain gain;
  // Rows without a form count a GPU's threads in a group, not a processor's.
  const auto counts = [](const Ceiling& row) { return row.kind == "flops" && !row.form.empty(); };
  for (const Ceiling& row : rows) {
    if (counts(row)) gain.threads = std::max(gain.threads, row.threads);
  }
  if (gain.threads < 2) return std::nullopt;
  for (const Ceiling& row : rows) {
    if (!counts(row)) continue;
    if (row.threads == 1) gain.one_per_second = std::max(gain.one_per_second, row.per_second);
    if (row.threads == gain.threads) gain.all_per_second = std::max(gain.all_per_second, row.per_second);
  }
  return gain.one_per_second > 0 ? std::optional(gain) : std::nullopt;
}

}  // namespace fuselab
