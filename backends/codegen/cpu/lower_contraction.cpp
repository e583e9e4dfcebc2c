// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/lower_contraction.h"

#include <algorithm>
#include <functional>
#include <set>

#include "backends/codegen/cpu/pack_strip.h"
#include "backends/codegen/forms/contraction_operand.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

class ContractionLowering {
 public:
  ContractionLowering(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : c_(kernel.contraction),
        parameters_(name_parameters(graph, names_)),
        epilogue_(graph, kernel.epilogue, parameters_, names_),
        left_(Side::kLeft, graph, kernel, parameters_, names_),
        right_(Side::kRight, graph, kernel, parameters_, names_),
        computes_left_(kernel.computes(Side::kLeft)),
        packs_registers_(kernel.has_right_registers()),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        tile_m_(std::min(config.integer("tile_m", 4), c_.m)),
        tile_n_(config.integer("tile_n", 2)),
        rows_per_task_(std::min(config.integer("rows_per_task", 64), c_.m)),
        columns_first_(config.integer("loop_order", 0) != 0),
        packed_ahead_(config.integer("pack", 0) == 2 && may_pack_ahead(graph, kernel)),
        pack_(packed_ahead_ || must_pack(kernel) || (may_pack(c_) && config.integer("pack", 0) != 0)),
        columns_per_task_(computes_left_ ? ceil_div(ceil_div(c_.n, strip()), config.integer("column_parts", 1)) * strip()
                                         : strip()) {
    if (is_floating(c_.compute)) return;
    for (KernelParameter& parameter : parameters_) parameter.storage = c_.compute;
  }

  Function run() {
    decode_task();
    if (packed_ahead_) lay_out_ahead();
    if (computes_left_) compute_rows(function_.body);
    if (c_.prefers_dots()) {
      dots(function_.body);
    } else {
      strips(function_.body);
    }
    function_.parameters = parameters_;
    return std::move(function_);
  }

 private:
  std::int64_t strip() const { return c_.prefers_dots() ? kDotColumns : tile_n_ * lanes_; }
  IrType type(int lanes) const { return {c_.compute, lanes}; }
  ExprPtr zero(int lanes) const {
    return is_floating(c_.compute) ? real(0, type(lanes)) : call("splat", type(lanes), {integer(0)});
  }
  std::string scratch(const char* wish, std::int64_t elements);

  void decode_task();
  void compute_rows(Body& body);
  ExprPtr left_at(Body& body, const ExprPtr& row, const ExprPtr& k, int lanes) const;
  void strips(Body& body);
  void pack(Body& body);
  void lay_out_ahead();
  void tiles(Body& body);
  // Only `partial` elements of the last register are results; 0: all.
  void tile_rows(Body& body, const ExprPtr& column, std::int64_t registers, int lanes, std::int64_t partial = 0);
  void tile(Body& body, std::int64_t rows, const ExprPtr& row, const ExprPtr& column, std::int64_t registers, int lanes,
            std::int64_t partial);
  ExprPtr right_at(Body& body, const ExprPtr& k, const ExprPtr& column, int lanes) const;
  void prefetch_strip(Body& sum, const ExprPtr& column, std::int64_t width) const;
  void dots(Body& body);
  void dot(Body& body, const ExprPtr& row, const ExprPtr& column, std::int64_t columns);
  // Declares `name` = wish, cut to `limit` where the last block is shorter.
  static ExprPtr bounded(Body& body, const std::string& name, const ExprPtr& wish, const ExprPtr& limit, bool may_exceed);
  ExprPtr result_row(const ExprPtr& row) const { return batch_ * integer(c_.m) + row; }

  static constexpr std::int64_t kDotColumns = 64;

  const Contraction& c_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  ContractionOperand left_, right_;
  bool computes_left_, packs_registers_;
  int lanes_;
  std::int64_t tile_m_, tile_n_, rows_per_task_;
  bool columns_first_;
  bool packed_ahead_, pack_;
  std::int64_t columns_per_task_;    // whole strips
  std::string rows_, strip_, edge_;  // scratch: the task's rows of the left operand, the strip in hand, and a register's elements
  Function function_;
  ExprPtr batch_, left_base_, right_base_, first_row_, last_row_, first_col_, last_col_;
};

std::string ContractionLowering::scratch(const char* wish, std::int64_t elements) {
  const std::string name = names_.unique(wish);
  const std::int64_t offset = ceil_div(function_.scratch_bytes, 64) * 64;
  function_.scratch.push_back({name, c_.compute, offset});
  function_.scratch_bytes = offset + elements * bits_of(c_.compute) / 8;
  return name;
}

ExprPtr ContractionLowering::bounded(Body& body, const std::string& name, const ExprPtr& wish, const ExprPtr& limit,
                                     bool may_exceed) {
  BodyBuilder builder(body);
  if (!may_exceed) return wish->kind == Expr::Kind::kInteger ? wish : builder.declare(name, wish);
  const ExprPtr last = builder.declare_variable(name, wish);
  BodyBuilder(builder.when(binary(">", last, limit))).assign(last, limit);
  return last;
}

void ContractionLowering::decode_task() {
  const std::int64_t row_blocks = ceil_div(c_.m, rows_per_task_);
  const std::int64_t col_blocks = ceil_div(c_.n, columns_per_task_);
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
  last_row_ = bounded(function_.body, "last_row", first_row_ + integer(rows_per_task_), integer(c_.m), c_.m % rows_per_task_ != 0);
  first_col_ = named("first_col", col_block * integer(columns_per_task_));
  last_col_ =
      bounded(function_.body, "last_col", first_col_ + integer(columns_per_task_), integer(c_.n), c_.n % columns_per_task_ != 0);
  left_base_ = named("left_at", strided_offset(c_.batch_extents, c_.left_strides, batch_));
  right_base_ = named("right_at", strided_offset(c_.batch_extents, c_.right_strides, batch_));
}

// The task's rows of an operand that it computes itself, once for all of its columns.
void ContractionLowering::compute_rows(Body& body) {
  rows_ = scratch("rows", rows_per_task_ * c_.k);
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "row", first_row_, last_row_, integer(1));
  const ExprPtr row = variable("row", kIndex);
  const ExprPtr k = variable("k", kIndex);
  const auto put = [&](Body& at, int lanes) {
    const ExprPtr value = left_.at(at, left_base_ + row * integer(c_.left_row) + k, lanes);
    BodyBuilder(at).store({rows_, (row - first_row_) * integer(c_.k) + k, value, c_.compute, false});
  };
  const std::int64_t whole = c_.k / lanes_ * lanes_;
  if (whole > 0) put(BodyBuilder(each).loop(LoopKind::kVector, "k", integer(0), integer(c_.k), integer(lanes_)), lanes_);
  if (whole < c_.k) put(BodyBuilder(each).loop(LoopKind::kSerial, "k", integer(whole), integer(c_.k), integer(1)), 1);
}

