// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/cost/cost.h"
#include "core/graph/graph.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab {

// The dominant kind of operation of a piece (R166, as far as it applies to tensor graphs).
enum class OperationType { kMap, kReduce, kFilter, kContraction, kGeneric };
std::string_view name_of(OperationType type);

// The facts that decide where a piece of work should run (R167), with S4's four-step intensity replaced by FLOP per compulsory
// byte. A value type, made in well under 100 µs (R204).
struct WorkloadCharacteristics {
  OperationType primary = OperationType::kGeneric;
  std::int64_t elements = 0;  // of all outputs
  Bytes read, written;        // compulsory: every input once, every output once
  double flops = 0;
  int operators = 0;               // operators that compute; views and constants are not counted
  DType arithmetic = DType::kF32;  // type of the arithmetic, as far as rates differ: f64 or f32
  bool has_random_access = false;
  std::int64_t parallelism = 0;  // independent output elements

  Bytes traffic() const { return {read.count + written.count}; }
  double intensity() const { return traffic().count > 0 ? flops / static_cast<double>(traffic().count) : 0; }
  double operations_per_element() const { return elements > 0 ? flops / static_cast<double>(elements) : 0; }
  bool is_fusible() const { return operators > 1; }
  // Returns true when traffic bounds it on a machine that does `flops_per_byte` operations in the time of one byte.
  bool is_memory_bound(double flops_per_byte) const { return intensity() < flops_per_byte; }
};

// Returns the characteristics of a concrete graph.
Result<WorkloadCharacteristics> characterize(const Graph& graph);

// These make work that is not a graph (R168): one array in, and one array (map), one value (reduce) or at most one array (filter)
// out.
WorkloadCharacteristics map_workload(std::int64_t elements, DType dtype, double flops_per_element);
WorkloadCharacteristics reduce_workload(std::int64_t elements, DType dtype, double flops_per_element);
WorkloadCharacteristics filter_workload(std::int64_t elements, DType dtype, double flops_per_element);

// Returns roughly the least time that the device's measured ceilings allow: S4's dimensionless cost in nanoseconds. It is an
// estimate: the bandwidth is that of the nearest size that was measured, however far away. Returns nothing when none was.
std::optional<Nanoseconds> estimate_cost(const WorkloadCharacteristics& workload, const CeilingTable& ceilings);

}  // namespace fuselab
