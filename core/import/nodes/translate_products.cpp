// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "core/contraction/contraction_path.h"
#include "core/import/compositions/composition.h"
#include "core/import/compositions/einsum_equation.h"
#include "core/import/nodes/operators.h"
#include "core/ops/op_attributes.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

bool has(const AxisNames& names, int name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Condition>
AxisNames those(const AxisNames& names, Condition condition) {
  AxisNames result;
  std::copy_if(names.begin(), names.end(), std::back_inserter(result), condition);
  return result;
}

AxisNames joined(AxisNames first, const AxisNames& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// A tensor whose axes have names.
struct Named {
  Term term;
  AxisNames names;
};

class Contraction {
 public:
  explicit Contraction(Composition& graph) : graph_(graph) {}

  // The diagonal of every axis that is named twice: of a square written as one row, every element after a row and one more.
  Named without_repeats(Named tensor) {
    for (std::size_t i = 0; i < tensor.names.size() && graph_.fits(); ++i) {
      const int name = tensor.names[i];
      if (std::count(tensor.names.begin(), tensor.names.end(), name) < 2) continue;
      const Dim extent = extent_of(tensor, i);
      const AxisNames rest = those(tensor.names, [name](int other) { return other != name; });
      if (tensor.names.size() - rest.size() > 2) graph_.fail("it takes a diagonal of more than two axes");
      const Named square = moved(tensor, joined(rest, {name, name}));
      if (extent.is_symbol() || extent_of(square, rest.size()) != extent_of(square, rest.size() + 1) ||
          extent.extent() > (1 << 24)) {
        graph_.fail("it takes a diagonal of " + type_text(graph_.type(square.term)));
        return tensor;
      }
      const std::int64_t count = extent.extent();
      Shape rows = extents(square, rest);
      rows.emplace_back(count * count);
      const Term diagonal = graph_.apply(Op::kSlice, {graph_.reshape(square.term, rows)},
                                         {{"starts", std::vector<std::int64_t>{0}},
                                          {"ends", std::vector<std::int64_t>{count * count}},
                                          {"axes", std::vector<std::int64_t>{static_cast<std::int64_t>(rest.size())}},
                                          {"steps", std::vector<std::int64_t>{count + 1}}});
      tensor = {diagonal, joined(rest, {name})};
      i = static_cast<std::size_t>(-1);  // places have moved
    }
    return tensor;
  }

  // Summed over every axis that nobody needs.
  Named reduced(const Named& tensor, const AxisNames& needed) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < tensor.names.size(); ++i) {
      if (!has(needed, tensor.names[i])) axes.push_back(static_cast<std::int64_t>(i));
    }
    if (axes.empty()) return tensor;
    const Term sum = graph_.apply(Op::kReduceSum, {tensor.term}, {{"axes", axes}, {"keepdims", std::int64_t{0}}});
    return {sum, those(tensor.names, [&](int name) { return has(needed, name); })};
  }

  Named moved(const Named& tensor, const AxisNames& names) {
    std::vector<std::int64_t> perm;
    std::vector<bool> taken(tensor.names.size(), false);
    for (const int name : names) {
      for (std::size_t i = 0; i < tensor.names.size(); ++i) {
        if (taken[i] || tensor.names[i] != name) continue;
        taken[i] = true;
        perm.push_back(static_cast<std::int64_t>(i));
        break;
      }
    }
    return {graph_.transpose(tensor.term, perm), names};
  }

  // `later`: the axes that the result or an operand to come has.
  Named product(Named a, Named b, const AxisNames& later) {
    a = reduced(a, joined(later, b.names));
    b = reduced(b, joined(later, a.names));
    const AxisNames summed = those(a.names, [&](int name) { return has(b.names, name) && !has(later, name); });
    return summed.empty() ? outer(a, b) : matmul(a, b, summed);
  }

 private:
  Dim extent_of(const Named& tensor, std::size_t i) const { return graph_.fits() ? graph_.type(tensor.term).shape.at(i) : Dim(1); }
  Shape extents(const Named& tensor, const AxisNames& names) const {
    Shape shape;
    for (const int name : names) {
      const auto place = std::find(tensor.names.begin(), tensor.names.end(), name) - tensor.names.begin();
      shape.push_back(extent_of(tensor, static_cast<std::size_t>(place)));
    }
    return shape;
  }

  // Element by element, where all axes stay.
  Named outer(const Named& a, const Named& b) {
    const AxisNames names = joined(a.names, those(b.names, [&](int name) { return !has(a.names, name); }));
    const auto spread = [&](const Named& tensor) {
      const Named ordered = moved(tensor, those(names, [&](int name) { return has(tensor.names, name); }));
      std::vector<std::int64_t> missing;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!has(tensor.names, names[i])) missing.push_back(static_cast<std::int64_t>(i));
      }
      return graph_.unsqueeze(ordered.term, missing);
    };
    return {graph_.apply(Op::kMul, {spread(a), spread(b)}), names};
  }

  // Several axes as one; -1 where a symbol is among them.
  Dim together(const Shape& shape) {
    if (shape.size() == 1) return shape[0];
    if (!is_concrete(shape)) return -1;
    const auto count = element_count(shape);
    if (!count.ok()) graph_.fail(count.error().message);
    return count.ok() ? Dim(count.value()) : Dim(1);
  }

  Named matmul(const Named& a, const Named& b, const AxisNames& summed) {
    // Several axes made one would hide that they differ.
    if (extents(a, summed) != extents(b, summed)) graph_.fail("the extents that it sums over differ");
    const AxisNames batch = those(a.names, [&](int name) { return has(b.names, name) && !has(summed, name); });
    const AxisNames left = those(a.names, [&](int name) { return !has(b.names, name); });
    const AxisNames right = those(b.names, [&](int name) { return !has(a.names, name); });
    const auto matrix = [&](const Named& tensor, const AxisNames& rows, const AxisNames& columns) {
      const Named ordered = moved(tensor, joined(batch, joined(rows, columns)));
      Shape shape = extents(ordered, batch);
      shape.push_back(together(extents(ordered, rows)));
      shape.push_back(together(extents(ordered, columns)));
      return graph_.reshape(ordered.term, shape);
    };
    const Term product = graph_.apply(Op::kMatMul, {matrix(a, left, summed), matrix(b, summed, right)});
    const AxisNames names = joined(batch, joined(left, right));
    if (!graph_.fits()) return {product, names};
    const Shape& made = graph_.type(product).shape;
    Shape shape(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(batch.size()));
    for (const Dim& extent : extents(a, left)) shape.push_back(extent);
    for (const Dim& extent : extents(b, right)) shape.push_back(extent);
    return {graph_.reshape(product, shape), names};
  }

  Composition& graph_;
};

