// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/normed_rows.h"

#include <algorithm>

namespace fuselab {
namespace {

constexpr std::int64_t kFewRowsAtMost = 16;  // normalising them first costs little

Prologue no_norm(std::string reason, std::string backend = {}) {
  return {Refusal{std::move(reason), std::move(backend)}, {}};
}

bool has_symbol(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is_symbol(); });
}

// Returns what keeps the norm itself from a kernel of products, or an empty text.
std::string unlike(const GraphIndex& index, const Node& norm) {
  const TensorType &x = index.type(norm.inputs[0]), &scale = index.type(norm.inputs[1]);
  const std::int64_t axis = norm.attributes.integer("axis", -1), rank = static_cast<std::int64_t>(x.shape.size());
  if ((axis != -1 && axis != rank - 1) || scale.shape.size() != 1) return "it normalises more than the last axis";
  // Before they are scaled, products of numbers that another type does not reach would overflow.
  if (x.dtype != DType::kBF16 || scale.dtype != DType::kBF16) return "kernels of products normalise rows of bf16 only";
  if (has_symbol(x.shape)) return "whether that pays is known only with all extents";
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < x.shape.size(); ++i) rows *= x.shape[i].extent();
  return rows <= kFewRowsAtMost ? "so few rows are normalised before" : "";
}

}  // namespace

Prologue consider_normed_rows(const GraphIndex& index, const FusionOptions& options, std::span<const NodeId> a_nodes,
                              const Group& b) {
  const std::string loops = "the loops do not match";
  const Node& norm = index.node(a_nodes.back());
  if (options.asked.empty() || a_nodes.size() != 1 || norm.op != Op::kRMSNormalization || b.form != Form::kMatrix)
    return no_norm(loops);
  for (const BackendLimits& each : options.asked) {
    if (!each.limits.takes_normed_rows) return no_norm(loops, each.backend);
  }
  if (!options.enable_prologue_fusion) return no_norm("prologue fusion is off");
  if (std::string why = unlike(index, norm); !why.empty()) return no_norm(std::move(why));
  if (!b.prologue.empty()) return no_norm("the kernel computes an operand already");
  const ValueId made = norm.outputs.front();
  for (const NodeId reader : index.readers(made)) {
    const Node& node = index.node(reader);
    const bool is_left = (reader == b.anchor || reader == b.twin) && node.inputs[0] == made && node.inputs[1] != made;
    if (!is_left || node.attributes.integer("transA", 0) != 0 || index.type(node.inputs[1]).dtype != DType::kBF16)
      return no_norm("others read the normalised rows, too: they have to be written anyway");
  }
  if (index.is_output(made)) return no_norm("the normalised rows are an output: they have to be written anyway");
  return {std::nullopt, "RMSNormalization's factor of a row is found while " + std::string(name_of(index.node(*b.anchor).op)) +
                            " reads the row, and scales its sums"};
}

}  // namespace fuselab
