// SPDX-License-Identifier: Apache-2.0
#include "core/select/workload_characteristics.h"

#include <algorithm>

namespace fuselab {
namespace {

bool computes(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
    case Op::kIdentity:
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kSqueeze:
    case Op::kUnsqueeze: return false;
    default: return true;
  }
}

// The heaviest kind of access decides what the piece is.
OperationType primary_of(const Graph& graph) {
  bool maps = false;
  bool reduces = false;
  for (const auto& node : graph.nodes()) {
    switch (info_of(node.op).access) {
      case AccessPattern::kContraction: return OperationType::kContraction;
      case AccessPattern::kOpaque: return OperationType::kGeneric;
      case AccessPattern::kReduction:
      case AccessPattern::kSpatial: reduces = true; break;
      case AccessPattern::kElementWise: maps = true; break;
      case AccessPattern::kMovement:
      case AccessPattern::kGather:
      case AccessPattern::kLeaf: break;
    }
  }
  if (reduces) return OperationType::kReduce;
  return maps ? OperationType::kMap : OperationType::kGeneric;
}

WorkloadCharacteristics array_workload(OperationType type, std::int64_t in, std::int64_t out, DType dtype, double flops) {
  WorkloadCharacteristics workload;
  workload.primary = type;
  workload.elements = out;
  workload.read = packed_size(dtype, in);
  workload.written = packed_size(dtype, out);
  workload.arithmetic = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  workload.flops = flops * static_cast<double>(in);
  workload.operators = 1;
  workload.parallelism = in;
  return workload;
}

}  // namespace

std::string_view name_of(OperationType type) {
  switch (type) {
    case OperationType::kMap: return "map";
    case OperationType::kReduce: return "reduce";
    case OperationType::kFilter: return "filter";
    case OperationType::kContraction: return "contraction";
    case OperationType::kGeneric: return "generic";
  }
  return "generic";
}

Result<WorkloadCharacteristics> characterize(const Graph& graph) {
  FL_TRY(const auto cost, cost_of(graph));
  WorkloadCharacteristics workload;
  workload.primary = primary_of(graph);
  workload.read = cost.read;
  workload.written = cost.written;
  workload.flops = cost.flops;
  workload.arithmetic = arithmetic_of(graph);
  for (const auto& node : graph.nodes()) {
    workload.operators += computes(node) ? 1 : 0;
    workload.has_random_access = workload.has_random_access || info_of(node.op).access == AccessPattern::kGather;
  }
  for (const ValueId output : graph.outputs()) {
    FL_TRY(const std::int64_t elements, element_count(graph.type(output).shape));
    workload.elements += elements;
    workload.parallelism = std::max(workload.parallelism, elements);
  }
  return workload;
}

WorkloadCharacteristics map_workload(std::int64_t elements, DType dtype, double flops_per_element) {
  return array_workload(OperationType::kMap, elements, elements, dtype, flops_per_element);
}

WorkloadCharacteristics reduce_workload(std::int64_t elements, DType dtype, double flops_per_element) {
  return array_workload(OperationType::kReduce, elements, 1, dtype, flops_per_element);
}

WorkloadCharacteristics filter_workload(std::int64_t elements, DType dtype, double flops_per_element) {
  return array_workload(OperationType::kFilter, elements, elements, dtype, flops_per_element);
}

std::optional<Nanoseconds> estimate_cost(const WorkloadCharacteristics& workload, const CeilingTable& ceilings) {
  const double bandwidth = ceilings.nearest_bandwidth(1, 1, workload.traffic());
  const double peak = ceilings.peak_flops(workload.arithmetic);
  if (bandwidth <= 0 || (workload.flops > 0 && peak <= 0)) return std::nullopt;
  const double moving = static_cast<double>(workload.traffic().count) / bandwidth;
  const double computing = workload.flops > 0 ? workload.flops / peak : 0;
  return Nanoseconds{std::max(moving, computing) * 1e9};
}

}  // namespace fuselab
