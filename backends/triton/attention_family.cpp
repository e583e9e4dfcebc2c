// SPDX-License-Identifier: Apache-2.0
// Attention: a program goes through the keys of one tile of queries, with a softmax that runs along.
#include <cmath>

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/axes.h"
#include "backends/triton/node_axes.h"
#include "backends/triton/text_family.h"

namespace fuselab::triton {
namespace {

using codegen::Attention;
using codegen::AttentionOperand;

constexpr std::int64_t kWidestHead = 256;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

// The element at which a batch of an operand begins.
std::string begin_of(const AttentionOperand& operand, const std::vector<std::int64_t>& extents) {
  const Place place = unflattened(index_named("batch", 0), extents);
  Index at = constant(0);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1 && operand.batches[axis] != 0) at = plus(at, times(place[axis], operand.batches[axis]));
  }
  return at.text();
}

// How many numbers of a head a block holds: a product takes no fewer than 16.
std::int64_t block_of(std::int64_t head) {
  return std::max<std::int64_t>(16, power_above(head));
}

struct Loaded {
  std::string down, across;            // indices
  std::int64_t rows = 0, columns = 0;  // of the tensor
  std::int64_t block_rows = 0, block_columns = 0;
};

std::string load(const BlockText& text, const AttentionOperand& operand, const std::vector<std::int64_t>& extents,
                 const Loaded& block, std::int64_t down, std::int64_t across, bool may_pass_rows, bool may_pass_columns) {
  std::string mask;
  if (may_pass_rows) mask = block.down + " < " + number(block.rows);
  if (may_pass_columns) mask += (mask.empty() ? "" : ") & (") + block.across + " < " + number(block.columns);
  return "tl.load(" + text.pointer(static_cast<std::size_t>(operand.input)) + " + " + begin_of(operand, extents) + " + " +
         block.down + " * " + number(down) + " + " + block.across + " * " + number(across) +
         (mask.empty() ? "" : ", mask=(" + mask + "), other=0") + ")";
}

Result<Attention> attention_in(const Graph& graph) {
  FL_TRY(const Attention a, codegen::make_attention(graph));
  const DType dtype = graph.type(graph.inputs()[static_cast<std::size_t>(a.query.input)]).dtype;
  for (const AttentionOperand* operand : {&a.key, &a.value}) {
    if (graph.type(graph.inputs()[static_cast<std::size_t>(operand->input)]).dtype != dtype)
      return Error{ErrorCode::kUnsupported, "attention of several types is not written for Triton yet"};
  }
  if (a.compute == DType::kF64 || dtype == DType::kF64)
    return Error{ErrorCode::kUnsupported, "attention of f64 is not written for Triton yet"};
  if (std::max(a.depth, a.width) > kWidestHead)
    return Error{ErrorCode::kUnsupported, "heads of more than " + number(kWidestHead) + " numbers are not written for Triton yet"};
  return a;
}

// Adds the mask, or hides by it.
void write_mask(BlockText& text, const Graph& graph, const Attention& a, bool passes_queries, bool passes_keys) {
  if (!a.has_mask) return;
  const TensorType& type = graph.type(graph.inputs()[static_cast<std::size_t>(a.mask.input)]);
  const Loaded block{"m", "key[None, :]", a.queries, a.keys};
  const std::string loaded = load(text, a.mask, a.batch_extents, block, a.mask.vector, a.mask.element, passes_queries, passes_keys);
  if (type.dtype != DType::kBool) return text.line("s = s + " + loaded + ".to(tl.float32)");
  text.line("s = tl.where(" + loaded + (a.hides_where_true ? " == 0" : " != 0") + ", s, " + literal(a.hidden, false) + ")");
}

void write_turn(BlockText& text, const Graph& graph, const Attention& a, const LaunchConfig& config, bool passes_queries) {
  const std::int64_t tile = config.integer("tile_k", 32);
  const bool passes_keys = a.keys % tile != 0, wide = block_of(a.width) != a.width, deep = block_of(a.depth) != a.depth;
  const std::string precision = config.choice("precision", "ieee");
  text.line("key = first + tl.arange(0, " + number(tile) + ")");
  text.line("k = " + load(text, a.key, a.batch_extents, {"d[:, None]", "key[None, :]", a.depth, a.keys}, a.key.element,
                          a.key.vector, deep, passes_keys));
  text.line("s = tl.dot(q, k, input_precision='" + precision + "') * " + literal(a.scale, false));
  if (a.softcap > 0) {
    const std::string cap = literal(a.softcap, false);
    text.line("s = " + cap + " * (2.0 / (1.0 + tl.exp(s * " + literal(-2.0 / a.softcap, false) + ")) - 1.0)");
  }
  write_mask(text, graph, a, passes_queries, passes_keys);
  // Queries see the keys up to their own place, both counted from the first.
  if (a.causal) text.line("s = tl.where(key[None, :] <= m, s, -float('inf'))");
  if (passes_keys) text.line("s = tl.where(key[None, :] < " + number(a.keys) + ", s, -float('inf'))");
  text.line("now = tl.maximum(most, tl.max(s, axis=1))");
  // Where all keys so far are hidden there is nothing to weigh, and no difference of infinities.
  text.line("shift = tl.where(now == -float('inf'), 0.0, now)");
  text.line("w = tl.exp(s - shift[:, None])");
  text.line("less = tl.exp(most - shift)");
  text.line("total = total * less + tl.sum(w, axis=1)");
  text.line("v = " + load(text, a.value, a.batch_extents, {"key[:, None]", "e[None, :]", a.keys, a.width}, a.value.vector,
                          a.value.element, passes_keys, wide));
  text.line("acc = tl.dot(w.to(v.dtype), v, acc * less[:, None], input_precision='" + precision + "')");
  text.line("most = now");
}

