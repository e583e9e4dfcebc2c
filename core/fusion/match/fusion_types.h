// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/cost.h"
#include "core/fusion/match/fusion_limits.h"
#include "core/graph/graph.h"
#include "core/kernel/optimization_level.h"

namespace fuselab {

// The kind of kernel that a group of operators makes (C16 and the additions).
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
  kWholeModel,  // all operators of a model at once, for stacks that take models as they are; fusion makes none
  kOpaque,      // a barrier: kept, never measured
};
std::string_view name_of(FusionPatternType pattern);
Result<FusionPatternType> parse_fusion_pattern(std::string_view name);

// kConservative joins fewer patterns; kAggressive joins as kMedium does and marks the larger limits of O3.
enum class FusionAggressiveness { kConservative, kMedium, kAggressive };

// The number of operators by which a group that grew from a recognised pattern may exceed the limit: people see the pattern as one
// operator, and the norm that ONNX writes out has eleven.
inline constexpr int kPatternAllowance = 6;

// Options of fusion (C12), derived from an OptimizationLevel by options_for(); each field may be overridden.
struct FusionOptions {
  bool enable_fusion = true;
  int max_fusion_ops = 10;     // operators in one group, constants and views not counted; see kPatternAllowance
  int min_benefit_score = 50;  // see benefit_score()
  bool enable_batch_norm_folding = true;
  bool enable_conv_activation_fusion = true;
  bool enable_attention_fusion = true;
  bool enable_transposed_operands =
      false;                           // the swap of a MatMul operand's last two axes as part of its kernel: none generates it yet
  bool enable_prologue_fusion = true;  // computes operands in the contraction where every asked backend accepts it and it pays
  bool enable_recomputation = true;    // computes a value again in each of several pieces that read it, where it pays
  FusionAggressiveness aggressiveness = FusionAggressiveness::kMedium;
  std::vector<BackendLimits> asked = {};  // pieces are what each of these can write; empty: what those that come with Fuselab can
};
FusionOptions options_for(OptimizationLevel level);

// The reason why two neighbours stayed apart: one per producer-consumer pair that ended in different groups.
struct FusionRejected {
  std::string producer;  // node name or its canonical value
  std::string consumer;
  std::string reason;        // "MatMul reads all of Softmax's row: needs attention fusion, which is off"
  NodeId from{}, to{};       // the same two as nodes of the graph, since names may be shared
  std::string backend = {};  // the backend whose limit it is; empty: a rule of fusion itself
};

// One piece of a model: the unit that a backend is asked to run as one kernel.
struct FusedOperation {
  std::string id;    // first 12 digits of graph_key(graph): equal pieces have equal ids
  std::string name;  // "layer.0/attention/softmax": from the node names, for people
  FusionPatternType pattern = FusionPatternType::kSingle;
  Graph graph;                // extracted from the whole
  std::vector<NodeId> nodes;  // in the whole graph
  int count = 1;              // number of equal pieces in the model (after deduplication)
  std::string prologue;       // why and at what cost a contraction computes an operand of its own; empty: it does not
  Cost cost;                  // cost of `graph`; zero when the piece is opaque or symbolic
};

// An intermediate that several pieces read: written once, or computed in each of them.
struct SharedIntermediate {
  std::string producer;  // node name
  NodeId node{};         // in FusionResult::graph
  int pieces = 0;        // pieces that read it, its own included if it does
  bool recomputed = false;
  std::string reason;     // "stored once: …" or "computed in each piece: …", with the numbers
  Bytes saved;            // traffic saved by computing it anew; 0 where that was not weighed or saves nothing
  double operations = 0;  // additional simple operations
};

struct BranchCounts {
  int operators = 0;
  int barriers = 0;  // those of them that were not understood
};

// An If whose condition is computed: one of its branches is taken, and nobody knows which.
struct EitherBranch {
  std::string node;  // "node 'x'"
  BranchCounts then_branch, else_branch;
};

// What reading a model did with it, in numbers. All zero for a graph that was typed.
struct ImportCounts {
  std::vector<EitherBranch> either;
  int loops = 0;             // that were written out
  int trips = 0;             // of all of them
  int folded_constants = 0;  // operators whose results were known and are no operators any more
  int folded_norms = 0;      // BatchNormalizations that went into weights, at O2 and above
  int folded_weights = 0;    // operators over weights alone that became weights, at O2 and above
  int passed_on = 0;         // operators that only give their operand another name, such as a Cast to the same type
  // A sentence for each fold: "BatchNormalization 'bn1' folded into the weights of Conv 'conv1'". Of very many the first are
  // listed.
  std::vector<std::string> fold_notes;
  int fold_count() const { return folded_constants + folded_norms + folded_weights + passed_on; }
};

// Operators that are not run, for one reason: "Resize ×3".
struct NotRun {
  std::string op;
  std::string reason;
  std::string first;  // the name of the first of them
  int count = 0;
  std::string device = {};  // set when this device does not run what another runs; empty: no device runs it
};

// The result of fuse() (R33), with the rejections filled in.
struct FusionResult {
  Graph graph;  // the whole graph; a node computed in several pieces occurs once for each
  // The node of the given graph that each node of `graph` is or repeats, by node of `graph`. Empty: both graphs are the same.
  std::vector<NodeId> origins;
  // Returns true when a node repeats the node directly before it.
  bool repeats(NodeId node) const {
    const auto place = static_cast<std::size_t>(node);
    return place > 0 && place < origins.size() && origins[place] == origins[place - 1];
  }
  NodeId origin(NodeId node) const { return origins.empty() ? node : origins.at(static_cast<std::size_t>(node)); }
  std::vector<FusedOperation> operations;  // every node that an output needs is in exactly one; in topological order
  int original_op_count = 0;
  int fused_op_count = 0;
  std::vector<FusionRejected> rejected;
  std::vector<SharedIntermediate> shared;
  double covered_share = 1;  // share of the nodes that are not opaque: that were read
  // Share of the nodes that a device can run, and the others. fuse() leaves it empty, as does who asks no device, or has open
  // extents.
  std::optional<double> runnable_share;
  std::vector<NotRun> not_runnable;
  std::chrono::system_clock::time_point started{};  // when fuse() began; `took` is its duration
  std::chrono::nanoseconds took{};
  ImportCounts imported;           // of the model that the graph was read from
  std::vector<std::string> notes;  // for people: what the reader of the graph left out or changed, and where fuse() gave up
};

}  // namespace fuselab