// An extent that is open counts as this many when the order of products is chosen.
constexpr double kOpenExtent = 64;
constexpr double kMostElements = 1 << 30;  // of an intermediate tensor: 4 GiB of f32

// Axes of one element are repeated along the others of their name.
ContractionProblem problem_of(const EinsumEquation& equation, const NodeImport& node) {
  ContractionProblem problem;
  problem.result = equation.result;
  problem.most_elements = kMostElements;
  for (std::size_t i = 0; i < equation.operands.size(); ++i) {
    const AxisNames& names = equation.operands[i];
    problem.operands.emplace_back();
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      const Dim& dim = node.type(i).shape[axis];
      double& size = problem.sizes[names[axis]];
      size = std::max(size, dim.is_symbol() ? kOpenExtent : static_cast<double>(dim.extent()));
      if (!has(problem.operands.back(), names[axis])) problem.operands.back().push_back(names[axis]);
    }
  }
  return problem;
}

std::string path_text(const std::string& equation, const ContractionPath& path, const ContractionPath& written) {
  std::string steps;
  for (const auto& [a, b] : path.steps) steps += (steps.empty() ? "(" : ", (") + std::to_string(a) + "," + std::to_string(b) + ")";
  char costs[96];
  std::snprintf(costs, sizeof costs, ": %.3g FLOPs (%s), %.3g as written", path.flops, std::string(path.method).c_str(),
                written.flops);
  return "Einsum " + equation + " is multiplied as " + steps + costs;
}

// Multiplies two tensors of the list after the other, in the order of the path. The axes that are not needed any more are summed
// over as soon as possible.
Named contracted(Contraction& contraction, std::vector<Named> tensors, const ContractionPath& path, const AxisNames& result) {
  for (const auto& [first, second] : path.steps) {
    const Named a = tensors[static_cast<std::size_t>(first)], b = tensors[static_cast<std::size_t>(second)];
    tensors.erase(tensors.begin() + second);
    tensors.erase(tensors.begin() + first);
    AxisNames later = result;
    for (const Named& tensor : tensors) later = joined(later, tensor.names);
    tensors.push_back(contraction.product(a, b, later));
  }
  return tensors.front();
}

// Two operands at a time, in the order that costs the fewest FLOPs (core/contraction).
Result<Translated> translate_einsum(NodeImport& node) {
  std::string unknown;
  attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const AttributeProto* text = node.attribute("equation");
  if (text == nullptr || !text->has_s()) return invalid_argument("lacks its equation");
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < node.input_count(); ++i) ranks.push_back(node.type(i).shape.size());
  FL_TRY(const EinsumEquation equation, parse_einsum(text->s(), ranks));
  Composition graph(node);
  Contraction contraction(graph);
  std::vector<Named> tensors;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    tensors.push_back(contraction.without_repeats({graph.operand(i), equation.operands[i]}));
  }
  if (!graph.fits()) return graph.finish(tensors.front().term);
  const ContractionProblem problem = problem_of(equation, node);
  const ContractionPath path = best_path(problem);
  Named result = contracted(contraction, std::move(tensors), path, equation.result);
  if (!graph.fits()) return graph.finish(result.term);
  result = contraction.moved(contraction.reduced(result, equation.result), equation.result);
  if (path.steps.size() > 1) node.note(path_text(text->s(), path, path_as_written(problem)));
  return graph.finish(result.term);
}

Result<Translated> translate_gemm(NodeImport& node) {
  std::string unknown;
  Attributes attributes = node.attributes(Op::kGemm, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  return node.emit(Op::kGemm, node.values(), attributes);
}

}  // namespace

Rows product_rows() {
  static constexpr OperatorRow kRows[] = {
      {"MatMul", translate_direct},
      {"Gemm", translate_gemm, "alpha:f beta:f broadcast:i@1-6 transA:i transB:i"},
      {"Einsum", translate_einsum, "equation:s", Operands::at_least(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
