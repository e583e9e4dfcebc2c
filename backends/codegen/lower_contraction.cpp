// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/lower_contraction.h"

#include <algorithm>
#include <functional>

#include "backends/codegen/epilogue.h"
#include "backends/codegen/pack_strip.h"
#include "backends/codegen/row_address.h"

namespace fuselab::codegen {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

class ContractionLowering {
 public:
  ContractionLowering(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : c_(kernel.contraction),
        parameters_(name_parameters(graph, names_)),
        epilogue_(graph, kernel.epilogue, parameters_, names_),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        tile_m_(std::min(config.integer("tile_m", 4), c_.m)),
        tile_n_(config.integer("tile_n", 2)),
        rows_per_task_(std::min(config.integer("rows_per_task", 64), c_.m)),
        columns_first_(config.integer("loop_order", 0) != 0),
        pack_(must_pack(c_) || (may_pack(c_) && config.integer("pack", 0) != 0)) {}

  Function run() {
    decode_task();
    if (c_.prefers_dots()) {
      dots(function_.body);
    } else {
      if (pack_) pack();
      tiles(function_.body);
    }
    function_.parameters = parameters_;
    return std::move(function_);
  }

 private:
  std::int64_t strip() const { return c_.prefers_dots() ? kDotColumns : tile_n_ * lanes_; }
  IrType type(int lanes) const { return {c_.compute, lanes}; }
  const KernelParameter& left() const { return parameters_[static_cast<std::size_t>(c_.left)]; }
  const KernelParameter& right() const { return parameters_[static_cast<std::size_t>(c_.right)]; }

  void decode_task();
  void pack();
  void tiles(Body& body);
  void tile_rows(Body& body, const ExprPtr& column, std::int64_t registers, int lanes);
  void tile(Body& body, std::int64_t rows, const ExprPtr& row, const ExprPtr& column, std::int64_t registers, int lanes);
  ExprPtr right_at(const ExprPtr& k, const ExprPtr& column, int lanes) const;
  void dots(Body& body);
  void dot(Body& body, const ExprPtr& row, const ExprPtr& column, std::int64_t columns);
  // Declares `name` = wish, cut to `limit` where the last block is shorter.
  ExprPtr bounded(const std::string& name, const ExprPtr& wish, std::int64_t limit, bool may_exceed);
  ExprPtr result_row(const ExprPtr& row) const { return batch_ * integer(c_.m) + row; }

  static constexpr std::int64_t kDotColumns = 64;

  const Contraction& c_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  int lanes_;
  std::int64_t tile_m_, tile_n_, rows_per_task_;
  bool columns_first_;
  bool pack_;
  Function function_;
  ExprPtr batch_, left_at_, right_base_, first_row_, last_row_, first_col_, last_col_;
};

ExprPtr ContractionLowering::bounded(const std::string& name, const ExprPtr& wish, std::int64_t limit, bool may_exceed) {
  BodyBuilder builder(function_.body);
  if (!may_exceed) return wish->kind == Expr::Kind::kInteger ? wish : builder.declare(name, wish);
  const ExprPtr last = builder.declare_variable(name, wish);
  BodyBuilder(builder.when(binary(">", last, integer(limit)))).assign(last, integer(limit));
  return last;
}

void ContractionLowering::decode_task() {
  const std::int64_t row_blocks = ceil_div(c_.m, rows_per_task_);
  const std::int64_t col_blocks = ceil_div(c_.n, strip());
  function_.tasks = c_.batches() * row_blocks * col_blocks;
  const ExprPtr task = variable(function_.task_variable, kIndex);
  const ExprPtr inner = task % integer(row_blocks * col_blocks);
  BodyBuilder builder(function_.body);
  const auto named = [&](const char* name, ExprPtr value) {
    return value->kind == Expr::Kind::kInteger ? value : builder.declare(name, std::move(value));
  };
  batch_ = c_.batches() == 1 ? integer(0) : named("batch", task / integer(row_blocks * col_blocks));
  const ExprPtr within = c_.batches() == 1 ? task : inner;
  ExprPtr row_block = integer(0);
  ExprPtr col_block = integer(0);
  if (row_blocks == 1) {
    if (col_blocks > 1) col_block = within;
  } else if (col_blocks == 1) {
    row_block = within;
  } else if (columns_first_) {
    row_block = within / integer(col_blocks);
    col_block = within % integer(col_blocks);
  } else {
    row_block = within % integer(row_blocks);
    col_block = within / integer(row_blocks);
  }
  first_row_ = named("first_row", row_block * integer(rows_per_task_));
  last_row_ = bounded("last_row", first_row_ + integer(rows_per_task_), c_.m, c_.m % rows_per_task_ != 0);
  first_col_ = named("first_col", col_block * integer(strip()));
  last_col_ = bounded("last_col", first_col_ + integer(strip()), c_.n, c_.n % strip() != 0);
  left_at_ = named("left_at", strided_offset(c_.batch_extents, c_.left_strides, batch_));
  right_base_ = named("right_at", strided_offset(c_.batch_extents, c_.right_strides, batch_));
}

void ContractionLowering::pack() {
  const std::string strip_name = names_.unique("strip");
  function_.scratch.push_back({strip_name, c_.compute, 0});
  function_.scratch_bytes = c_.k * strip() * bits_of(c_.compute) / 8;
  pack_strip(function_.body, {.contraction = c_,
                              .source = right(),
                              .base = right_base_,
                              .strip = strip_name,
                              .width = strip(),
                              .first = first_col_,
                              .last = last_col_,
                              .lanes = lanes_});
}

ExprPtr ContractionLowering::right_at(const ExprPtr& k, const ExprPtr& column, int lanes) const {
  if (pack_) {
    return load(function_.scratch.front().name, k * integer(strip()) + (column - first_col_), type(lanes), c_.compute);
  }
  return load(right().name, right_base_ + k * integer(c_.right_stride) + column, type(lanes), right().storage);
}

// Full strips take all registers at once; what is left of the columns goes register by register, then one by one.
void ContractionLowering::tiles(Body& body) {
  const ExprPtr col = variable("col", kIndex);
  const auto columns_left = [&](std::int64_t at_least) { return c_.n >= at_least; };
  const std::int64_t rest = c_.n % strip();
  if (columns_left(strip())) {
    tile_rows(BodyBuilder(body).loop(LoopKind::kVector, "col", first_col_, last_col_, integer(strip())), col, tile_n_, lanes_);
  }
  const ExprPtr length = last_col_ - first_col_;
  if (tile_n_ > 1 && rest >= lanes_) {
    const ExprPtr begin = first_col_ + length / integer(strip()) * integer(strip());
    tile_rows(BodyBuilder(body).loop(LoopKind::kVector, "col", begin, last_col_, integer(lanes_)), col, 1, lanes_);
  }
  if (rest % lanes_ != 0) {
    const ExprPtr begin = first_col_ + length / integer(lanes_) * integer(lanes_);
    tile_rows(BodyBuilder(body).loop(LoopKind::kSerial, "col", begin, last_col_, integer(1)), col, 1, 1);
  }
}

void ContractionLowering::tile_rows(Body& body, const ExprPtr& column, std::int64_t registers, int lanes) {
  const ExprPtr row = variable("row", kIndex);
  tile(BodyBuilder(body).loop(LoopKind::kVector, "row", first_row_, last_row_, integer(tile_m_)), tile_m_, row, column, registers,
       lanes);
  const bool rest = tile_m_ > 1 && (rows_per_task_ % tile_m_ != 0 || c_.m % rows_per_task_ % tile_m_ != 0);
  if (!rest) return;
  const ExprPtr begin = first_row_ + (last_row_ - first_row_) / integer(tile_m_) * integer(tile_m_);
  tile(BodyBuilder(body).loop(LoopKind::kSerial, "row", begin, last_row_, integer(1)), 1, row, column, registers, lanes);
}

void ContractionLowering::tile(Body& body, std::int64_t rows, const ExprPtr& row, const ExprPtr& column, std::int64_t registers,
                               int lanes) {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr k = variable("k", kIndex);
  const ExprPtr total = element("total", {i, j}, type(lanes));
  const auto over = [&](Body& at, const char* name, std::int64_t count) -> Body& {
    return BodyBuilder(at).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
  };
  BodyBuilder builder(body);
  builder.declare_array("total", type(lanes), {rows, registers});
  BodyBuilder(over(over(body, "i", rows), "j", registers)).assign(total, real(0, type(lanes)));
  Body& sum = builder.loop(LoopKind::kSerial, "k", integer(0), integer(c_.k), integer(1));
  BodyBuilder(sum).declare_array("right", type(lanes), {registers});
  BodyBuilder(over(sum, "j", registers))
      .assign(element("right", {j}, type(lanes)), right_at(k, column + j * integer(lanes), lanes));
  Body& each_row = over(sum, "i", rows);
  const ExprPtr left_index = left_at_ + (row + i) * integer(c_.left_row) + k * integer(c_.left_step);
  ExprPtr left_value = load(left().name, left_index, type(1), left().storage);
  if (lanes > 1) left_value = call("spread", type(lanes), {left_value});
  left_value = BodyBuilder(each_row).declare("left", left_value);
  BodyBuilder(over(each_row, "j", registers)).assign(total, total + left_value * element("right", {j}, type(lanes)));
  Body& finish = over(over(body, "i", rows), "j", registers);
  epilogue_.store(finish, result_row(row + i), column + j * integer(lanes), total);
}

void ContractionLowering::dots(Body& body) {
  constexpr std::int64_t kAtOnce = 4;  // columns that share one load of the left operand
  BodyBuilder builder(body);
  Body& rows = builder.loop(LoopKind::kSerial, "row", first_row_, last_row_, integer(1));
  const ExprPtr row = variable("row", kIndex);
  const ExprPtr col = variable("col", kIndex);
  if (c_.n >= kAtOnce) {
    dot(BodyBuilder(rows).loop(LoopKind::kVector, "col", first_col_, last_col_, integer(kAtOnce)), row, col, kAtOnce);
  }
  if (c_.n % kAtOnce == 0) return;
  const ExprPtr begin = first_col_ + (last_col_ - first_col_) / integer(kAtOnce) * integer(kAtOnce);
  dot(BodyBuilder(rows).loop(LoopKind::kSerial, "col", begin, last_col_, integer(1)), row, col, 1);
}

void ContractionLowering::dot(Body& body, const ExprPtr& row, const ExprPtr& column, std::int64_t columns) {
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr k = variable("k", kIndex);
  const auto each = [&](Body& at) -> Body& {
    return BodyBuilder(at).loop(LoopKind::kUnrolled, "j", integer(0), integer(columns), integer(1));
  };
  const auto left_value = [&](int lanes) {
    return load(left().name, left_at_ + row * integer(c_.left_row) + k, type(lanes), left().storage);
  };
  const auto right_value = [&](int lanes) {
    return load(right().name, right_base_ + (column + j) * integer(c_.right_stride) + k, type(lanes), right().storage);
  };
  const ExprPtr part = element("part", {j}, type(lanes_));
  const ExprPtr total = element("total", {j}, type(1));
  BodyBuilder builder(body);
  builder.declare_array("part", type(lanes_), {columns});
  builder.declare_array("total", type(1), {columns});
  BodyBuilder(each(body)).assign(part, real(0, type(lanes_)));
  Body& vectors = builder.loop(LoopKind::kVector, "k", integer(0), integer(c_.k), integer(lanes_));
  const ExprPtr here = BodyBuilder(vectors).declare("left", left_value(lanes_));
  BodyBuilder(each(vectors)).assign(part, part + here * right_value(lanes_));
  BodyBuilder(each(body)).assign(total, call("sum", type(1), {part}));
  if (c_.k % lanes_ != 0) {
    Body& tail = builder.loop(LoopKind::kSerial, "k", integer(c_.k / lanes_ * lanes_), integer(c_.k), integer(1));
    const ExprPtr one = BodyBuilder(tail).declare("left", left_value(1));
    BodyBuilder(each(tail)).assign(total, total + one * right_value(1));
  }
  epilogue_.store(each(body), result_row(row), column + j, total);
}

}  // namespace

bool must_pack(const Contraction& contraction) {
  return !contraction.prefers_dots() && contraction.layout != RightLayout::kRows;
}

bool may_pack(const Contraction& contraction) {
  return !contraction.prefers_dots() && contraction.m >= 8;
}

Function lower_contraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return ContractionLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