Result<WrittenKernel> write_attention(const Graph& graph, const LaunchConfig& config) {
  FL_TRY(const Attention a, attention_in(graph));
  const std::int64_t tile = config.integer("tile_q", 32), step = config.integer("tile_k", 32),
                     tiles = (a.queries + tile - 1) / tile;
  const std::int64_t depth = block_of(a.depth), width = block_of(a.width);
  const bool passes_queries = a.queries % tile != 0;
  BlockText text(graph, 2);
  text.line("pid = tl.program_id(0)");
  text.line("batch = pid // " + number(tiles));
  text.line("row = pid % " + number(tiles) + " * " + number(tile) + " + tl.arange(0, " + number(tile) + ")");
  text.line("m = row[:, None]");
  text.line("d = tl.arange(0, " + number(depth) + ")");
  text.line("e = tl.arange(0, " + number(width) + ")");
  const bool deep = depth != a.depth;
  text.line("q = " + load(text, a.query, a.batch_extents, {"m", "d[None, :]", a.queries, a.depth}, a.query.vector, a.query.element,
                          passes_queries, deep));
  text.line("most = tl.full([" + number(tile) + "], -float('inf'), tl.float32)");
  text.line("total = tl.zeros([" + number(tile) + "], tl.float32)");
  text.line("acc = tl.zeros([" + number(tile) + ", " + number(width) + "], tl.float32)");
  std::string last = number(a.keys);
  if (a.causal) {
    text.line("last = tl.minimum(" + last + ", (pid % " + number(tiles) + " + 1) * " + number(tile) + ")");
    last = "last";
  }
  text.indented("for first in range(0, " + last + ", " + number(step) + "):",
                [&] { write_turn(text, graph, a, config, passes_queries); });
  // With no key to see, the operator gives zeros, and a softmax that is written out gives NaN.
  if (a.hidden_is_zero) text.line("total = tl.where(total == 0.0, 1.0, total)");
  text.line("y = acc / total[:, None]");
  const std::string& to = text.pointer(graph.inputs().size());
  std::string mask = passes_queries ? "m < " + number(a.queries) : "";
  if (width != a.width) mask += (mask.empty() ? "" : ") & (") + std::string("e[None, :] < ") + number(a.width);
  text.line("tl.store(" + to + " + " + begin_of(a.result, a.batch_extents) + " + m * " + number(a.result.vector) +
            " + e[None, :], y.to(" + to + ".dtype.element_ty)" + (mask.empty() ? "" : ", mask=(" + mask + ")") + ")");
  return finished(text, tiles * a.batches());
}

ParameterSpace attention_space(const Graph& graph, const Target& target) {
  ParameterSpace space;
  const auto a = attention_in(graph);
  if (!a.ok()) return space;
  codegen::add_axis(space, "tile_q", "queries of a program", {16, 32, 64, 128});
  codegen::add_axis(space, "tile_k", "keys of a turn", {16, 32, 64, 128});
  codegen::add_axis(space, "warps", "warps of a program", {2, 4, 8});
  codegen::add_axis(space, "stages", "turns that are loaded ahead", {1, 2, 3});
  const std::int64_t bytes = bits_of(graph.type(graph.inputs()[static_cast<std::size_t>(a.value().query.input)]).dtype) / 8;
  if (bytes == 4 && target.arch == "cuda") {
    const Status added = space.add({"precision", "how f32 is multiplied", {std::string("ieee"), std::string("tf32x3")}});
    FL_ASSERT(added.ok());
  }
  const std::int64_t shared = codegen::limit_of(target, "shared_optin_bytes", codegen::limit_of(target, "shared_bytes", 48 << 10));
  const std::int64_t depth = block_of(a.value().depth), width = block_of(a.value().width);
  codegen::add_rule(space,
                    "(tile_q * " + number(depth) + " + stages * tile_k * " + number(depth + width) + ") * " + number(bytes) +
                        " <= " + number(shared),
                    "the operands' tiles must fit shared memory");
  return space;
}

std::vector<LaunchConfig> attention_wishes(const Graph& graph, const Target& target) {
  const auto a = attention_in(graph);
  if (!a.ok()) return {};
  const bool is_narrow = bits_of(graph.type(graph.inputs()[static_cast<std::size_t>(a.value().query.input)]).dtype) == 16;
  std::vector<LaunchConfig> wishes;
  for (const std::int64_t most : {is_narrow ? 128 : 64, 64, 32, 16}) {
    const std::int64_t queries = std::clamp<std::int64_t>(power_above(a.value().queries), 16, most);
    LaunchConfig config{{"tile_q", queries},
                        {"tile_k", std::min<std::int64_t>(most, is_narrow ? 64 : 32)},
                        {"warps", std::int64_t{4}},
                        {"stages", std::int64_t{2}}};
    if (!is_narrow && target.arch == "cuda") config.set("precision", std::string("ieee"));
    wishes.push_back(config);
  }
  return wishes;
}

}  // namespace

TextFamily attention_family() {
  return {"attention", write_attention, attention_space, attention_wishes};
}

}  // namespace fuselab::triton
