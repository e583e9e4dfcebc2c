// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/attention/lower_attention.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "backends/codegen/cpu/attention/attention_panels.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kCacheLine = 64;

class AttentionLowering {
 public:
  AttentionLowering(const Graph& graph, const Attention& attention, const LaunchConfig& config)
      : a_(attention),
        parameters_(name_parameters(graph, names_)),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        tile_n_(config.integer("tile_n", 4)),
        tile_m_(std::min(config.integer("tile_m", 1), attention.queries)),
        rows_per_task_(std::min(config.integer("rows_per_task", 16), attention.queries)),
        block_rows_(std::min(config.integer("block_rows", 1), rows_per_task_)),
        tiled_(block_rows_ > 1),
        stride_(tiled_ ? score_stride(attention.keys, tile_n_ * lanes_) : attention.keys) {}

  Function run();

 private:
  IrType type(int lanes) const { return {a_.compute, lanes}; }
  IrType one() const { return type(1); }
  const KernelParameter& of(const AttentionOperand& operand) const { return parameters_[static_cast<std::size_t>(operand.input)]; }
  ExprPtr spread(const ExprPtr& value, int lanes) const { return lanes == 1 ? value : call("spread", type(lanes), {value}); }
  // The scores of the row in hand.
  ExprPtr scores_at() const { return tiled_ ? variable("scores_at", kIndex) : integer(0); }
  ExprPtr score_at(const ExprPtr& at, int lanes) const { return load(scores_, scores_at() + at, type(lanes), a_.compute); }
  void put_score(Body& body, const ExprPtr& at, const ExprPtr& value) const {
    BodyBuilder(body).store({scores_, scores_at() + at, value, a_.compute, false});
  }
  // for key in [0, keys): registers first, then what is left.
  void over_keys(Body& body, const std::function<void(Body&, int)>& visit) const;
  ExprPtr base(Body& body, const char* name, const AttentionOperand& operand, bool by_query) const;

  void scores_by_dots(Body& body) const;
  void scores_by_columns(Body& body) const;
  void mask(Body& body) const;
  void see_keys(Body& body);
  void hide_later_keys(Body& body);
  void softmax(Body& body) const;
  void weigh(Body& body, const ExprPtr& first, std::int64_t registers, int lanes) const;
  void results(Body& body) const;
  void one_row(Body& body);

  void block(Body& body);
  // Calls `visit` for tiles of rows of the block in hand; the last one has what is left.
  void over_tiles(Body& body, const std::function<void(Body&, std::int64_t, const ExprPtr&)>& visit) const;
  void score_tile(Body& body, std::int64_t rows, const ExprPtr& first) const;
  void block_scores(Body& body) const;
  void weighted_values(Body& body) const;
  void result_tile(Body& body, std::int64_t rows, const ExprPtr& first, const ExprPtr& column, std::int64_t registers,
                   int lanes) const;
  Body& unrolled(Body& body, const char* name, std::int64_t count) const {
    return BodyBuilder(body).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
  }
  std::string scratch(const char* wish, std::int64_t elements);

  const Attention& a_;
  Names names_{{"scores_at", "block_at", "block_end", "tile", "tile_at", "rows_whole", "panel", "queries_at", "results_at",
                "first_key", "seen"}};
  std::vector<KernelParameter> parameters_;
  std::string scores_, panels_, inverses_;
  int lanes_;
  std::int64_t tile_n_, tile_m_, rows_per_task_, block_rows_;
  bool tiled_;
  std::int64_t stride_;  // from row to row of scores
  Function function_;
  ExprPtr keys_ = integer(a_.keys);
  const ExprPtr key_ = variable("key", kIndex);
  const ExprPtr k_ = variable("k", kIndex);
  const ExprPtr row_ = variable("row", kIndex);
  const ExprPtr query_at_ = variable("query_at", kIndex);
  const ExprPtr key_at_ = variable("key_at", kIndex);
  const ExprPtr value_at_ = variable("value_at", kIndex);
};

void AttentionLowering::over_keys(Body& body, const std::function<void(Body&, int)>& visit) const {
  visit(BodyBuilder(body).loop(LoopKind::kVector, "key", integer(0), keys_, integer(lanes_)), lanes_);
  if (keys_->kind == Expr::Kind::kInteger && a_.keys % lanes_ == 0) return;
  const ExprPtr begin = keys_ / integer(lanes_) * integer(lanes_);
  visit(BodyBuilder(body).loop(LoopKind::kSerial, "key", begin, keys_, integer(1)), 1);
}

