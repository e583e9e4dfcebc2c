// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/lower_simt_attention.h"

#include <limits>

#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

class SimtAttention {
 public:
  SimtAttention(const Graph& graph, const Attention& attention, const LaunchConfig& config)
      : a_(attention),
        names_(simt_names()),
        parameters_(name_parameters(graph, names_)),
        scores_(names_.unique("scores")),
        parts_(names_.unique("parts")),
        block_(config.integer("block", 64)),
        lanes_(config.integer("vector", 1)) {}

  Function run();

 private:
  IrType type(std::int64_t lanes) const { return {a_.compute, static_cast<int>(lanes)}; }
  ExprPtr constant(double value) const { return real(value, type(1)); }
  const KernelParameter& of(const AttentionOperand& operand) const { return parameters_[static_cast<std::size_t>(operand.input)]; }
  ExprPtr read(const AttentionOperand& operand, const ExprPtr& at, std::int64_t lanes) const {
    return load(of(operand).name, at, type(lanes), of(operand).storage);
  }
  ExprPtr base(const char* name, const AttentionOperand& operand, bool by_query);
  Body& over(Body& body, const std::string& name, const ExprPtr& begin, std::int64_t end, std::int64_t step) {
    return BodyBuilder(body).loop(LoopKind::kSerial, name, begin, integer(end), integer(step));
  }
  // Returns what all threads found, joined; `mine` is this thread's.
  ExprPtr joined(const char* name, const ExprPtr& mine, const ExprPtr& neutral, bool most);
  ExprPtr score(Body& body, const ExprPtr& key);
  ExprPtr product(Body& body, const ExprPtr& key);

  const Attention& a_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  std::string scores_, parts_;
  std::int64_t block_, lanes_;
  Function function_;
  ExprPtr batch_, row_, query_at_, key_at_, value_at_, mask_at_, result_at_;
};

ExprPtr SimtAttention::base(const char* name, const AttentionOperand& operand, bool by_query) {
  ExprPtr at = strided_offset(a_.batch_extents, operand.batches, batch_);
  if (by_query) at = at + row_ * integer(operand.vector);
  return BodyBuilder(function_.body).declare(names_.unique(name), at);
}

// query · key, by registers where both vectors are contiguous, then one by one.
ExprPtr SimtAttention::product(Body& body, const ExprPtr& key) {
  BodyBuilder builder(body);
  const std::string k_name = names_.unique("k");
  const ExprPtr k = variable(k_name, kIndex);
  const auto at = [&](std::int64_t lanes) {
    return read(a_.query, query_at_ + k * integer(a_.query.element), lanes) *
           read(a_.key, key_at_ + key * integer(a_.key.vector) + k * integer(a_.key.element), lanes);
  };
  const std::int64_t whole = lanes_ > 1 ? a_.depth / lanes_ * lanes_ : 0;
  ExprPtr total = constant(0);
  if (whole > 0) {
    const ExprPtr part = builder.declare_variable(names_.unique("part"), real(0, type(lanes_)));
    BodyBuilder(over(body, k_name, integer(0), whole, lanes_)).assign(part, part + at(lanes_));
    total = call("sum", type(1), {part});
  }
  total = builder.declare_variable(names_.unique("product"), total);
  if (whole < a_.depth) BodyBuilder(over(body, k_name, integer(whole), a_.depth, 1)).assign(total, total + at(1));
  return total;
}

ExprPtr SimtAttention::score(Body& body, const ExprPtr& key) {
  BodyBuilder builder(body);
  const ExprPtr value = builder.declare_variable(names_.unique("score"), product(body, key) * constant(a_.scale));
  if (a_.softcap > 0) {
    builder.assign(value, constant(a_.softcap) * call("tanh", type(1), {value / constant(a_.softcap)}));
  }
  const ExprPtr hidden = constant(-std::numeric_limits<double>::infinity());
  if (a_.has_mask) {
    const ExprPtr mask = read(a_.mask, mask_at_ + key * integer(a_.mask.element), 1);
    const bool is_truth = of(a_.mask).storage == DType::kBool;
    const ExprPtr instead = constant(a_.hidden);
    const auto chosen = [&] {
      return call("where", type(1), {mask, a_.hides_where_true ? instead : value, a_.hides_where_true ? value : instead});
    };
    builder.assign(value, is_truth ? chosen() : value + mask);
  }
  if (a_.causal) BodyBuilder(builder.when(binary(">", key, row_))).assign(value, hidden);
  return value;
}

