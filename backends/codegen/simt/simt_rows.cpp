// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_rows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "backends/codegen/emit/element_ops.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/simt/simt_exchange.h"
#include "backends/codegen/simt/simt_keeping.h"

namespace fuselab::codegen {
namespace {

class RowKernel {
 public:
  RowKernel(const Graph& graph, const RowProgram& program, const LaunchConfig& config, const RowTarget& target)
      : program_(program),
        target_(target),
        keeping_(static_cast<RowKeeping>(config.integer("keep", 0))),
        plan_(row_plan(program, keeping_)),
        values_(graph, program, plan_, simt_names()),
        lanes_(config.integer("vector", 1)),
        block_(config.integer("block", 256)),
        rows_per_block_(config.integer("rows_per_block", 1)),
        threads_(block_ / rows_per_block_),
        exchange_(program, values_, target.exchange, {block_, rows_per_block_, threads_, target.warp}),
        peels_(!lanes_fit(program, lanes_)),
        unroll_(config.integer("unroll", 1)),
        persistent_(config.integer("persistent", 0)),
        streaming_(config.integer("streaming", 0) != 0) {
    function_.launch.narrow = fits_int(graph, program, 2 * rows_per_block_ * program.cols + 2 * block_ * lanes_);
  }

  Function run();

 private:
  const RowNode& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  std::int64_t tiles() const { return ceil_div(program_.rows(), rows_per_block_); }
  bool partial_tile() const { return program_.rows() % rows_per_block_ != 0; }
  ExprPtr lane_in_row() const { return threads_ == 1 ? integer(0) : variable("thread", kIndex); }
  // A running largest and its sum are one number each, for a register's lanes share the largest.
  bool runs(int reduction) const {
    return std::any_of(plan_.passes.begin(), plan_.passes.end(), [reduction](const RowPass& pass) {
      return std::any_of(pass.running.begin(), pass.running.end(),
                         [reduction](const RunningSum& each) { return each.sum == reduction || each.largest == reduction; });
    });
  }
  // Returns what the elements before and behind the registers add up to.
  ExprPtr edge(int reduction) { return variable(values_.companion(reduction, "edge"), values_.type(1)); }
  ExprPtr accumulator(int reduction) {
    return variable(values_.companion(reduction, "acc"), values_.type(runs(reduction) ? 1 : static_cast<int>(lanes_)));
  }

  void declare_shared();
  void place_threads();
  void tile(Body& body);
  void place_row(Body& body);
  void keep_registers(Body& body);
  void pass(Body& body, const RowPass& pass);
  void turns(Body& body, const RowPass& pass);
  void peeled_turns(Body& body, const RowPass& pass);
  void place_head(Body& body);
  void step(Body& body, const RowPass& pass, const ExprPtr& chunk, const ExprPtr& column, std::int64_t lanes);
  bool reads_columns(const RowPass& pass, int index) const;
  bool needs_column(const RowPass& pass) const;
  void reduce(Body& body, const RowPass& pass);
  void reduce(Body& body, const std::vector<int>& reductions, const std::function<ExprPtr(int)>& part);
  ExprPtr at_least_finite(const ExprPtr& largest) const;
  void run_along(Body& body, const RunningSum& running, const ExprPtr& x);
  Body& if_live(Body& body);

