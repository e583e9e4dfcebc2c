// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/byte_product.h"

#include <algorithm>

#include "backends/codegen/forms/contraction_prologue.h"
#include "backends/codegen/rows/row_builder.h"
#include "core/cost/memory_of.h"
#include "core/ops/infer.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kDeepest = 1 << 20;  // a strip of the right operand lies in a thread's scratch

std::optional<int> input_position(const Graph& graph, ValueId value) {
  const auto& inputs = graph.inputs();
  const auto found = std::find(inputs.begin(), inputs.end(), memory_of(graph, value));
  return found == inputs.end() ? std::nullopt : std::optional(static_cast<int>(found - inputs.begin()));
}

Result<ByteSource> source_of(const Graph& graph, const Node& node, const ByteOperand& operand) {
  const auto bytes = input_position(graph, operand.bytes);
  const auto zero = operand.zero ? input_position(graph, *operand.zero) : std::nullopt;
  if (!bytes || (operand.zero && !zero))
    return unsupported(node, "8-bit numbers that the kernel itself computes are not generated");
  return ByteSource{*bytes, zero};
}

Result<RowProgram> epilogue_of(const Graph& graph, const Node& node, const IntegerProduct& product) {
  const ValueId made = node.outputs.front();
  const auto readers = graph.consumers(made);
  const Node* const cast = readers.size() == 1 ? &graph.node(readers.front()) : nullptr;
  if (cast == nullptr || cast->op != Op::kCast || graph.is_output(made) || !is_floating(graph.type(cast->outputs.front()).dtype))
    return unsupported(node, "whole numbers that others read are not generated: behind a product of 8-bit ones a Cast to reals is");
  std::vector<NodeId> after;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const bool before = std::binary_search(product.makers.begin(), product.makers.end(), id) || &graph.node(id) == &node;
    if (!before && graph.node(id).op != Op::kConstant) after.push_back(id);
  }
  FL_TRY(RowProgram program, rows_behind(graph, after, cast->outputs.front(), 1));
  if (program.cols != product.columns || program.rows() != product.rows)
    return unsupported(node, "the operators behind it have another shape");
  if (program.compute != DType::kF32) return unsupported(node, "double precision behind whole numbers is not generated");
  return program;
}

}  // namespace

Result<ByteProductKernel> make_byte_product(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  ByteProductKernel kernel;
  const Node* core = nullptr;
  for (const Node& node : graph.nodes()) {
    if (info_of(node.op).access != AccessPattern::kContraction) continue;
    if (core != nullptr) return unsupported(node, "a second contraction in one kernel is not generated yet");
    core = &node;
  }
  const auto product = core == nullptr ? std::nullopt : integer_product_of(graph, *core);
  if (!product) return Error{ErrorCode::kUnsupported, "no product of 8-bit numbers"};
  if (product->rows == 0 || product->columns == 0 || product->depth == 0) return unsupported(*core, "a tensor without elements");
  if (product->depth > kDeepest) return unsupported(*core, "sums of more than 1 Mi products are not generated");
  kernel.product = *product;
  FL_TRY(kernel.a, source_of(graph, *core, product->a));
  FL_TRY(kernel.b, source_of(graph, *core, product->b));
  const bool alone = graph.outputs().size() == 1 && graph.outputs().front() == core->outputs.front();
  if (alone) return kernel;
  FL_TRY(kernel.epilogue, epilogue_of(graph, *core, *product));
  return kernel;
}

}  // namespace fuselab::codegen
