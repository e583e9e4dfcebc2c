// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "core/import/compositions/composition.h"
#include "core/import/compositions/positions.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// Returns what this Attention asks for that Fuselab's own operator does not have; "" if there is no such thing.
std::string beyond_us(NodeImport& node) {
  if (node.has_input(6) && node.has_input(4)) return "it has a past and beside it numbers of keys";
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

// Says which keys each query may look at beside what its mask says; -1: no window.
struct Sight {
  bool is_causal = false;
  std::int64_t left = -1, right = -1;

  bool has_window() const { return left >= 0 || right >= 0; }
};

Sight sight_of(const NodeImport& node) {
  constexpr std::int64_t kEverything = std::int64_t{1} << 40;  // beyond any tensor, and exact in what a Constant holds
  const auto window = [&](const char* name) { return std::min(node.integer(name, -1), kEverything); };
  return {node.integer("is_causal", 0) != 0, window("left_window_size"), window("right_window_size")};
}

// Returns whether a mask must say what Fuselab's own operator cannot: its queries begin where keys do, and it knows no window.
bool needs_mask(const NodeImport& node, const Sight& sight) {
  return node.has_input(6) || sight.has_window() || (sight.is_causal && node.has_input(4));
}

// ONNX: query i lies at key i + past, or, where the keys of each sample are counted, the last one at its last key. It sees the keys
// up to there if it is causal, those of its windows, and none that are not counted. Empty: all.
std::optional<Term> seen_keys(NodeImport& node, Composition& graph, const Sight& sight, std::int64_t queries, std::int64_t keys) {
  const auto number = [&](std::int64_t value) { return graph.number(static_cast<double>(value), DType::kI64); };
  const std::int64_t past = node.has_input(4) ? node.type(4).shape[2].extent() : 0;
  const bool sees_up_to_itself =
      sight.is_causal && (node.has_input(6) || keys > past + 1);  // else the newest token, which sees all
  const Term key = positions_along(graph, keys, 1, 2);
  Term query = positions_along(graph, queries, 0, 2);
  std::vector<Term> seen;
  if (node.has_input(6)) {
    const Term count = graph.reshape(graph.operand(6), {node.type(6).shape.front(), Dim(1), Dim(1), Dim(1)});
    query = graph.apply(Op::kSub, {graph.apply(Op::kAdd, {query, count}), number(queries)});
    seen.push_back(graph.apply(Op::kLess, {key, count}));
  } else if (past > 0) {
    query = graph.apply(Op::kAdd, {query, number(past)});
  }
  if (sees_up_to_itself) seen.push_back(graph.apply(Op::kLessOrEqual, {key, query}));
  if (sight.left >= 0) seen.push_back(graph.apply(Op::kGreaterOrEqual, {key, graph.apply(Op::kSub, {query, number(sight.left)})}));
  if (sight.right >= 0) seen.push_back(graph.apply(Op::kLessOrEqual, {key, graph.apply(Op::kAdd, {query, number(sight.right)})}));
  if (seen.empty()) return std::nullopt;
  Term all = seen.front();
  for (std::size_t i = 1; i < seen.size(); ++i) all = graph.apply(Op::kAnd, {all, seen[i]});
  return all;
}

// The node's mask and what else hides keys, as one.
std::optional<Term> whole_mask(NodeImport& node, Composition& graph, const Sight& sight, Term q, Term k) {
  std::optional<Term> mask;
  if (node.has_input(3)) mask = graph.operand(3);
  if (!graph.fits()) return mask;
  const auto& of_mask = node.has_input(3) ? node.type(3).shape : Shape{};
  const bool is_short = !of_mask.empty() && !(of_mask.back() == graph.type(k).shape[2]);
  if (is_short) {
    graph.fail("its mask is not of as many keys as there are");  // ONNX hides the others, and a row of one would be all of them
    return mask;
  }
  const Dim queries = graph.type(q).shape[2], keys = graph.type(k).shape[2];
  const bool is_known = !queries.is_symbol() && !keys.is_symbol() && !(node.has_input(4) && node.type(4).shape[2].is_symbol());
  if (!is_known || (node.has_input(6) && node.type(6).shape.size() != 1)) {
    graph.fail(is_known ? "its numbers of keys are no vector"
                        : "which keys a query sees depends on its extents, and those of queries, keys or past are not known");
    return mask;
  }
  const std::optional<Term> seen = seen_keys(node, graph, sight, queries.extent(), keys.extent());
  if (!mask || !seen) return seen ? seen : mask;
  const DType dtype = node.type(3).dtype;
  if (dtype == DType::kBool) return graph.apply(Op::kAnd, {*mask, *seen});
  return graph.apply(Op::kWhere, {*seen, *mask, graph.number(-std::numeric_limits<double>::infinity(), dtype)});
}

// Puts the keys and values behind those of a past, and returns them where they are read. Windows and numbers of keys become one
// mask with the node's own.
Result<Translated> translate_attention(NodeImport& node) {
  const Sight sight = sight_of(node);
  const bool is_masked = needs_mask(node, sight);
  const bool plain = !is_masked && !node.has_input(4) && !node.has_input(5) && !node.has_input(6) && !node.uses_output(1) &&
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
  for (const auto& [name, value] : attributes.values()) {
    const bool is_written_out = name == "is_causal" && is_masked;
    if (name != "q_num_heads" && name != "kv_num_heads" && !is_written_out) kept.set(name, value);
  }
  std::vector<Term> operands{q, k, v};
  if (is_masked) {
    if (const auto mask = whole_mask(node, graph, sight, q, k)) operands.push_back(*mask);
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

}  // namespace

Rows attention_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Attention", translate_attention,
       "is_causal:i kv_num_heads:i left_window_size:i@25- q_num_heads:i qk_matmul_output_mode:i "
       "right_window_size:i@25- scale:f softcap:f softmax_precision:i",
       Operands::gaps_beyond(3)},
      {"RotaryEmbedding", translate_direct, "interleaved:i num_heads:i rotary_embedding_dim:i"},
  };
  return kRows;
}

}  // namespace fuselab::onnx