  const RowProgram& program_;
  RowTarget target_;
  RowKeeping keeping_;
  RowPlan plan_;
  RowValues values_;
  std::int64_t lanes_, block_, rows_per_block_, threads_;
  RowExchange exchange_;
  bool peels_;  // a row's registers begin where memory is aligned
  std::int64_t unroll_, persistent_;
  bool streaming_;
  Function function_;
};

Function RowKernel::run() {
  function_.parameters = values_.parameters();
  function_.launch.threads = block_;
  function_.launch.blocks = blocks_formula(tiles(), persistent_, target_.multiprocessors);
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
  if (exchange_.meets()) {
    BodyBuilder end(loop);
    end.comment("The next rows' partial results take the place of these.");
    end.barrier();
  }
  return std::move(function_);
}

// Either all arrays are static, or all lie in memory that the launch asks for.
void RowKernel::declare_shared() {
  std::vector<Shared> arrays;
  std::int64_t bytes = 0;
  const auto add = [&](const std::string& name, DType dtype, std::int64_t count) {
    arrays.push_back({name, dtype, count, bytes});
    bytes += ceil_div(count * bits_of(dtype) / 8, 16) * 16;
  };
  if (in_shared_memory(keeping_)) {
    for (std::size_t slot = 0; slot < values_.stages().size(); ++slot) {
      add(values_.stages()[slot], values_.stage_storage(slot), rows_per_block_ * program_.cols);
    }
  }
  const auto add_parts = [&](const std::string& name, std::int64_t count) { add(name, program_.compute, count); };
  for (const RowPass& pass : plan_.passes) {
    for (int reduction : pass.reductions) exchange_.arrays_of(reduction, add_parts);
    for (const RunningSum& each : pass.running) exchange_.arrays_of(each.sum, add_parts);
  }
  for (Shared& array : arrays) {
    if (bytes <= target_.static_shared_bytes) array.offset = -1;
    BodyBuilder(function_.body).shared(std::move(array));
  }
  function_.launch.shared_bytes = bytes;
}

// Computes which of a row's threads this one is, and whose row it works on.
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
  place_head(body);
  keep_registers(body);
  for (int phase = 0; phase < program_.phases(); ++phase) {
    values_.declare_row_level(body, phase);
    pass(body, plan_.passes[static_cast<std::size_t>(phase)]);
  }
  const bool per_row = std::any_of(program_.outputs.begin(), program_.outputs.end(),
                                   [](const RowOutput& output) { return output.access.inner == 0; });
  if (!per_row) return;
  const ExprPtr first = binary("==", lane_in_row(), integer(0));
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

// Returns whether a value of a pass comes from memory because it is not kept.
bool RowKernel::reads_columns(const RowPass& pass, int index) const {
  const RowNode& here = node(index);
  if (here.level != Level::kFull || pass.takes.contains(index)) return false;
  return here.op == RowOp::kInput ||
         std::any_of(here.args.begin(), here.args.end(), [&](int arg) { return reads_columns(pass, arg); });
}

bool RowKernel::needs_column(const RowPass& pass) const {
  if (!pass.outputs.empty() || in_shared_memory(keeping_)) return true;
  return std::any_of(pass.reductions.begin(), pass.reductions.end(),
                     [&](int reduction) { return reads_columns(pass, node(reduction).args[0]); });
}

// One walk over the row.
void RowKernel::pass(Body& body, const RowPass& pass) {
  if (pass.reductions.empty() && pass.outputs.empty()) return;
  const auto begin = [&](int reduction) {
    const double neutral = node(reduction).op == RowOp::kSum ? 0.0 : -std::numeric_limits<double>::infinity();
    const auto declare = [&](const ExprPtr& own) { BodyBuilder(body).declare_variable(own->text, real(neutral, own->type)); };
    declare(accumulator(reduction));
    if (peels_ && !runs(reduction)) declare(edge(reduction));
  };
  for (int reduction : pass.reductions) begin(reduction);
  for (const RunningSum& each : pass.running) begin(each.sum);
  if (peels_) {
    peeled_turns(body, pass);
  } else {
    turns(body, pass);
  }
  reduce(body, pass);
}

// Whole chunks of the row's threads together, then what is left, for which some have nothing to do.
void RowKernel::turns(Body& body, const RowPass& pass) {
  const std::int64_t chunk_columns = threads_ * lanes_;
  const std::int64_t whole = program_.cols / chunk_columns;
  const auto column = [&](const ExprPtr& chunk) { return (chunk * integer(threads_) + lane_in_row()) * integer(lanes_); };
  if (whole > 0) {
    const bool held = keeping_ == RowKeeping::kRegisters;
    const ExprPtr chunk = variable("chunk", kIndex);
    Body& loop = BodyBuilder(body).loop(held ? LoopKind::kUnrolled : LoopKind::kSerial, "chunk", integer(0), integer(whole),
                                        integer(1), held ? 1 : std::min(unroll_, whole));
    const ExprPtr col = needs_column(pass) ? BodyBuilder(loop).declare("col", column(chunk)) : column(chunk);
    step(loop, pass, chunk, col, lanes_);
  }
  if (program_.cols % chunk_columns != 0) {
    Body& rest = BodyBuilder(body).scope();
    const ExprPtr col = BodyBuilder(rest).declare("col", column(integer(whole)));
    step(BodyBuilder(rest).when(binary("<", col, integer(program_.cols))), pass, integer(whole), col, lanes_);
  }
}

// The elements of this row that lie before the first aligned address.
void RowKernel::place_head(Body& body) {
  if (!peels_) return;
  const bool one_row = program_.outer.empty() && rows_per_block_ == 1;
  const ExprPtr before = one_row ? integer(0) : variable("row", kIndex) * integer(program_.cols) % integer(lanes_);
  BodyBuilder(body).declare("head", one_row ? integer(0) : (integer(lanes_) - before) % integer(lanes_));
}

// Registers from the head on, as many as every row has; then one more for some; then head and tail, an element a thread.
void RowKernel::peeled_turns(Body& body, const RowPass& pass) {
  const ExprPtr head = variable("head", kIndex);
  const ExprPtr chunk = variable("chunk", kIndex);
  const std::int64_t whole = (program_.cols - lanes_ + 1) / lanes_ / threads_;
  const auto column = [&](const ExprPtr& of) { return (of * integer(threads_) + lane_in_row()) * integer(lanes_) + head; };
  if (whole > 0) {
    Body& loop =
        BodyBuilder(body).loop(LoopKind::kSerial, "chunk", integer(0), integer(whole), integer(1), std::min(unroll_, whole));
    step(loop, pass, chunk, BodyBuilder(loop).declare("col", column(chunk)), lanes_);
  }
  if (program_.cols / lanes_ > whole * threads_) {
    Body& rest = BodyBuilder(body).scope();
    const ExprPtr col = BodyBuilder(rest).declare("col", column(integer(whole)));
    step(BodyBuilder(rest).when(binary("<=", col, integer(program_.cols - lanes_))), pass, integer(whole), col, lanes_);
  }
  Body& edges = BodyBuilder(body).scope();
  const ExprPtr count = BodyBuilder(edges).declare("edge", head + (integer(program_.cols) - head) % integer(lanes_));
  Body& own = BodyBuilder(edges).when(binary("<", lane_in_row(), count));
  const ExprPtr behind = binary(">=", lane_in_row(), head) * (integer(program_.cols) - count);
  step(own, pass, chunk, BodyBuilder(own).declare("col", lane_in_row() + behind), 1);
}

void RowKernel::step(Body& body, const RowPass& pass, const ExprPtr& chunk, const ExprPtr& column, std::int64_t lanes) {
  Point point{.body = &body, .column = column, .lanes = static_cast<int>(lanes), .pass = &pass, .peeled = peels_};
  if (keeping_ == RowKeeping::kRegisters) {
    point.slot = chunk;
    point.slot_in_registers = true;
  } else if (in_shared_memory(keeping_) && rows_per_block_ > 1) {
    point.slot = variable("block_row", kIndex) * integer(program_.cols) + column;
  }
  for (int reduction : pass.reductions) {
    if (runs(reduction)) continue;
    const ExprPtr operand = values_.at(node(reduction).args[0], point);
    const ExprPtr target = lanes == lanes_ ? accumulator(reduction) : edge(reduction);
    BodyBuilder(body).assign(target, RowExchange::combine(node(reduction), target, operand));
  }
  for (const RunningSum& each : pass.running) run_along(body, each, values_.at(each.operand, point));
  for (int output : pass.outputs) values_.at(program_.outputs[static_cast<std::size_t>(output)].node, point);
  for (int kept : pass.keeps) values_.keep(kept, point);
  if (pass.outputs.empty()) return;
  point.body = &if_live(body);
  store_outputs(program_, values_, pass, point, streaming_);
}

// Folds what a row's threads have of some reductions; each begins with `part` of it.
void RowKernel::reduce(Body& body, const std::vector<int>& reductions, const std::function<ExprPtr(int)>& part) {
  for (int reduction : reductions) BodyBuilder(body).declare_variable(values_.name(reduction), part(reduction));
  exchange_.fold(body, reductions);
  for (int reduction : reductions) values_.know(reduction, variable(values_.name(reduction), values_.type(1)));
}

// Turns each thread's accumulators into the row's results, which every thread of the row knows then.
void RowKernel::reduce(Body& body, const RowPass& pass) {
  reduce(body, pass.reductions, [this](int reduction) {
    const ExprPtr own = accumulator(reduction);
    if (own->type.lanes == 1) return own;
    const ExprPtr folded = call(node(reduction).op == RowOp::kSum ? "sum" : "largest", values_.type(1), {own});
    return peels_ ? RowExchange::combine(node(reduction), folded, edge(reduction)) : folded;
  });
  // Each thread's sum stands upon the largest that it met itself: it is brought upon the row's.
  std::vector<int> sums;
  std::map<int, int> largest_of;
  for (const RunningSum& each : pass.running) {
    sums.push_back(each.sum);
    largest_of[each.sum] = each.largest;
  }
  reduce(body, sums, [&](int sum) {
    const int largest = largest_of.at(sum);
    const ExprPtr base = BodyBuilder(body).declare(values_.companion(sum, "base"),
                                                   at_least_finite(variable(values_.name(largest), values_.type(1))));
    return accumulator(sum) * element_wise(Op::kExp, {}, {accumulator(largest) - base});
  });
}

// Subtracting an infinity from itself would make NaN of a row that only begins with -inf.
ExprPtr RowKernel::at_least_finite(const ExprPtr& largest) const {
  const double lowest =
      program_.compute == DType::kF64 ? std::numeric_limits<double>::lowest() : double{std::numeric_limits<float>::lowest()};
  return call("max", largest->type, {largest, real(lowest, largest->type)});
}

// Goes one register further: it takes the largest so far, and brings what was added up before upon the new one.
void RowKernel::run_along(Body& body, const RunningSum& running, const ExprPtr& x) {
  BodyBuilder builder(body);
  const ExprPtr largest = accumulator(running.largest);
  const ExprPtr sum = accumulator(running.sum);
  const bool one = x->type.lanes == 1;
  const ExprPtr own = one ? x : call("largest", values_.type(1), {x});
  const ExprPtr next = builder.declare(values_.companion(running.largest, "next"), call("max", own->type, {largest, own}));
  const ExprPtr base = builder.declare(values_.companion(running.largest, "base"), at_least_finite(next));
  const ExprPtr spread = one ? base : call("spread", x->type, {base});
  const ExprPtr powers = element_wise(Op::kExp, {}, {x - spread});
  const ExprPtr added = one ? powers : call("sum", values_.type(1), {powers});
  builder.assign(sum, sum * element_wise(Op::kExp, {}, {largest - base}) + added);
  builder.assign(largest, next);
}

}  // namespace

Function lower_simt_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config, const RowTarget& target) {
  return RowKernel(graph, program, config, target).run();
}

}  // namespace fuselab::codegen
