// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt_rows.h"

#include <algorithm>
#include <limits>

namespace fuselab::codegen {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

class RowKernel {
 public:
  RowKernel(const Graph& graph, const RowProgram& program, const LaunchConfig& config, Exchange exchange)
      : program_(program),
        exchange_(exchange),
        keeping_(static_cast<RowKeeping>(config.integer("keep", 0))),
        plan_(plan_passes(program, keeping_ == RowKeeping::kReadAgain ? Keeping::kNothing : Keeping::kAll)),
        values_(graph, program, plan_, simt_names()),
        lanes_(config.integer("vector", 1)),
        block_(config.integer("block", 256)),
        rows_per_block_(config.integer("rows_per_block", 1)),
        threads_(block_ / rows_per_block_),
        unroll_(config.integer("unroll", 1)),
        persistent_(config.integer("persistent", 0)),
        streaming_(config.integer("streaming", 0) != 0) {
    function_.launch.narrow = fits_int(graph, program, 2 * rows_per_block_ * program.cols + 2 * block_ * lanes_);
  }

  Function run(std::int64_t multiprocessors);

 private:
  const RowNode& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  std::int64_t tiles() const { return ceil_div(program_.rows(), rows_per_block_); }
  bool partial_tile() const { return program_.rows() % rows_per_block_ != 0; }
  // Whether a row's threads meet in shared memory.
  bool meets() const { return threads_ > (exchange_ == Exchange::kShuffles ? kWarp : 1); }
  // Of a row's threads, those that fold the parts of the others first where all pass through memory: about the square root of
  // them, so that both steps are short. 1: everyone folds all at once.
  std::int64_t folders() const {
    std::int64_t count = 1;
    while (threads_ > 8 && 4 * count * count <= threads_) count *= 2;
    return count;
  }
  ExprPtr lane_in_row() const { return threads_ == 1 ? integer(0) : variable("thread", kIndex); }
  ExprPtr reduced(int reduction) const { return variable(values_.name(reduction), values_.type(1)); }
  ExprPtr accumulator(int reduction) {
    return variable(values_.companion(reduction, "acc"), values_.type(static_cast<int>(lanes_)));
  }
  static ExprPtr combine(const RowNode& reduction, const ExprPtr& a, const ExprPtr& b) {
    return reduction.op == RowOp::kSum ? a + b : call("max", a->type, {a, b});
  }

  void declare_shared();
  void place_threads();
  void tile(Body& body);
  void place_row(Body& body);
  void keep_registers(Body& body);
  void pass(Body& body, const RowPass& pass);
  void step(Body& body, const RowPass& pass, const ExprPtr& chunk, const ExprPtr& column);
  bool reads_columns(const RowPass& pass, int index) const;
  bool needs_column(const RowPass& pass) const;
  void reduce(Body& body, const RowPass& pass);
  void butterfly(Body& body, int reduction, std::int64_t width);
  void reduce_by_warps(Body& body, const RowPass& pass);
  void reduce_in_memory(Body& body, const RowPass& pass);
  void fold(Body& body, int reduction, const char* array, const ExprPtr& first, std::int64_t count, std::int64_t step);
  Body& if_live(Body& body);

