// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/import/composed_operators.h"
#include "core/import/composition.h"
#include "core/import/positions.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// What of Attention Fuselab's own operator does not have; "" where nothing of it is asked for.
std::string beyond_us(NodeImport& node) {
  if (node.has_input(6)) return "the number of keys is an operand";
  if (node.uses_output(3)) return "its scores are read";
  if (node.has_input(4) != node.has_input(5)) return "it has a past of only one of keys and values";
  return "";
}

// [B,S,H·D] as [B,H,S,D].
Term by_heads(Composition& graph, Term x, std::int64_t heads) {
  const Shape& shape = graph.type(x).shape;
  if (shape.size() == 4) return x;
  if (shape.size() != 3 || shape[2].is_symbol() || heads < 1 || shape[2].extent() % heads != 0) {
    graph.fail("its heads do not fit " + type_text(graph.type(x)));
    return x;
  }
  return graph.transpose(graph.reshape(x, {shape[0], shape[1], Dim(heads), Dim(shape[2].extent() / heads)}), {0, 2, 1, 3});
}

// ONNX: query i sees key j where j <= i + past. Of our own operator the past is none, so the mask is written out.
std::optional<Term> causal_mask(NodeImport& node, Composition& graph, Term q, Term k) {
  std::optional<Term> mask;
  if (node.has_input(3)) mask = graph.operand(3);
  if (!graph.fits()) return mask;
  const auto& of_mask = node.has_input(3) ? node.type(3).shape : Shape{};
  const bool is_short = !of_mask.empty() && !(of_mask.back() == graph.type(k).shape[2]);
  if (is_short) {
    graph.fail("its mask is not of as many keys as there are");  // ONNX hides the others, and a row of one would be all of them
    return mask;
  }
  const Dim queries = graph.type(q).shape[2], keys = graph.type(k).shape[2], past = node.type(4).shape[2];
  if (queries.is_symbol() || keys.is_symbol() || past.is_symbol()) {
    graph.fail("it is causal, and the extents of its queries and its past are not known");
    return mask;
  }
  // The newest token sees all that there is.
  if (keys.extent() <= past.extent() + 1) return mask;
  const Term last = graph.apply(
      Op::kAdd, {positions_along(graph, queries.extent(), 0, 2), graph.number(static_cast<double>(past.extent()), DType::kI64)});
  const Term seen = graph.apply(Op::kLessOrEqual, {positions_along(graph, keys.extent(), 1, 2), last});
  if (!mask) return seen;
  const DType dtype = node.type(3).dtype;
  if (dtype == DType::kBool) return graph.apply(Op::kAnd, {*mask, seen});
  return graph.apply(Op::kWhere, {seen, *mask, graph.number(-std::numeric_limits<double>::infinity(), dtype)});
}

}  // namespace

// With a past, and where what comes of it is read: the keys and values behind those of the past.
Result<Translated> translate_attention(NodeImport& node) {
  const bool plain = !node.has_input(4) && !node.has_input(5) && !node.has_input(6) && !node.uses_output(1) &&
                     !node.uses_output(2) && !node.uses_output(3);
  if (plain) return translate_direct(node);
  if (const std::string because = beyond_us(node); !because.empty()) return Translated::opaque(because);
  std::string unknown;
  Attributes attributes = node.attributes(Op::kAttention, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const std::int64_t heads = attributes.integer("q_num_heads", 0), shared = attributes.integer("kv_num_heads", 0);
  const Shape own = node.type(0).shape;
  if (own.size() != node.type(1).shape.size() || own.size() != node.type(2).shape.size())
    return Translated::opaque("Q, K and V are not of one rank");
  Composition graph(node);
  const Term q = by_heads(graph, graph.operand(0), heads);
  Term k = by_heads(graph, graph.operand(1), shared);
  Term v = by_heads(graph, graph.operand(2), shared);
  if (node.has_input(4)) {
    k = graph.apply(Op::kConcat, {graph.operand(4), k}, {{"axis", std::int64_t{2}}});
    v = graph.apply(Op::kConcat, {graph.operand(5), v}, {{"axis", std::int64_t{2}}});
  }
  Attributes kept;
  for (auto const& [name, value] : attributes.values()) {
    const bool is_written_out = name == "is_causal" && node.has_input(4);
    if (name != "q_num_heads" && name != "kv_num_heads" && !is_written_out) kept.set(name, value);
  }
  std::vector<Term> operands{q, k, v};
  if (node.has_input(4) && attributes.integer("is_causal", 0) != 0) {
    if (const auto mask = causal_mask(node, graph, q, k)) operands.push_back(*mask);
  } else if (node.has_input(3)) {
    operands.push_back(graph.operand(3));
  }
  Term y = graph.apply(Op::kAttention, operands, std::move(kept));
  if (own.size() == 3 && graph.fits()) {
    const Shape shape = graph.type(y).shape;
    // The heads and their width are a file's numbers: together they may be more than is counted.
    const auto width = element_count({shape[1], shape[3]});
    if (!width.ok()) graph.fail(width.error().message);
    if (width.ok()) y = graph.reshape(graph.transpose(y, {0, 2, 1, 3}), {shape[0], shape[2], Dim(width.value())});
  }
  return graph.finish(std::vector<Term>{y, k, v});
}

}  // namespace fuselab::onnx
