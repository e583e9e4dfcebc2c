// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/lower_simt_contraction.h"

#include <algorithm>

#include "backends/codegen/forms/contraction_elements.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/epilogue.h"
#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

// Returns whether every index, with a tile beyond the ends, fits an int.
bool fits_int(const Graph& graph) {
  return std::all_of(graph.values().begin(), graph.values().end(),
                     [](const Value& value) { return element_count(value.type.shape).value() < std::int64_t{1} << 30; });
}

class SimtContraction {
 public:
  SimtContraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : c_(kernel.contraction),
        names_(simt_names()),
        parameters_(name_parameters(graph, names_)),
        epilogue_(graph, kernel.epilogue, parameters_, names_),
        elements_(graph, kernel, parameters_, names_),
        lanes_(config.integer("vector", 1)),
        tile_m_(config.integer("tile_m", 1)),
        tile_n_(config.integer("tile_n", 1)),
        thread_rows_(config.integer("rows_of_block", 8)),
        thread_columns_(config.integer("columns_of_block", 8)),
        depth_(config.integer("depth", 0)),
        unroll_(config.integer("unroll", 1)),
        narrow_(fits_int(graph)) {}

  Function run();

 private:
  std::int64_t rows() const { return tile_m_ * thread_rows_; }
  std::int64_t columns() const { return tile_n_ * thread_columns_ * lanes_; }
  std::int64_t threads() const { return thread_rows_ * thread_columns_; }
  IrType type(std::int64_t lanes) const { return {c_.compute, static_cast<int>(lanes)}; }
  Body& loop(Body& body, const std::string& name, std::int64_t count) {
    return BodyBuilder(body).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
  }
  ExprPtr row_of(const ExprPtr& i) const { return first_row_ + i * integer(thread_rows_) + thread_row_; }
  ExprPtr column_of(const ExprPtr& j) const {
    return first_col_ + (j * integer(thread_columns_) + thread_column_) * integer(lanes_);
  }

  void place();
  void stage(Body& body, const std::string& array, std::int64_t count, bool is_left, const ExprPtr& first_k);
  void step(Body& body, const ExprPtr& k, const ExprPtr& within_tile);
  void right_registers(Body& body, const ExprPtr& k);
  void finish(Body& body);

  const Contraction& c_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  ContractionElements elements_;
  std::int64_t lanes_, tile_m_, tile_n_, thread_rows_, thread_columns_, depth_, unroll_;
  bool narrow_;
  Function function_;
  ExprPtr batch_, left_at_, right_at_, thread_row_, thread_column_, first_row_, first_col_;
  std::string total_, i_, j_, left_tile_, right_tile_, registers_;
};

Function SimtContraction::run() {
  place();
  BodyBuilder builder(function_.body);
  total_ = names_.unique("total"), i_ = names_.unique("i"), j_ = names_.unique("j"), registers_ = names_.unique("right");
  builder.declare_array(total_, type(lanes_), {tile_m_, tile_n_});
  const ExprPtr i = variable(i_, kIndex), j = variable(j_, kIndex);
  BodyBuilder(loop(loop(function_.body, i_, tile_m_), j_, tile_n_))
      .assign(element(total_, {i, j}, type(lanes_)), real(0, type(lanes_)));
  const std::string k_name = names_.unique("k");
  const ExprPtr k = variable(k_name, kIndex);
  if (depth_ == 0) {
    step(builder.loop(LoopKind::kSerial, k_name, integer(0), integer(c_.k), integer(1), unroll_), k, nullptr);
  } else {
    Body& tiles = builder.loop(LoopKind::kSerial, k_name, integer(0), integer(c_.k), integer(depth_));
    stage(tiles, left_tile_, rows() * depth_, true, k);
    stage(tiles, right_tile_, depth_ * columns(), false, k);
    BodyBuilder(tiles).barrier();
    const std::string within_name = names_.unique("within");
    step(BodyBuilder(tiles).loop(LoopKind::kSerial, within_name, integer(0), integer(depth_), integer(1), unroll_), k,
         variable(within_name, kIndex));
    BodyBuilder(tiles).barrier();
  }
  finish(function_.body);
  function_.launch.narrow = narrow_;
  function_.parameters = parameters_;
  function_.launch.threads = threads();
  return std::move(function_);
}

