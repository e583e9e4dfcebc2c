// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fusion/match/fusion_limits.h"
#include "core/graph/graph.h"
#include "core/kernel/optimization_level.h"
#include "core/ops/cost.h"

namespace fuselab {

// What a group of operators looks like as one kernel (C16 and the additions).
enum class FusionPatternType {
  kSingle,  // one operator, nothing to fuse with
  kElementWise,
  kReductionThenElementWise,
  kConvActivation,
  kConvBatchNorm,
  kLinearActivation,
  kNormalization,
  kSoftmax,
  kRotaryEmbedding,
  kSwiGlu,
  kResidualNorm,
  kAttention,
  kMixed,
  kOpaque,  // a barrier: kept, never measured
};
std::string_view name_of(FusionPatternType pattern);
Result<FusionPatternType> parse_fusion_pattern(std::string_view name);

// kConservative joins fewer patterns; kAggressive joins as kMedium does and stands for the larger limits of O3.
enum class FusionAggressiveness { kConservative, kMedium, kAggressive };

// How many operators more than a group that grew a recognised pattern may have: people mean one operator by it, and the norm that
// ONNX writes out has eleven.
inline constexpr int kPatternAllowance = 6;

// C12. Derived from an OptimizationLevel by options_for(); each field may be overridden.
struct FusionOptions {
  bool enable_fusion = true;
  int max_fusion_ops = 10;     // operators in one group, constants and views not counted; see kPatternAllowance
  int min_benefit_score = 50;  // see benefit_score()
  bool enable_batch_norm_folding = true;
  bool enable_conv_activation_fusion = true;
  bool enable_attention_fusion = true;
  bool enable_transposed_operands =
      false;                           // the swap of a MatMul operand's last two axes as part of its kernel: none generates it yet
  bool enable_prologue_fusion = true;  // where every asked backend takes it and it pays
  bool enable_recomputation = true;    // of what several pieces read, where it pays
  FusionAggressiveness aggressiveness = FusionAggressiveness::kMedium;
  std::vector<BackendLimits> asked = {};  // pieces are what each of these can write; empty: what those that come with Fuselab can
};
FusionOptions options_for(OptimizationLevel level);

// Why two neighbours stayed apart: one per producer-consumer pair that ended in different groups.
struct FusionRejected {
  std::string producer;  // node name or its canonical value
  std::string consumer;
  std::string reason;        // "MatMul reads all of Softmax's row: needs attention fusion, which is off"
  NodeId from{}, to{};       // the same two in the graph: names may be shared
  std::string backend = {};  // whose limit it is; empty: a rule of fusion itself
};

// One piece of a model: what a backend is asked to run as one kernel.
struct FusedOperation {
  std::string id;    // first 12 digits of graph_key(graph): equal pieces have equal ids
  std::string name;  // "layer.0/attention/softmax": from the node names, for people
  FusionPatternType pattern = FusionPatternType::kSingle;
  Graph graph;                // extracted
  std::vector<NodeId> nodes;  // in the whole graph
  int count = 1;              // how often this very piece occurs in the model (after deduplication)
  std::string prologue;       // why and at what cost a contraction computes an operand of its own; empty: it does not
  Cost cost;                  // of `graph`; zero when the piece is opaque or symbolic
};

// An intermediate that several pieces read: written once, or computed in each of them.
struct SharedIntermediate {
  std::string producer;  // node name
  NodeId node{};         // in FusionResult::graph
  int pieces = 0;        // that read it, its own among them where it does
  bool recomputed = false;
  std::string reason;     // "stored once: …" or "computed in each piece: …", with the numbers
  Bytes saved;            // by computing it anew, less in traffic; where that was weighed and is some
  double operations = 0;  // simple ones, more
};

// R33, with the rejections really filled in.
struct FusionResult {
  Graph graph;                  // the whole; what is computed in several pieces stands in it once for each
  std::vector<NodeId> origins;  // by node of `graph`: which node of the given graph it is or repeats; empty: it is that graph
  // Whether a node repeats another one, which stands before it.
  bool repeats(NodeId node) const {
    const auto place = static_cast<std::size_t>(node);
    return place > 0 && place < origins.size() && origins[place] == origins[place - 1];
  }
  NodeId origin(NodeId node) const { return origins.empty() ? node : origins.at(static_cast<std::size_t>(node)); }
  std::vector<FusedOperation> operations;  // every node that an output needs is in exactly one; groups in topological order
  int original_op_count = 0;
  int fused_op_count = 0;
  std::vector<FusionRejected> rejected;
  std::vector<SharedIntermediate> shared;
  double covered_share = 1;                         // share of the nodes that are not opaque
  std::chrono::system_clock::time_point started{};  // when fuse() began, and how long it took
  std::chrono::nanoseconds took{};
  std::vector<std::string> notes;  // for people: what whoever read the graph left out or changed, and where fuse() gave up
};

}  // namespace fuselab