ExprPtr ContractionLowering::left_at(Body& body, const ExprPtr& row, const ExprPtr& k, int lanes) const {
  if (computes_left_) return load(rows_, (row - first_row_) * integer(c_.k) + k, type(lanes), c_.compute);
  return left_.at(body, left_base_ + row * integer(c_.left_row) + k * integer(c_.left_step), lanes);
}

// A task's columns, strip by strip.
void ContractionLowering::strips(Body& body) {
  const bool packs = pack_ && !packed_ahead_;
  if (packs) strip_ = scratch("strip", c_.k * strip());
  if (!pack_ || columns_per_task_ == strip()) {
    if (packs) pack(body);
    tiles(body);
    return;
  }
  const std::string from = names_.unique("strip_begin");
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, from, first_col_, last_col_, integer(strip()));
  const ExprPtr end = last_col_;
  first_col_ = variable(from, kIndex);
  last_col_ = bounded(each, names_.unique("strip_end"), first_col_ + integer(strip()), end, true);
  if (packs) pack(each);
  tiles(each);
}

// Lays all strips of the right operand out one after the other, in a kernel of its own. What a last strip lacks stays unwritten.
void ContractionLowering::lay_out_ahead() {
  strip_ = names_.unique("packed");
  Function prepare;
  prepare.tasks = ceil_div(c_.n, strip());
  prepare.parameters = parameters_;
  prepare.parameters.push_back({strip_, c_.compute, true});
  function_.prepared_inputs = {c_.right};
  function_.prepared_bytes = prepare.tasks * c_.k * strip() * bits_of(c_.compute) / 8;
  BodyBuilder builder(prepare.body);
  const ExprPtr task = variable(prepare.task_variable, kIndex);
  const ExprPtr first = builder.declare("first_col", task * integer(strip()));
  const ExprPtr last = bounded(prepare.body, "last_col", first + integer(strip()), integer(c_.n), c_.n % strip() != 0);
  pack_strip(prepare.body, {.contraction = c_,
                            .source = right_,
                            .base = integer(0),
                            .strip = strip_,
                            .to = task * integer(c_.k * strip()),
                            .width = strip(),
                            .first = first,
                            .last = last,
                            .lanes = lanes_});
  function_.before.push_back(std::move(prepare));
  parameters_.push_back({strip_, c_.compute, false});
}