ExprPtr AttentionLowering::base(Body& body, const char* name, const AttentionOperand& operand, bool by_query) const {
  ExprPtr at = strided_offset(a_.batch_extents, operand.batches, variable("batch", kIndex));
  if (by_query) at = at + row_ * integer(operand.vector);
  return BodyBuilder(body).declare(name, at);
}

// Keys are contiguous vectors: one dot product each.
void AttentionLowering::scores_by_dots(Body& body) const {
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "key", integer(0), keys_, integer(1));
  BodyBuilder builder(each);
  const auto product = [&](int lanes) {
    return load(of(a_.query).name, query_at_ + k_, type(lanes), of(a_.query).storage) *
           load(of(a_.key).name, key_at_ + key_ * integer(a_.key.vector) + k_, type(lanes), of(a_.key).storage);
  };
  const ExprPtr part = builder.declare_variable("part", real(0, type(lanes_)));
  Body& vectors = builder.loop(LoopKind::kVector, "k", integer(0), integer(a_.depth), integer(lanes_));
  BodyBuilder(vectors).assign(part, part + product(lanes_));
  const ExprPtr total = builder.declare_variable("total", call("sum", one(), {part}));
  if (a_.depth % lanes_ != 0) {
    Body& tail = builder.loop(LoopKind::kSerial, "k", integer(a_.depth / lanes_ * lanes_), integer(a_.depth), integer(1));
    BodyBuilder(tail).assign(total, total + product(1));
  }
  put_score(each, key_, total * real(a_.scale, one()));
}

// Keys are columns: their elements of one depth are contiguous.
void AttentionLowering::scores_by_columns(Body& body) const {
  over_keys(body, [this](Body& each, int lanes) {
    BodyBuilder builder(each);
    const ExprPtr total = builder.declare_variable("total", real(0, type(lanes)));
    Body& sum = builder.loop(LoopKind::kSerial, "k", integer(0), integer(a_.depth), integer(1));
    const ExprPtr query = spread(load(of(a_.query).name, query_at_ + k_, one(), of(a_.query).storage), lanes);
    const ExprPtr keys = load(of(a_.key).name, key_at_ + k_ * integer(a_.key.element) + key_, type(lanes), of(a_.key).storage);
    BodyBuilder(sum).assign(total, total + query * keys);
    put_score(each, key_, total * real(a_.scale, type(lanes)));
  });
}

void AttentionLowering::mask(Body& body) const {
  if (a_.softcap > 0) {
    over_keys(body, [this](Body& each, int lanes) {
      const ExprPtr cap = real(a_.softcap, type(lanes));
      put_score(each, key_, cap * call("tanh", type(lanes), {score_at(key_, lanes) / cap}));
    });
  }
  if (!a_.has_mask) return;
  const ExprPtr at = base(body, "mask_at", a_.mask, true);
  const KernelParameter& parameter = of(a_.mask);
  over_keys(body, [&](Body& each, int lanes) {
    const bool varies = a_.mask.element != 0;
    ExprPtr mask = load(parameter.name, varies ? at + key_ : at, varies ? type(lanes) : one(), parameter.storage);
    if (!varies) mask = spread(mask, lanes);
    const ExprPtr score = score_at(key_, lanes);
    const ExprPtr hidden = real(a_.hidden, type(lanes));
    const auto chosen = [&] {
      return call("where", type(lanes), {mask, a_.hides_where_true ? hidden : score, a_.hides_where_true ? score : hidden});
    };
    put_score(each, key_, parameter.storage == DType::kBool ? chosen() : score + mask);
  });
}

void AttentionLowering::hide_later_keys(Body& body) {
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "key", keys_, integer(a_.keys), integer(1));
  put_score(each, key_, real(-std::numeric_limits<double>::infinity(), one()));
  keys_ = integer(a_.keys);
}

