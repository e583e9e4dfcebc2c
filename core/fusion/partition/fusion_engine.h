// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/support.h"
#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// Cuts a DAG into fused operations: patterns by priority (attention, conv+batch-norm, contractions with epilogues, norms
// and softmax with what surrounds them), then element-wise growth, as long as a group stays acyclic, legal and pays.
Result<FusionResult> fuse(const Graph& graph, const FusionOptions& options);

// Keeps equal pieces once, with their counts, in order of first occurrence.
std::vector<FusedOperation> deduplicate(std::vector<FusedOperation> operations);

// States whether these nodes may form one group: connected, no path that leaves and re-enters, compatible access patterns and
// dtypes, no opaque node, within the options' limits. The reason names the pair.
Support can_fuse(const Graph& graph, std::span<const NodeId> nodes, const FusionOptions& options);

// The subject of a finding (C22). All tensors are dense and row-major, so no layout can be wrong; the number of threads of a block
// belongs to a kernel's parameter space.
enum class FusionConstraint {
  kDataFlow,
  kNumericalPrecision,
  kOnChipMemory,
  kSideEffect,
  kControlFlow,
  kMemoryAccessPattern,
};
std::string_view name_of(FusionConstraint constraint);

// Structural errors and doubts about a fused operation (C11, C14, C22).
struct FusionValidation {
  struct Finding {
    FusionConstraint constraint = FusionConstraint::kDataFlow;
    bool is_error = false;
    std::string text;
  };
  std::vector<Finding> findings;
  std::vector<std::string> errors;  // texts of the findings, by severity
  std::vector<std::string> warnings;
  bool valid() const { return errors.empty(); }

  void fail(FusionConstraint constraint, std::string text);
  void warn(FusionConstraint constraint, std::string text);
};
FusionValidation validate(const FusedOperation& operation, const FusionLimits& limits = {});

// Returns the expected worth of a piece: the percentage of the traffic between its operators that one kernel avoids, plus 5 per
// launch saved, at most 100; 0 for one operator. Concrete sizes are taken into account where they are known.
int benefit_score(const Graph& piece);

}  // namespace fuselab