  const RowProgram& program_;
  Exchange exchange_;
  RowKeeping keeping_;
  RowPlan plan_;
  RowValues values_;
  std::int64_t lanes_, block_, rows_per_block_, threads_, unroll_, persistent_;
  bool streaming_;
  Function function_;
};

Function RowKernel::run(std::int64_t multiprocessors) {
  function_.parameters = values_.parameters();
  function_.launch.threads = block_;
  function_.launch.blocks = blocks_formula(tiles(), persistent_, multiprocessors);
  declare_shared();
  place_threads();
  BodyBuilder builder(function_.body);
  if (persistent_ == 0) {
    builder.declare("tile", simt_index("block"));
    tile(function_.body);
    return std::move(function_);
  }
  Body& loop = builder.loop(LoopKind::kSerial, "tile", simt_index("block"), integer(tiles()), simt_index("grid_size"));
  tile(loop);
  if (meets()) {
    BodyBuilder end(loop);
    end.comment("The next rows' partial results take the place of these.");
    end.barrier();
  }
  return std::move(function_);
}

void RowKernel::declare_shared() {
  BodyBuilder builder(function_.body);
  const auto declare = [&](const std::string& name, std::int64_t count) {
    builder.shared({name, program_.compute, count});
    function_.launch.shared_bytes += ceil_div(count * bits_of(program_.compute) / 8, 16) * 16;
  };
  if (keeping_ == RowKeeping::kShared) {
    for (const std::string& stage : values_.stages()) declare(stage, rows_per_block_ * program_.cols);
  }
  if (!meets()) return;
  for (const RowPass& pass : plan_.passes) {
    for (int reduction : pass.reductions) {
      const bool warps = exchange_ == Exchange::kShuffles;
      declare(values_.companion(reduction, "parts"), warps ? block_ / kWarp : block_);
      if (!warps && folders() > 1) declare(values_.companion(reduction, "sums"), rows_per_block_ * folders());
    }
  }
}

// Which of a row's threads this one is, and whose row.
void RowKernel::place_threads() {
  BodyBuilder builder(function_.body);
  const ExprPtr thread = simt_index("thread");
  if (rows_per_block_ == 1) {
    builder.declare("thread", thread);
    return;
  }
  if (threads_ > 1) builder.declare("thread", thread % integer(threads_));
  builder.declare("block_row", thread / integer(threads_));
}

void RowKernel::tile(Body& body) {
  values_.begin_row();
  place_row(body);
  keep_registers(body);
  for (int phase = 0; phase < program_.phases(); ++phase) {
    values_.declare_row_level(body, phase);
    pass(body, plan_.passes[static_cast<std::size_t>(phase)]);
  }
  const bool per_row = std::any_of(program_.outputs.begin(), program_.outputs.end(),
                                   [](const RowOutput& output) { return output.access.inner == 0; });
  if (!per_row) return;
  ExprPtr const first = binary("==", lane_in_row(), integer(0));
  store_row_outputs(program_, values_, if_live(threads_ == 1 ? body : BodyBuilder(body).when(first)));
}

// Threads without a row work on the last one again and store nothing, so that all of them meet at barriers and shuffles.
void RowKernel::place_row(Body& body) {
  if (program_.outer.empty() && rows_per_block_ == 1) return;
  BodyBuilder builder(body);
  const ExprPtr tile = variable("tile", kIndex);
  if (rows_per_block_ == 1) {
    builder.declare("row", tile);
    return;
  }
  const ExprPtr wanted = tile * integer(rows_per_block_) + variable("block_row", kIndex);
  if (!partial_tile()) {
    builder.declare("row", wanted);
    return;
  }
  const ExprPtr wanted_row = builder.declare("wanted_row", wanted);
  const ExprPtr row = builder.declare_variable("row", wanted_row);
  const ExprPtr last = integer(program_.rows() - 1);
  BodyBuilder(builder.when(binary(">", row, last))).assign(row, last);
}

Body& RowKernel::if_live(Body& body) {
  if (rows_per_block_ == 1 || !partial_tile()) return body;
  return BodyBuilder(body).when(binary("<", variable("wanted_row", kIndex), integer(program_.rows())));
}

void RowKernel::keep_registers(Body& body) {
  if (keeping_ != RowKeeping::kRegisters) return;
  const std::int64_t chunks = ceil_div(program_.cols, threads_ * lanes_);
  for (const std::string& stage : values_.stages()) {
    BodyBuilder(body).declare_array(stage, values_.type(static_cast<int>(lanes_)), {chunks});
  }
}

// Whether a value of a pass comes from memory where it is not kept.
bool RowKernel::reads_columns(const RowPass& pass, int index) const {
  const RowNode& here = node(index);
  if (here.level != Level::kFull || pass.takes.contains(index)) return false;
  return here.op == RowOp::kInput ||
         std::any_of(here.args.begin(), here.args.end(), [&](int arg) { return reads_columns(pass, arg); });
}

bool RowKernel::needs_column(const RowPass& pass) const {
  if (!pass.outputs.empty() || keeping_ == RowKeeping::kShared) return true;
  return std::any_of(pass.reductions.begin(), pass.reductions.end(),
                     [&](int reduction) { return reads_columns(pass, node(reduction).args[0]); });
}

// One walk over the row: whole chunks of the row's threads together, then what is left, for which some have nothing to do.
void RowKernel::pass(Body& body, const RowPass& pass) {
  if (pass.reductions.empty() && pass.outputs.empty()) return;
  for (int reduction : pass.reductions) {
    const double neutral = node(reduction).op == RowOp::kSum ? 0.0 : -std::numeric_limits<double>::infinity();
    BodyBuilder(body).declare_variable(values_.companion(reduction, "acc"), real(neutral, accumulator(reduction)->type));
  }
  const std::int64_t chunk_columns = threads_ * lanes_;
  const std::int64_t whole = program_.cols / chunk_columns;
  const auto column = [&](const ExprPtr& chunk) { return (chunk * integer(threads_) + lane_in_row()) * integer(lanes_); };
  if (whole > 0) {
    const bool held = keeping_ == RowKeeping::kRegisters;
    const ExprPtr chunk = variable("chunk", kIndex);
    Body& loop = BodyBuilder(body).loop(held ? LoopKind::kUnrolled : LoopKind::kSerial, "chunk", integer(0), integer(whole),
                                        integer(1), held ? 1 : std::min(unroll_, whole));
    const ExprPtr col = needs_column(pass) ? BodyBuilder(loop).declare("col", column(chunk)) : column(chunk);
    step(loop, pass, chunk, col);
  }
  if (program_.cols % chunk_columns != 0) {
    Body& rest = BodyBuilder(body).scope();
    const ExprPtr col = BodyBuilder(rest).declare("col", column(integer(whole)));
    step(BodyBuilder(rest).when(binary("<", col, integer(program_.cols))), pass, integer(whole), col);
  }
  reduce(body, pass);
}

void RowKernel::step(Body& body, const RowPass& pass, const ExprPtr& chunk, const ExprPtr& column) {
  Point point{.body = &body, .column = column, .lanes = static_cast<int>(lanes_), .pass = &pass};
  if (keeping_ == RowKeeping::kRegisters) {
    point.slot = chunk;
    point.slot_in_registers = true;
  } else if (keeping_ == RowKeeping::kShared && rows_per_block_ > 1) {
    point.slot = variable("block_row", kIndex) * integer(program_.cols) + column;
  }
  for (int reduction : pass.reductions) {
    const ExprPtr operand = values_.at(node(reduction).args[0], point);
    const ExprPtr target = accumulator(reduction);
    BodyBuilder(body).assign(target, combine(node(reduction), target, operand));
  }
  for (int output : pass.outputs) values_.at(program_.outputs[static_cast<std::size_t>(output)].node, point);
  for (int kept : pass.keeps) values_.keep(kept, point);
  if (pass.outputs.empty()) return;
  point.body = &if_live(body);
  store_outputs(program_, values_, pass, point, streaming_);
}

// Halves the distance until every one of `width` neighbouring lanes has the whole.
void RowKernel::butterfly(Body& body, int reduction, std::int64_t width) {
  const ExprPtr value = reduced(reduction);
  for (std::int64_t distance = width / 2; distance > 0; distance /= 2) {
    const ExprPtr other = call("shuffle_xor", value->type, {value, integer(distance), integer(width)});
    BodyBuilder(body).assign(value, combine(node(reduction), value, other));
  }
}

// From each thread's accumulator to the row's result, known to every thread of the row.
void RowKernel::reduce(Body& body, const RowPass& pass) {
  if (pass.reductions.empty()) return;
  for (int reduction : pass.reductions) {
    const char* const fold = node(reduction).op == RowOp::kSum ? "sum" : "largest";
    const ExprPtr own = accumulator(reduction);
    BodyBuilder(body).declare_variable(values_.name(reduction), lanes_ == 1 ? own : call(fold, values_.type(1), {own}));
    if (exchange_ == Exchange::kShuffles) butterfly(body, reduction, std::min<std::int64_t>(threads_, kWarp));
    values_.know(reduction, reduced(reduction));
  }
  if (!meets()) return;
  if (exchange_ == Exchange::kShuffles) {
    reduce_by_warps(body, pass);
  } else {
    reduce_in_memory(body, pass);
  }
}

void RowKernel::reduce_by_warps(Body& body, const RowPass& pass) {
  BodyBuilder builder(body);
  const auto parts = [&](int reduction, ExprPtr index) {
    return element(values_.companion(reduction, "parts"), {std::move(index)}, values_.type(1));
  };
  Body& first_lane = builder.when(binary("==", simt_index("lane"), integer(0)));
  for (int reduction : pass.reductions) BodyBuilder(first_lane).assign(parts(reduction, simt_index("warp")), reduced(reduction));
  builder.barrier();
  const std::int64_t warps = threads_ / kWarp;
  ExprPtr place = simt_index("lane") % integer(warps);
  if (warps == kWarp) place = simt_index("lane");
  if (rows_per_block_ > 1) place = variable("block_row", kIndex) * integer(warps) + place;
  for (int reduction : pass.reductions) {
    builder.assign(reduced(reduction), parts(reduction, place));
    butterfly(body, reduction, warps);
  }
}

// The row's result becomes the fold of `count` elements of an array from `first` on, `step` apart.
void RowKernel::fold(Body& body, int reduction, const char* array, const ExprPtr& first, std::int64_t count, std::int64_t step) {
  BodyBuilder builder(body);
  const ExprPtr value = reduced(reduction);
  const auto part = [&](const ExprPtr& index) { return element(values_.companion(reduction, array), {index}, values_.type(1)); };
  builder.assign(value, part(first));
  Body& rest = builder.loop(LoopKind::kSerial, "part", integer(1), integer(count), integer(1));
  const ExprPtr at = first + variable("part", kIndex) * integer(step);
  BodyBuilder(rest).assign(value, combine(node(reduction), value, part(at)));
}

// Every thread sees the parts folded in one order, so all of a row's threads have the very same result.
void RowKernel::reduce_in_memory(Body& body, const RowPass& pass) {
  BodyBuilder builder(body);
  const std::int64_t few = folders();
  const ExprPtr row = rows_per_block_ > 1 ? variable("block_row", kIndex) : integer(0);
  for (int reduction : pass.reductions) {
    builder.assign(element(values_.companion(reduction, "parts"), {simt_index("thread")}, values_.type(1)), reduced(reduction));
  }
  builder.barrier();
  if (few == 1) {
    for (int reduction : pass.reductions) fold(body, reduction, "parts", row * integer(threads_), threads_, 1);
    return;
  }
  Body& first = builder.when(binary("<", lane_in_row(), integer(few)));
  for (int reduction : pass.reductions) {
    fold(first, reduction, "parts", row * integer(threads_) + lane_in_row(), threads_ / few, few);
    const ExprPtr place = row * integer(few) + lane_in_row();
    BodyBuilder(first).assign(element(values_.companion(reduction, "sums"), {place}, values_.type(1)), reduced(reduction));
  }
  builder.barrier();
  for (int reduction : pass.reductions) fold(body, reduction, "sums", row * integer(few), few, 1);
}

}  // namespace

Function lower_simt_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config, std::int64_t multiprocessors,
                         Exchange exchange) {
  return RowKernel(graph, program, config, exchange).run(multiprocessors);
}

std::int64_t kept_at_once(const RowPlan& plan) {
  std::int64_t most = 0;
  for (std::size_t boundary = 1; boundary < plan.passes.size(); ++boundary) {
    std::int64_t alive = 0;
    for (const auto& [node, slot] : plan.stage_slots) {
      bool before = false;
      bool after = false;
      for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        before = before || (i < boundary && plan.passes[i].keeps.contains(node));
        after = after || (i >= boundary && plan.passes[i].takes.contains(node));
      }
      alive += before && after ? 1 : 0;
    }
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace fuselab::codegen
