// SPDX-License-Identifier: Apache-2.0
#include "core/measure/canary_watch.h"

#include <algorithm>
#include <cstdio>

#include "core/stats/statistics.h"

namespace fuselab {
namespace {

std::string slower(const char* what, double slowdown, std::size_t blocks) {
  char text[128];
  std::snprintf(text, sizeof text, "%s took %.2f times as long as in the best of the last %zu blocks", what, slowdown, blocks);
  return text;
}

}  // namespace

double CanaryWatch::Recent::slowdown(const std::vector<double>& times) {
  const double median = summarize(times).median;
  const double best = medians.empty() ? median : *std::min_element(medians.begin(), medians.end());
  medians.push_back(median);
  if (medians.size() > kRemembered) medians.pop_front();
  return best > 0 ? median / best : 1;
}

std::string CanaryWatch::judge(const CanaryTimes& times) {
  const double compute = times.compute.empty() ? 1 : compute_.slowdown(times.compute);
  const double memory = times.memory.empty() ? 1 : memory_.slowdown(times.memory);
  std::string why;
  if (compute > kComputeBound) why = slower("fixed arithmetic", compute, compute_.medians.size());
  if (memory > kMemoryBound) why += (why.empty() ? "" : "; ") + slower("reading memory", memory, memory_.medians.size());
  return why;
}

}  // namespace fuselab
