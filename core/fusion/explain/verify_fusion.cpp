// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/explain/verify_fusion.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "core/fusion/partition/fusion_engine.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab {
namespace {

// The piece's outputs, made operator by operator with every result as its element type holds it.
Result<std::vector<RealTensor>> run_one_by_one(const Graph& graph, const std::vector<RealTensor>& inputs) {
  std::map<ValueId, RealTensor> known;
  for (std::size_t i = 0; i < inputs.size(); ++i) known[graph.inputs()[i]] = inputs[i];
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.op == Op::kConstant) continue;  // copied into whoever reads it
    Graph single;
    std::vector<ValueId> operands;
    std::vector<RealTensor> arguments;
    for (const ValueId input : node.inputs) {
      if (const auto found = known.find(input); found != known.end()) {
        operands.push_back(single.add_input("", graph.type(input)));
        arguments.push_back(found->second);
        continue;
      }
      FL_TRY(const NodeId constant, single.add_node(Op::kConstant, {}, graph.node(*graph.value(input).producer).attributes));
      operands.push_back(single.node(constant).outputs.front());
    }
    FL_TRY(const NodeId added, single.add_node(node.op, operands, node.attributes, std::vector<std::string>(node.outputs.size())));
    for (const ValueId output : single.node(added).outputs) single.add_output(output);
    FL_TRY(std::vector<RealTensor> results, evaluate_reference(single, arguments));
    for (std::size_t k = 0; k < results.size(); ++k) {
      round_to_dtype(results[k]);
      known[node.outputs[k]] = std::move(results[k]);
    }
  }
  std::vector<RealTensor> outputs;
  for (const ValueId output : graph.outputs()) outputs.push_back(known.at(output));
  return outputs;
}

bool same_types(const Graph& a, std::span<const ValueId> of_a, const Graph& b, std::span<const ValueId> of_b) {
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [&](ValueId x, ValueId y) { return a.type(x) == b.type(y); });
}

// `operators`: the piece's nodes as the whole graph has them.
Result<Verification> verify_once(const Graph& piece, const Graph& operators, std::uint64_t seed) {
  InputSpec spec;
  spec.seed = seed;
  const std::vector<RealTensor> inputs = make_inputs(piece, spec);
  FL_TRY(const auto expected, expected_outputs(piece, inputs, seed));
  FL_TRY(const auto sequential, run_one_by_one(operators, inputs));
  return compare_outputs(piece, expected, sequential);
}

std::string objection(const FusedOperation& piece) {
  if (!piece.graph.is_concrete()) return "its extents are not known: give a --shape";
  if (piece.cost.flops > kSampledAboveFlops) return "it takes more than 2 GFLOP";
  return "";
}

void leave_out(FusionVerification& verification, const FusedOperation& piece, const std::string& why) {
  if (verification.left_out++ == 0) verification.why_left_out = piece.name + ": " + why;
}

int running_operators(const Graph& graph) {
  return static_cast<int>(std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                        [](const Node& node) { return node.op != Op::kConstant && !is_view(node.op); }));
}

}  // namespace

FusionVerification verify_fusion(const FusionResult& fusion, int cases, std::uint64_t seed) {
  FusionVerification verification;
  double sum = 0;
  for (const FusedOperation& piece : deduplicate(fusion.operations)) {
    if (piece.pattern == FusionPatternType::kOpaque || running_operators(piece.graph) < 2) continue;
    if (const std::string why = objection(piece); !why.empty()) {
      leave_out(verification, piece, why);
      continue;
    }
    ++verification.pieces;
    const Graph operators = extract(fusion.graph, piece.nodes);
    if (!same_types(piece.graph, piece.graph.inputs(), operators, operators.inputs()) ||
        !same_types(piece.graph, piece.graph.outputs(), operators, operators.outputs())) {
      if (verification.passed) verification.detail = piece.name + ": it reads or makes something else than its operators";
      verification.passed = false;
      continue;
    }
    for (int i = 0; i < cases; ++i) {
      const auto found = verify_once(piece.graph, operators, seed + static_cast<std::uint64_t>(i));
      if (!found.ok()) {
        --verification.pieces;
        leave_out(verification, piece, found.error().message);
        break;
      }
      const Verification& once = found.value();
      ++verification.test_cases;
      verification.max_error = std::max(verification.max_error, once.max_error);
      verification.worst_ratio = std::max(verification.worst_ratio, once.worst_ratio);
      sum += once.mean_error;
      if (!once.passed && verification.passed) verification.detail = piece.name + ": " + once.detail;
      verification.passed = verification.passed && once.passed;
    }
  }
  if (verification.test_cases > 0) verification.mean_error = sum / verification.test_cases;
  return verification;
}

}  // namespace fuselab