void ContractionLowering::pack(Body& body) {
  pack_strip(body, {.contraction = c_,
                    .source = right_,
                    .base = right_base_,
                    .strip = strip_,
                    .width = strip(),
                    .first = first_col_,
                    .last = last_col_,
                    .lanes = packs_registers_ ? lanes_ : 1});
}

ExprPtr ContractionLowering::right_at(Body& body, const ExprPtr& k, const ExprPtr& column, int lanes) const {
  if (pack_) {
    const ExprPtr from = packed_ahead_ ? first_col_ * integer(c_.k) + k * integer(strip()) : k * integer(strip());
    return load(strip_, from + (column - first_col_), type(lanes), c_.compute);
  }
  return right_.at(body, right_base_ + k * integer(c_.right_stride) + column, lanes);
}

// Full strips take all registers at once. A last strip that is packed is as wide; of its last register only a part is stored.
// Elsewhere what is left of the columns goes register by register, then one by one.
void ContractionLowering::tiles(Body& body) {
  const ExprPtr col = variable("col", kIndex);
  const auto columns_left = [&](std::int64_t at_least) { return c_.n >= at_least; };
  const std::int64_t rest = c_.n % strip();
  if (columns_left(strip())) {
    tile_rows(BodyBuilder(body).loop(LoopKind::kVector, "col", first_col_, last_col_, integer(strip())), col, tile_n_, lanes_);
  }
  const ExprPtr length = last_col_ - first_col_;
  if (pack_ && rest > 0) {
    const ExprPtr begin = BodyBuilder(body).declare("rest", first_col_ + length / integer(strip()) * integer(strip()));
    Body& last = BodyBuilder(body).when(binary("<", begin, last_col_));
    tile_rows(last, begin, ceil_div(rest, lanes_), lanes_, rest % lanes_);
    return;
  }
  if (tile_n_ > 1 && rest >= lanes_) {
    const ExprPtr begin = first_col_ + length / integer(strip()) * integer(strip());
    tile_rows(BodyBuilder(body).loop(LoopKind::kVector, "col", begin, last_col_, integer(lanes_)), col, 1, lanes_);
  }
  if (rest % lanes_ != 0) {
    const ExprPtr begin = first_col_ + length / integer(lanes_) * integer(lanes_);
    tile_rows(BodyBuilder(body).loop(LoopKind::kSerial, "col", begin, last_col_, integer(1)), col, 1, 1);
  }
}