// Computes which tile the block makes, and where in it the thread stands.
void SimtContraction::place() {
  BodyBuilder builder(function_.body);
  if (depth_ > 0) {
    left_tile_ = names_.unique("left_tile"), right_tile_ = names_.unique("right_tile");
    builder.shared({left_tile_, c_.compute, rows() * depth_});
    builder.shared({right_tile_, c_.compute, depth_ * columns()});
    function_.launch.shared_bytes = (rows() + columns()) * depth_ * bits_of(c_.compute) / 8;
  }
  const std::int64_t row_blocks = ceil_div(c_.m, rows()), col_blocks = ceil_div(c_.n, columns());
  function_.launch.blocks = std::to_string(c_.batches() * row_blocks * col_blocks);
  const auto named = [&](const char* name, const ExprPtr& value) {
    return value->kind == Expr::Kind::kInteger ? value : builder.declare(names_.unique(name), value);
  };
  const ExprPtr block = simt_index("block"), thread = simt_index("thread");
  thread_row_ = thread_rows_ == 1 ? integer(0) : named("thread_row", thread / integer(thread_columns_));
  thread_column_ = thread_columns_ == 1 ? integer(0) : named("thread_column", thread % integer(thread_columns_));
  batch_ = c_.batches() == 1 ? integer(0) : named("batch", block / integer(row_blocks * col_blocks));
  const ExprPtr inner = c_.batches() == 1 ? block : block % integer(row_blocks * col_blocks);
  first_row_ = row_blocks == 1 ? integer(0) : named("first_row", inner / integer(col_blocks) * integer(rows()));
  first_col_ = col_blocks == 1 ? integer(0) : named("first_col", inner % integer(col_blocks) * integer(columns()));
  left_at_ = named("left_at", strided_offset(c_.batch_extents, c_.left_strides, batch_));
  right_at_ = named("right_at", strided_offset(c_.batch_extents, c_.right_strides, batch_));
}

// The block's threads bring one operand's part of a tile into shared memory: rows × depth, or depth × columns.
void SimtContraction::stage(Body& body, const std::string& array, std::int64_t count, bool is_left, const ExprPtr& first_k) {
  const std::string name = names_.unique("at");
  const ExprPtr at = variable(name, kIndex);
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, name, simt_index("thread"), integer(count), integer(threads()));
  const bool ragged = c_.k % depth_ != 0;
  if (is_left) {
    const ExprPtr row = BodyBuilder(each).declare(names_.unique("row"), first_row_ + at / integer(depth_));
    const ExprPtr k = BodyBuilder(each).declare(names_.unique("step"), first_k + at % integer(depth_));
    const ExprPtr inside = both(c_.m % rows() != 0 ? below(row, c_.m) : nullptr, ragged ? below(k, c_.k) : nullptr);
    BodyBuilder(each).store(
        {array, at, elements_.read(each, {nullptr, [&](Body& there) { return elements_.left(there, left_at_, row, k); }}, inside),
         c_.compute, false});
    return;
  }
  // Neighbouring threads read what lies together.
  const bool along_k = c_.layout == RightLayout::kColumns;
  const ExprPtr k_within = along_k ? at % integer(depth_) : at / integer(columns());
  const ExprPtr col_within = along_k ? at / integer(depth_) : at % integer(columns());
  const ExprPtr k = BodyBuilder(each).declare(names_.unique("step"), first_k + k_within);
  const ExprPtr column = BodyBuilder(each).declare(names_.unique("column"), first_col_ + col_within);
  const ExprPtr inside = both(c_.n % columns() != 0 ? below(column, c_.n) : nullptr, ragged ? below(k, c_.k) : nullptr);
  // The place of an element is computed only for elements that exist.
  const ExprPtr value = elements_.read(each, elements_.right(each, right_at_, k, column), inside);
  BodyBuilder(each).store({array, k_within * integer(columns()) + col_within, value, c_.compute, false});
}

