// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/joined_product.h"

#include <algorithm>
#include <vector>

#include "backends/codegen/forms/contraction_prologue.h"
#include "backends/codegen/rows/row_builder.h"
#include "core/cost/memory_of.h"

namespace fuselab::codegen {
namespace {

using Nodes = std::vector<NodeId>;

template <typename Wanted>
Nodes nodes_that(const Graph& graph, const Wanted& wanted) {
  Nodes found;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (wanted(static_cast<NodeId>(i), graph.nodes()[i])) found.push_back(static_cast<NodeId>(i));
  }
  return found;
}

Nodes products_of(const Graph& graph) {
  return nodes_that(graph, [](NodeId, const Node& node) { return node.op == Op::kMatMul || node.op == Op::kGemm; });
}

Nodes norms_of(const Graph& graph) {
  return nodes_that(graph, [](NodeId, const Node& node) { return node.op == Op::kRMSNormalization; });
}

Nodes all_but(const Graph& graph, const Nodes& left_out) {
  return nodes_that(graph, [&](NodeId id, const Node& node) {
    return node.op != Op::kConstant && std::find(left_out.begin(), left_out.end(), id) == left_out.end();
  });
}

// Returns whether the node's result is its sums, which only the kernel reads.
bool is_bare(const Graph& graph, const Node& node) {
  return node.inputs.size() == 2 && node.attributes.real("alpha", 1.0) == 1.0 && !graph.is_output(node.outputs.front());
}

bool are_alike(const Graph& graph, const Node& a, const Node& b) {
  const auto same = [&](const char* name) { return a.attributes.integer(name, 0) == b.attributes.integer(name, 0); };
  return a.op == b.op && a.inputs[0] == b.inputs[0] && same("transA") && same("transB") &&
         graph.type(a.inputs[1]) == graph.type(b.inputs[1]);
}

int input_position(const Graph& graph, ValueId value) {
  const auto& inputs = graph.inputs();
  return static_cast<int>(std::find(inputs.begin(), inputs.end(), memory_of(graph, value)) - inputs.begin());
}

// The second of two products, whichever the kernel can make beside the other.
Result<NodeId> find_twin(const Graph& graph, const Nodes& products) {
  const bool second = is_bare(graph, graph.node(products[1]));
  const NodeId twin = products[second ? 1 : 0];
  const Node &one = graph.node(products[second ? 0 : 1]), &other = graph.node(twin);
  if (!is_bare(graph, other)) return unsupported(other, "is a second contraction, whose result others read or which adds to it");
  if (!are_alike(graph, one, other)) return unsupported(other, "is a second contraction, of another left operand or other extents");
  return twin;
}

Result<RowNorm> make_norm(const Graph& graph, const Node& norm, const Nodes& products) {
  const ValueId made = norm.outputs.front();
  const auto reads = [&](NodeId id) {
    const auto& inputs = graph.node(id).inputs;
    return inputs[0] == made && std::count(inputs.begin(), inputs.end(), made) == 1;
  };
  if (graph.is_output(made) || graph.consumers(made) != products || !std::all_of(products.begin(), products.end(), reads))
    return unsupported(norm, "is read by others than the products");
  const TensorType &x = graph.type(norm.inputs[0]), &scale = graph.type(norm.inputs[1]);
  const std::int64_t axis = norm.attributes.integer("axis", -1);
  if ((axis != -1 && axis + 1 != static_cast<std::int64_t>(x.shape.size())) || scale.shape.size() != 1)
    return unsupported(norm, "normalises more than the last axis");
  if (x.dtype != DType::kBF16 || scale.dtype != DType::kBF16) return unsupported(norm, "kernels of products normalise bf16 only");
  return RowNorm{input_position(graph, norm.inputs[1]), norm.attributes.real("epsilon", 1e-5)};
}

// Returns what follows `core`. What it reads that is no input of the graph is the twin's result.
Result<RowProgram> behind(const Graph& graph, NodeId core, const Nodes& left_out) {
  FL_TRY(RowProgram program, rows_behind(graph, all_but(graph, left_out), graph.node(core).outputs.front(), 1));
  for (RowNode& node : program.nodes) {
    if (node.op != RowOp::kInput || node.input < static_cast<int>(graph.inputs().size())) continue;
    node.input = kTwinInput;
    if (!is_gapless(program, node.access)) return unsupported(graph.node(core), "reads the second product in another order");
  }
  return program;
}

}  // namespace

bool joins_products(const Graph& graph) {
  return products_of(graph).size() == 2 || !norms_of(graph).empty();
}

Result<JoinedProduct> make_joined_product(const Graph& graph) {
  const Nodes products = products_of(graph), norms = norms_of(graph);
  if (products.empty() || products.size() > 2 || norms.size() > 1)
    return Error{ErrorCode::kUnsupported, "a kernel has one or two products, and one norm"};
  JoinedProduct made;
  NodeId core = products.front();
  Nodes left_out = norms;
  ValueId left = graph.node(core).inputs[0];
  if (!norms.empty()) {
    const Node& norm = graph.node(norms.front());
    FL_TRY(made.norm, make_norm(graph, norm, products));
    left = norm.inputs[0];
  }
  if (products.size() == 2) {
    FL_TRY(const NodeId twin, find_twin(graph, products));
    left_out.push_back(twin);
    core = products[twin == products[0] ? 1 : 0];
    made.twin = input_position(graph, graph.node(twin).inputs[1]);
  }
  const Node& one = graph.node(core);
  for (const NodeId each : products) {
    if (is_computed(graph, graph.node(each).inputs[1])) return unsupported(one, "would compute an operand besides");
  }
  if (is_computed(graph, left)) return unsupported(one, "would compute an operand besides");
  const Graph rest = extract(graph, all_but(graph, left_out));
  FL_TRY(made.kernel, make_contraction(rest));
  FL_TRY(made.kernel.epilogue, behind(graph, core, left_out));
  Contraction& c = made.kernel.contraction;
  if (made.norm && c.left_step != 1) return unsupported(one, "reads normalised rows by columns");
  c.node = &one;
  c.left = input_position(graph, left);
  c.right = input_position(graph, one.inputs[1]);
  return made;
}

}  // namespace fuselab::codegen