void ContractionLowering::tile_rows(Body& body, const ExprPtr& column, std::int64_t registers, int lanes, std::int64_t partial) {
  const ExprPtr row = variable("row", kIndex);
  tile(BodyBuilder(body).loop(LoopKind::kVector, "row", first_row_, last_row_, integer(tile_m_)), tile_m_, row, column, registers,
       lanes, partial);
  // A block of rows and the last block leave different numbers of rows.
  std::set<std::int64_t> rests;
  if (c_.m >= rows_per_task_) rests.insert(rows_per_task_ % tile_m_);
  rests.insert(c_.m % rows_per_task_ % tile_m_);
  rests.erase(0);
  if (rests.empty()) return;
  const ExprPtr length = last_row_ - first_row_;
  const ExprPtr begin = first_row_ + length / integer(tile_m_) * integer(tile_m_);
  for (const std::int64_t rest : rests) {
    const bool always = rests.size() == 1 && (c_.m == rows_per_task_);
    Body& at = always ? BodyBuilder(body).scope() : BodyBuilder(body).when(binary("==", length % integer(tile_m_), integer(rest)));
    const ExprPtr first = begin->kind == Expr::Kind::kInteger ? begin : BodyBuilder(at).declare("last_rows", begin);
    tile(at, rest, first, column, registers, lanes, partial);
  }
}

void ContractionLowering::tile(Body& body, std::int64_t rows, const ExprPtr& row, const ExprPtr& column, std::int64_t registers,
                               int lanes, std::int64_t partial) {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr k = variable("k", kIndex);
  const ExprPtr total = element("total", {i, j}, type(lanes));
  const auto over = [&](Body& at, const char* name, std::int64_t count) -> Body& {
    return BodyBuilder(at).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
  };
  BodyBuilder builder(body);
  builder.declare_array("total", type(lanes), {rows, registers});
  BodyBuilder(over(over(body, "i", rows), "j", registers)).assign(total, zero(lanes));
  // Rows of the result lie far apart, so that no hardware sees them coming; the sum gives the lines time to arrive.
  if (c_.k >= kLeastTermsToPrefetch && lanes > 1)
    epilogue_.prefetch(over(over(body, "i", rows), "j", registers), result_row(row + i), column + j * integer(lanes));
  Body& sum = builder.loop(LoopKind::kSerial, "k", integer(0), integer(c_.k), integer(1));
  prefetch_strip(sum, column, registers * lanes);
  BodyBuilder(sum).declare_array("right", type(lanes), {registers});
  Body& each_register = over(sum, "j", registers);
  const ExprPtr operand = right_at(each_register, k, column + j * integer(lanes), lanes);
  BodyBuilder(each_register).assign(element("right", {j}, type(lanes)), operand);
  Body& each_row = over(sum, "i", rows);
  ExprPtr left_value = left_at(each_row, row + i, k, 1);
  if (lanes > 1) left_value = call("spread", type(lanes), {left_value});
  left_value = BodyBuilder(each_row).declare("left", left_value);
  BodyBuilder(over(each_row, "j", registers)).assign(total, total + left_value * element("right", {j}, type(lanes)));
  const std::int64_t whole = registers - (partial > 0 ? 1 : 0);
  if (whole > 0) {
    Body& finish = over(over(body, "i", rows), "j", whole);
    epilogue_.store(finish, result_row(row + i), column + j * integer(lanes), total);
  }
  if (partial == 0) return;
  // Register by register through memory: the elements behind the last column are no results.
  if (edge_.empty()) edge_ = scratch("edge", lanes_);
  Body& each = over(body, "i", rows);
  BodyBuilder(each).store({edge_, integer(0), element("total", {i, integer(whole)}, type(lanes)), c_.compute, false});
  Body& one = BodyBuilder(each).loop(LoopKind::kSerial, "j", integer(0), integer(partial), integer(1));
  epilogue_.store(one, result_row(row + i), column + integer(whole * lanes) + j, load(edge_, j, type(1), c_.compute));
}