// One step of k: the registers of the right operand, then each row's product with them.
void SimtContraction::step(Body& body, const ExprPtr& k, const ExprPtr& within_tile) {
  BodyBuilder builder(body);
  const ExprPtr i = variable(i_, kIndex), j = variable(j_, kIndex);
  const ExprPtr reg = element(registers_, {j}, type(lanes_));
  builder.declare_array(registers_, type(lanes_), {tile_n_});
  if (within_tile) {
    const ExprPtr column = (j * integer(thread_columns_) + thread_column_) * integer(lanes_);
    BodyBuilder(loop(body, j_, tile_n_))
        .assign(reg, load(right_tile_, within_tile * integer(columns()) + column, type(lanes_), c_.compute));
  } else {
    right_registers(body, k);
  }
  Body& each_row = loop(body, i_, tile_m_);
  ExprPtr value;
  if (within_tile) {
    value = load(left_tile_, (i * integer(thread_rows_) + thread_row_) * integer(depth_) + within_tile, type(1), c_.compute);
  } else {
    // Rows beyond the last read it once more: nothing of theirs is kept.
    ExprPtr row = row_of(i);
    if (c_.m % rows() != 0) row = call("whole_min", kIndex, {row, integer(c_.m - 1)});
    value = elements_.left(each_row, left_at_, row, k);
  }
  if (lanes_ > 1) value = call("spread", type(lanes_), {value});
  value = BodyBuilder(each_row).declare(names_.unique("left"), value);
  const ExprPtr total = element(total_, {i, j}, type(lanes_));
  BodyBuilder(loop(each_row, j_, tile_n_)).assign(total, total + value * reg);
}

void SimtContraction::right_registers(Body& body, const ExprPtr& k) {
  const ExprPtr j = variable(j_, kIndex);
  const ExprPtr reg = element(registers_, {j}, type(lanes_));
  Body& each = loop(body, j_, tile_n_);
  ExprPtr column = column_of(j);
  if (c_.n % columns() != 0) column = call("whole_min", kIndex, {column, integer(c_.n - lanes_)});
  if (lanes_ == 1) {
    column = BodyBuilder(each).declare(names_.unique("column"), column);
    BodyBuilder(each).assign(reg, elements_.read(each, elements_.right(each, right_at_, k, column), nullptr));
    return;
  }
  const ExprPtr beside = elements_.right_registers(each, right_at_ + k * integer(c_.right_stride) + column, lanes_);
  BodyBuilder(each).assign(reg, beside);
}

void SimtContraction::finish(Body& body) {
  const ExprPtr i = variable(i_, kIndex), j = variable(j_, kIndex);
  Body& each = loop(loop(body, i_, tile_m_), j_, tile_n_);
  const ExprPtr row = BodyBuilder(each).declare(names_.unique("row"), row_of(i));
  const ExprPtr column = BodyBuilder(each).declare(names_.unique("column"), column_of(j));
  const ExprPtr inside =
      both(c_.m % rows() != 0 ? below(row, c_.m) : nullptr, c_.n % columns() != 0 ? below(column, c_.n) : nullptr);
  Body& kept = inside ? BodyBuilder(each).when(inside) : each;
  epilogue_.store(kept, batch_ * integer(c_.m) + row, column, element(total_, {i, j}, type(lanes_)));
}

}  // namespace

Function lower_simt_contraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return SimtContraction(graph, kernel, config).run();
}

std::string simt_contraction_bytes(const Contraction& contraction) {
  return "(tile_m * rows_of_block + tile_n * columns_of_block * vector) * depth * " +
         std::to_string(bits_of(contraction.compute) / 8);
}

}  // namespace fuselab::codegen