// Leaves e^(score - maximum) in scratch and 1 / their sum in `inverse`.
void AttentionLowering::softmax(Body& body) const {
  BodyBuilder builder(body);
  const ExprPtr largest = builder.declare_variable("largest", real(a_.least_score(), one()));
  const ExprPtr many = builder.declare_variable("largest_of", real(a_.least_score(), type(lanes_)));
  over_keys(body, [&](Body& each, int lanes) {
    const ExprPtr& best = lanes == 1 ? largest : many;
    BodyBuilder(each).assign(best, call("max", type(lanes), {best, score_at(key_, lanes)}));
  });
  builder.assign(largest, call("max", one(), {largest, call("largest", one(), {many})}));
  const ExprPtr total = builder.declare_variable("weight_sum", real(0, one()));
  const ExprPtr parts = builder.declare_variable("weight_parts", real(0, type(lanes_)));
  over_keys(body, [&](Body& each, int lanes) {
    const ExprPtr weight =
        BodyBuilder(each).declare("weight", call("exp", type(lanes), {score_at(key_, lanes) - spread(largest, lanes)}));
    const ExprPtr& sum = lanes == 1 ? total : parts;
    BodyBuilder(each).assign(sum, sum + weight);
    put_score(each, key_, weight);
  });
  const ExprPtr all = total + call("sum", one(), {parts});
  // The largest score weighs 1; where all are hidden, nothing weighs anything.
  builder.declare("inverse", real(1, one()) / (a_.hidden_is_zero ? call("max", one(), {all, real(1, one())}) : all));
}

// Columns [first, first + registers · lanes) of the result: all keys' values, weighted.
void AttentionLowering::weigh(Body& body, const ExprPtr& first, std::int64_t registers, int lanes) const {
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr total = element("total", {j}, type(lanes));
  const auto each = [&](Body& at) -> Body& {
    return BodyBuilder(at).loop(LoopKind::kUnrolled, "j", integer(0), integer(registers), integer(1));
  };
  BodyBuilder builder(body);
  builder.declare_array("total", type(lanes), {registers});
  BodyBuilder(each(body)).assign(total, real(0, type(lanes)));
  Body& sum = builder.loop(LoopKind::kSerial, "key", integer(0), keys_, integer(1));
  const ExprPtr weight = BodyBuilder(sum).declare("weight", spread(score_at(key_, 1), lanes));
  const ExprPtr column = first + j * integer(lanes);
  const ExprPtr values =
      load(of(a_.value).name, value_at_ + key_ * integer(a_.value.vector) + column, type(lanes), of(a_.value).storage);
  BodyBuilder(each(sum)).assign(total, total + weight * values);
  const KernelParameter& out = parameters_.back();
  BodyBuilder(each(body))
      .store({out.name, variable("result_at", kIndex) + column, total * spread(variable("inverse", one()), lanes), out.storage,
              false});
}

void AttentionLowering::results(Body& body) const {
  const ExprPtr col = variable("col", kIndex);
  const std::int64_t strip = tile_n_ * lanes_;
  const std::int64_t full = a_.width / strip * strip;
  if (full > 0)
    weigh(BodyBuilder(body).loop(LoopKind::kVector, "col", integer(0), integer(full), integer(strip)), col, tile_n_, lanes_);
  const std::int64_t singles = a_.width / lanes_ * lanes_;
  if (singles > full) {
    weigh(BodyBuilder(body).loop(LoopKind::kVector, "col", integer(full), integer(singles), integer(lanes_)), col, 1, lanes_);
  }
  if (a_.width > singles) {
    weigh(BodyBuilder(body).loop(LoopKind::kSerial, "col", integer(singles), integer(a_.width), integer(1)), col, 1, 1);
  }
}

void AttentionLowering::one_row(Body& body) {
  base(body, "query_at", a_.query, true);
  base(body, "result_at", a_.result, true);
  see_keys(body);
  if (a_.key.element == 1) {
    scores_by_dots(body);
  } else {
    scores_by_columns(body);
  }
  mask(body);
  if (a_.causal) hide_later_keys(body);
  softmax(body);
  results(body);
}

// Later keys are not looked at for their scores. Their weight is 0, and 0 · NaN in their values stays NaN, as ONNX has it.
void AttentionLowering::see_keys(Body& body) {
  if (!a_.causal) return;
  keys_ = BodyBuilder(body).declare_variable("keys_seen", row_ + integer(1));
  BodyBuilder(BodyBuilder(body).when(binary(">", keys_, integer(a_.keys)))).assign(keys_, integer(a_.keys));
}

void AttentionLowering::over_tiles(Body& body, const std::function<void(Body&, std::int64_t, const ExprPtr&)>& visit) const {
  const ExprPtr first = variable("block_at", kIndex);
  const ExprPtr end = variable("block_end", kIndex);
  visit(BodyBuilder(body).loop(LoopKind::kVector, "tile", first, end, integer(tile_m_)), tile_m_, variable("tile", kIndex));
  for (std::int64_t rest = 1; rest < tile_m_; ++rest) {
    // Blocks are whole tiles, but for the last of the queries and the last of a task.
    const bool occurs = rest == block_rows_ % tile_m_ || rest == a_.queries % rows_per_task_ % block_rows_ % tile_m_ ||
                        rest == rows_per_task_ % block_rows_ % tile_m_;
    if (!occurs) continue;
    Body& last = BodyBuilder(body).when(binary("==", (end - first) % integer(tile_m_), integer(rest)));
    visit(last, rest, end - integer(rest));
  }
}