// A full tile of rows that is the only one goes along a strip that lies ahead about as fast as memory brings it, but waits where
// hardware stops at the end of a page. Up to five rows gained nothing, twelve and sixteen, whose second tile finds the strip in the
// second cache, neither.
void ContractionLowering::prefetch_strip(Body& sum, const ExprPtr& column, std::int64_t width) const {
  constexpr std::int64_t kFewest = 7, kMost = 8, kAhead = 32;
  const std::int64_t line = 64 * 8 / bits_of(c_.compute);
  if (!packed_ahead_ || c_.m < kFewest || c_.m > kMost || width < line) return;
  Body& each = BodyBuilder(sum).loop(LoopKind::kUnrolled, "j", integer(0), integer(ceil_div(width, line)), integer(1));
  const ExprPtr ahead = (variable("k", kIndex) + integer(kAhead)) * integer(strip());
  BodyBuilder(each).prefetch(strip_,
                             first_col_ * integer(c_.k) + ahead + (column - first_col_) + variable("j", kIndex) * integer(line));
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
  const auto left_value = [&](Body& at, int lanes) { return left_at(at, row, k, lanes); };
  const auto right_value = [&](Body& at, int lanes) {
    return right_.at(at, right_base_ + (column + j) * integer(c_.right_stride) + k, lanes);
  };
  const ExprPtr part = element("part", {j}, type(lanes_));
  const ExprPtr total = element("total", {j}, type(1));
  BodyBuilder builder(body);
  builder.declare_array("part", type(lanes_), {columns});
  builder.declare_array("total", type(1), {columns});
  BodyBuilder(each(body)).assign(part, zero(lanes_));
  Body& vectors = builder.loop(LoopKind::kVector, "k", integer(0), integer(c_.k), integer(lanes_));
  const ExprPtr here = BodyBuilder(vectors).declare("left", left_value(vectors, lanes_));
  Body& each_part = each(vectors);
  const ExprPtr beside = right_value(each_part, lanes_);
  BodyBuilder(each_part).assign(part, part + here * beside);
  BodyBuilder(each(body)).assign(total, call("sum", type(1), {part}));
  if (c_.k % lanes_ != 0) {
    Body& tail = builder.loop(LoopKind::kSerial, "k", integer(c_.k / lanes_ * lanes_), integer(c_.k), integer(1));
    const ExprPtr one = BodyBuilder(tail).declare("left", left_value(tail, 1));
    Body& each_total = each(tail);
    const ExprPtr other = right_value(each_total, 1);
    BodyBuilder(each_total).assign(total, total + one * other);
  }
  epilogue_.store(each(body), result_row(row), column + j, total);
}

}  // namespace

bool must_pack(const ContractionKernel& kernel) {
  const Contraction& contraction = kernel.contraction;
  return !contraction.prefers_dots() && (contraction.layout != RightLayout::kRows || !kernel.has_right_registers());
}

bool may_pack(const Contraction& contraction) {
  return !contraction.prefers_dots() && contraction.m >= 8;
}

bool may_pack_ahead(const Graph& graph, const ContractionKernel& kernel) {
  const Contraction& c = kernel.contraction;
  const auto input = static_cast<std::size_t>(c.right);
  const bool constant = !kernel.computes(Side::kRight) && input < graph.inputs().size() &&
                        graph.value(graph.inputs()[input]).origin == ValueOrigin::kParam;
  return constant && !c.prefers_dots() && c.m > 1 &&
         std::all_of(c.right_strides.begin(), c.right_strides.end(), [](std::int64_t stride) { return stride == 0; });
}

Function lower_contraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return ContractionLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