ExprPtr SimtAttention::joined(const char* name, const ExprPtr& mine, const ExprPtr& neutral, bool most) {
  BodyBuilder builder(function_.body);
  builder.store({parts_, simt_index("thread"), mine, a_.compute, false});
  builder.barrier();
  const ExprPtr all = builder.declare_variable(names_.unique(name), neutral);
  const std::string part_name = names_.unique("from");
  Body& each = over(function_.body, part_name, integer(0), block_, 1);
  const ExprPtr part = load(parts_, variable(part_name, kIndex), type(1), a_.compute);
  BodyBuilder(each).assign(all, most ? call("max", type(1), {all, part}) : all + part);
  builder.barrier();  // the parts are written again
  return all;
}

Function SimtAttention::run() {
  BodyBuilder builder(function_.body);
  builder.shared({scores_, a_.compute, a_.keys});
  builder.shared({parts_, a_.compute, block_});
  const ExprPtr block = simt_index("block"), thread = simt_index("thread");
  batch_ = a_.batches() == 1 ? integer(0) : builder.declare(names_.unique("batch"), block / integer(a_.queries));
  row_ = builder.declare(names_.unique("query_row"), a_.batches() == 1 ? block : block % integer(a_.queries));
  query_at_ = base("query_at", a_.query, true);
  key_at_ = base("key_at", a_.key, false);
  value_at_ = base("value_at", a_.value, false);
  result_at_ = base("result_at", a_.result, true);
  if (a_.has_mask) mask_at_ = base("mask_at", a_.mask, true);

  const ExprPtr lowest = constant(a_.least_score());
  const std::string key_name = names_.unique("key");
  const ExprPtr key = variable(key_name, kIndex);
  const ExprPtr my_most = builder.declare_variable(names_.unique("my_most"), lowest);
  Body& scoring = over(function_.body, key_name, thread, a_.keys, block_);
  const ExprPtr found = score(scoring, key);
  BodyBuilder(scoring).store({scores_, key, found, a_.compute, false});
  BodyBuilder(scoring).assign(my_most, call("max", type(1), {my_most, found}));
  const ExprPtr most = joined("most", my_most, lowest, true);

  const ExprPtr my_sum = builder.declare_variable(names_.unique("my_sum"), constant(0));
  Body& weighing = over(function_.body, key_name, thread, a_.keys, block_);
  const ExprPtr weight = BodyBuilder(weighing).declare(names_.unique("weight"),
                                                       call("exp", type(1), {load(scores_, key, type(1), a_.compute) - most}));
  BodyBuilder(weighing).store({scores_, key, weight, a_.compute, false});
  BodyBuilder(weighing).assign(my_sum, my_sum + weight);
  ExprPtr sum = joined("sum_of_weights", my_sum, constant(0), false);
  // The largest score weighs 1; where all are hidden, nothing weighs anything.
  if (a_.hidden_is_zero) sum = builder.declare(names_.unique("divisor"), call("max", type(1), {sum, constant(1)}));

  const std::string col_name = names_.unique("column");
  const ExprPtr col = variable(col_name, kIndex);
  Body& columns = over(function_.body, col_name, thread, a_.width, block_);
  const ExprPtr total = BodyBuilder(columns).declare_variable(names_.unique("total"), constant(0));
  Body& each = over(columns, key_name, integer(0), a_.keys, 1);
  const ExprPtr value = read(a_.value, value_at_ + key * integer(a_.value.vector) + col * integer(a_.value.element), 1);
  BodyBuilder(each).assign(total, total + load(scores_, key, type(1), a_.compute) * value);
  const KernelParameter& out = parameters_.back();
  BodyBuilder(columns).store({out.name, result_at_ + col * integer(a_.result.element), total / sum, out.storage, false});

  function_.parameters = parameters_;
  function_.launch.threads = block_;
  function_.launch.blocks = std::to_string(a_.batches() * a_.queries);
  function_.launch.shared_bytes = simt_attention_bytes(a_, block_);
  return std::move(function_);
}

}  // namespace

Function lower_simt_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config) {
  return SimtAttention(graph, attention, config).run();
}

std::int64_t simt_attention_bytes(const Attention& attention, std::int64_t threads) {
  return (attention.keys + threads) * bits_of(attention.compute) / 8;
}

}  // namespace fuselab::codegen