// rows × one panel of keys: the queries' products with it, scaled.
void AttentionLowering::score_tile(Body& body, std::int64_t rows, const ExprPtr& first) const {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr total = element("total", {i, j}, type(lanes_));
  const std::int64_t panel = tile_n_ * lanes_;
  const ExprPtr key = variable("first_key", kIndex);
  BodyBuilder builder(body);
  builder.declare("queries_at", variable("query_base", kIndex) + first * integer(a_.query.vector));
  builder.declare_array("total", type(lanes_), {rows, tile_n_});
  BodyBuilder(unrolled(unrolled(body, "i", rows), "j", tile_n_)).assign(total, real(0, type(lanes_)));
  Body& sum = builder.loop(LoopKind::kSerial, "k", integer(0), integer(a_.depth), integer(1));
  BodyBuilder(sum).declare_array("right", type(lanes_), {tile_n_});
  const ExprPtr right = element("right", {j}, type(lanes_));
  const ExprPtr from = key * integer(a_.depth) + k_ * integer(panel) + j * integer(lanes_);
  BodyBuilder(unrolled(sum, "j", tile_n_)).assign(right, load(panels_, from, type(lanes_), a_.compute));
  Body& each_row = unrolled(sum, "i", rows);
  const ExprPtr query =
      load(of(a_.query).name, variable("queries_at", kIndex) + i * integer(a_.query.vector) + k_, one(), of(a_.query).storage);
  const ExprPtr left = BodyBuilder(each_row).declare("left", spread(query, lanes_));
  BodyBuilder(unrolled(each_row, "j", tile_n_)).assign(total, total + left * right);
  const ExprPtr to = (first - variable("block_at", kIndex) + i) * integer(stride_) + key + j * integer(lanes_);
  BodyBuilder(unrolled(unrolled(body, "i", rows), "j", tile_n_))
      .store({scores_, to, total * real(a_.scale, type(lanes_)), a_.compute, false});
}

void AttentionLowering::result_tile(Body& body, std::int64_t rows, const ExprPtr& first, const ExprPtr& column,
                                    std::int64_t registers, int lanes) const {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr total = element("total", {i, j}, type(lanes));
  BodyBuilder builder(body);
  builder.declare_array("total", type(lanes), {rows, registers});
  BodyBuilder(unrolled(unrolled(body, "i", rows), "j", registers)).assign(total, real(0, type(lanes)));
  Body& sum = builder.loop(LoopKind::kSerial, "key", integer(0), integer(a_.keys), integer(1));
  BodyBuilder(sum).declare_array("right", type(lanes), {registers});
  const ExprPtr right = element("right", {j}, type(lanes));
  const ExprPtr from = value_at_ + key_ * integer(a_.value.vector) + column + j * integer(lanes);
  BodyBuilder(unrolled(sum, "j", registers)).assign(right, load(of(a_.value).name, from, type(lanes), of(a_.value).storage));
  Body& each_row = unrolled(sum, "i", rows);
  const ExprPtr row_in_block = first - variable("block_at", kIndex) + i;
  const ExprPtr weight = load(scores_, row_in_block * integer(stride_) + key_, one(), a_.compute);
  const ExprPtr left = BodyBuilder(each_row).declare("left", spread(weight, lanes));
  BodyBuilder(unrolled(each_row, "j", registers)).assign(total, total + left * right);
  const KernelParameter& out = parameters_.back();
  const ExprPtr inverse = spread(load(inverses_, row_in_block, one(), a_.compute), lanes);
  const ExprPtr to = variable("result_base", kIndex) + (first + i) * integer(a_.result.vector) + column + j * integer(lanes);
  BodyBuilder(unrolled(unrolled(body, "i", rows), "j", registers)).store({out.name, to, total * inverse, out.storage, false});
}

