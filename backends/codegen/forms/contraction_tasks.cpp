// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/contraction_tasks.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"

#include <algorithm>
#include <limits>

namespace fuselab::codegen {
namespace {

// These costs count multiply-adds of one element, as they run at the arithmetic ceiling; they come from kernels measured on one
// machine (resources/docs/results/fusion.md).
constexpr double kSimpleOperation = 4;
constexpr double kBringTogether = 45;  // one element of the right operand, from beyond the nearest caches into the strip
constexpr double kStartTask = 4096;
// Rows of a computed left operand are kept until all columns have read them: what caches hold.
constexpr std::int64_t kMostRowsBytes = std::int64_t{8} << 20;

// Returns what the busiest thread does.
double busiest(const ContractionKernel& kernel, const LaunchConfig& config, std::int64_t rows_per_task, std::int64_t parts) {
  const Contraction& c = kernel.contraction;
  const std::int64_t strip = config.integer("tile_n", 1) * config.integer("vector", 1);
  const bool left = kernel.computes(Side::kLeft);
  const std::int64_t rows = std::min(rows_per_task, c.m);
  const std::int64_t columns = std::min(c.n, left ? ceil_div(ceil_div(c.n, strip), parts) * strip : strip);
  const std::int64_t tasks = c.batches() * ceil_div(c.m, rows) * ceil_div(c.n, columns);
  const double computed = kSimpleOperation * kernel.prologue_operations * static_cast<double>(left ? rows : columns);
  const double brought = config.integer("pack", 0) != 0 ? kBringTogether * static_cast<double>(columns) : 0.0;
  const double each = static_cast<double>(c.k) * (static_cast<double>(rows * columns) + brought + computed) + kStartTask;
  return each * static_cast<double>(ceil_div(tasks, config.integer("threads", 1)));
}

}  // namespace

void settle_tasks(const ContractionKernel& kernel, const ParameterSpace& space, LaunchConfig& config) {
  const Contraction& c = kernel.contraction;
  double least = std::numeric_limits<double>::infinity();
  const LaunchConfig wished = config;
  for (const std::int64_t rows : values_of(space, "rows_per_task", c.m)) {
    const bool kept = !kernel.computes(Side::kLeft) || least == std::numeric_limits<double>::infinity() ||
                      std::min(rows, c.m) * c.k * bits_of(c.compute) / 8 <= kMostRowsBytes;
    if (!kept || rows < config.integer("tile_m", 1)) continue;
    for (const std::int64_t parts : values_of(space, "column_parts")) {
      const double work = busiest(kernel, wished, rows, parts);
      if (work >= least) continue;
      least = work;
      config.set("rows_per_task", rows);
      if (kernel.computes(Side::kLeft)) config.set("column_parts", parts);
    }
  }
}

}  // namespace fuselab::codegen
