// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/lower_attention.h"

#include <functional>
#include <limits>

#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kCacheLine = 64;

class AttentionLowering {
 public:
  AttentionLowering(const Graph& graph, const Attention& attention, const LaunchConfig& config)
      : a_(attention),
        parameters_(name_parameters(graph, names_)),
        scores_(names_.unique("scores")),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        tile_n_(config.integer("tile_n", 4)),
        rows_per_task_(config.integer("rows_per_task", 16)) {}

  Function run();

 private:
  IrType type(int lanes) const { return {a_.compute, lanes}; }
  IrType one() const { return type(1); }
  const KernelParameter& of(const AttentionOperand& operand) const { return parameters_[static_cast<std::size_t>(operand.input)]; }
  ExprPtr spread(const ExprPtr& value, int lanes) const { return lanes == 1 ? value : call("spread", type(lanes), {value}); }
  ExprPtr score_at(const ExprPtr& at, int lanes) const { return load(scores_, at, type(lanes), a_.compute); }
  void put_score(Body& body, const ExprPtr& at, const ExprPtr& value) const {
    BodyBuilder(body).store({scores_, at, value, a_.compute, false});
  }
  // for key in [0, keys): registers first, then what is left.
  void over_keys(Body& body, const std::function<void(Body&, int)>& visit) const;
  ExprPtr base(Body& body, const char* name, const AttentionOperand& operand, bool by_query) const;

  void scores_by_dots(Body& body) const;
  void scores_by_columns(Body& body) const;
  void mask(Body& body) const;
  void hide_later_keys(Body& body);
  void softmax(Body& body) const;
  void weigh(Body& body, const ExprPtr& first, std::int64_t registers, int lanes) const;
  void results(Body& body) const;

  const Attention& a_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  std::string scores_;
  int lanes_;
  std::int64_t tile_n_, rows_per_task_;
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

Function AttentionLowering::run() {
  Function function;
  const std::int64_t blocks = (a_.queries + rows_per_task_ - 1) / rows_per_task_;
  function.tasks = a_.batches() * blocks;
  function.scratch.push_back({scores_, a_.compute, 0});
  function.scratch_bytes = (a_.keys * bits_of(a_.compute) / 8 + kCacheLine - 1) / kCacheLine * kCacheLine;
  const ExprPtr task = variable(function.task_variable, kIndex);
  BodyBuilder builder(function.body);
  builder.declare("batch", task / integer(blocks));
  base(function.body, "key_at", a_.key, false);
  base(function.body, "value_at", a_.value, false);
  const ExprPtr first = builder.declare("first_row", task % integer(blocks) * integer(rows_per_task_));
  const ExprPtr last = builder.declare_variable("last_row", first + integer(rows_per_task_));
  BodyBuilder(builder.when(binary(">", last, integer(a_.queries)))).assign(last, integer(a_.queries));
  Body& body = builder.loop(LoopKind::kSerial, "row", first, last, integer(1));
  base(body, "query_at", a_.query, true);
  base(body, "result_at", a_.result, true);
  if (a_.causal) {
    // Later keys are not looked at for their scores. Their weight is 0, and 0 · NaN in their values stays NaN, as ONNX has it.
    keys_ = BodyBuilder(body).declare_variable("keys_seen", row_ + integer(1));
    BodyBuilder(BodyBuilder(body).when(binary(">", keys_, integer(a_.keys)))).assign(keys_, integer(a_.keys));
  }
  if (a_.key.element == 1) {
    scores_by_dots(body);
  } else {
    scores_by_columns(body);
  }
  mask(body);
  if (a_.causal) hide_later_keys(body);
  softmax(body);
  results(body);
  function.parameters = parameters_;
  return function;
}

}  // namespace

Function lower_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config) {
  return AttentionLowering(graph, attention, config).run();
}

}  // namespace fuselab::codegen