// The block's results, strip by strip of the values' columns: a strip stays in the first caches for all tiles.
void AttentionLowering::weighted_values(Body& body) const {
  const ExprPtr col = variable("col", kIndex);
  const std::int64_t strip = tile_n_ * lanes_;
  const std::int64_t full = a_.width / strip * strip;
  const std::int64_t singles = a_.width / lanes_ * lanes_;
  const auto over = [&](std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t registers, int lanes) {
    if (begin == end) return;
    Body& at = BodyBuilder(body).loop(LoopKind::kVector, "col", integer(begin), integer(end), integer(step));
    over_tiles(at,
               [&](Body& tile, std::int64_t rows, const ExprPtr& first) { result_tile(tile, rows, first, col, registers, lanes); });
  };
  over(0, full, strip, tile_n_, lanes_);
  over(full, singles, lanes_, 1, lanes_);
  over(singles, a_.width, 1, 1, 1);
}

// The block's scores, panel by panel of keys.
void AttentionLowering::block_scores(Body& body) const {
  const std::int64_t panel = tile_n_ * lanes_;
  ExprPtr seen = integer(ceil_div(a_.keys, panel) * panel);
  if (a_.causal) {
    seen = BodyBuilder(body).declare_variable("seen", variable("block_end", kIndex));
    BodyBuilder(BodyBuilder(body).when(binary(">", seen, integer(a_.keys)))).assign(seen, integer(a_.keys));
  }
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "first_key", integer(0), seen, integer(panel));
  over_tiles(each, [this](Body& at, std::int64_t rows, const ExprPtr& first) { score_tile(at, rows, first); });
}

// Rows [block_at, block_end): all scores, then row by row their weights, then the weighted values.
void AttentionLowering::block(Body& body) {
  block_scores(body);
  const ExprPtr first = variable("block_at", kIndex);
  Body& rows = BodyBuilder(body).loop(LoopKind::kSerial, "row", first, variable("block_end", kIndex), integer(1));
  BodyBuilder(rows).declare("scores_at", (row_ - first) * integer(stride_));
  see_keys(rows);
  mask(rows);
  if (a_.causal) hide_later_keys(rows);
  softmax(rows);
  BodyBuilder(rows).store({inverses_, row_ - first, variable("inverse", one()), a_.compute, false});
  weighted_values(body);
}

std::string AttentionLowering::scratch(const char* wish, std::int64_t elements) {
  const std::string name = names_.unique(wish);
  const std::int64_t offset = ceil_div(function_.scratch_bytes, kCacheLine) * kCacheLine;
  function_.scratch.push_back({name, a_.compute, offset});
  function_.scratch_bytes = offset + ceil_div(elements * bits_of(a_.compute) / 8, kCacheLine) * kCacheLine;
  return name;
}

Function AttentionLowering::run() {
  const std::int64_t blocks = ceil_div(a_.queries, rows_per_task_);
  function_.tasks = a_.batches() * blocks;
  scores_ = scratch("scores", tiled_ ? block_rows_ * stride_ : a_.keys);
  const ExprPtr task = variable(function_.task_variable, kIndex);
  BodyBuilder builder(function_.body);
  builder.declare("batch", task / integer(blocks));
  base(function_.body, "key_at", a_.key, false);
  base(function_.body, "value_at", a_.value, false);
  const ExprPtr first = builder.declare("first_row", task % integer(blocks) * integer(rows_per_task_));
  const ExprPtr last = builder.declare_variable("last_row", first + integer(rows_per_task_));
  BodyBuilder(builder.when(binary(">", last, integer(a_.queries)))).assign(last, integer(a_.queries));
  if (!tiled_) {
    one_row(builder.loop(LoopKind::kSerial, "row", first, last, integer(1)));
  } else {
    inverses_ = scratch("inverses", block_rows_);
    panels_ = scratch("panels", ceil_div(a_.keys, tile_n_ * lanes_) * tile_n_ * lanes_ * a_.depth);
    base(function_.body, "query_base", a_.query, false);
    base(function_.body, "result_base", a_.result, false);
    lay_out_panels(function_.body, {a_, of(a_.key), key_at_, panels_, tile_n_ * lanes_, lanes_});
    Body& each = builder.loop(LoopKind::kSerial, "block_at", first, last, integer(block_rows_));
    const ExprPtr end = BodyBuilder(each).declare_variable("block_end", variable("block_at", kIndex) + integer(block_rows_));
    BodyBuilder(BodyBuilder(each).when(binary(">", end, last))).assign(end, last);
    block(each);
  }
  function_.parameters = parameters_;
  return std::move(function_);
}

}  // namespace

Function lower_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config) {
  return AttentionLowering(graph, attention, config).run();
}

}  // namespace fuselab::codegen
