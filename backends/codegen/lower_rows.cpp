// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/lower_rows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "backends/codegen/element_ops.h"
#include "backends/codegen/names.h"
#include "backends/codegen/row_address.h"
#include "backends/codegen/row_passes.h"
#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kCacheLine = 64;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// A place along the row where values are computed: a column, how many lanes, and what is already in registers.
struct Point {
  Body* body = nullptr;
  ExprPtr column;
  int lanes = 1;
  const RowPass* pass = nullptr;
  std::int64_t segment = 0;                                    // where the piece of the row begins that the column lies in
  std::map<std::pair<int, std::int64_t>, ExprPtr> known = {};  // by node and shift
};

class RowLowering {
 public:
  RowLowering(const Graph& graph, const RowProgram& program, const LaunchConfig& config)
      : graph_(graph),
        program_(program),
        plan_(plan_passes(program, config.integer("stage", 0) != 0)),
        lanes_(static_cast<int>(config.integer("vector", 8))),
        unroll_(config.integer("unroll", 1)),
        grain_(config.integer("grain", 1 << 14)),
        rows_per_task_(config.integer("rows_per_task", 1)),
        nontemporal_(config.integer("nontemporal", 0) != 0 && rows_are_aligned(program, lanes_)) {}

  Function run();

 private:
  void name_everything();
  void lay_out_stages();
  void element_wise_task();
  void row_task(std::int64_t rows_per_task);
  void clip_to(Body& body, const std::string& name, const ExprPtr& wish, std::int64_t limit, bool may_exceed);

  // One row, columns [first, last).
  void row(Body& body, const ExprPtr& first, const ExprPtr& last, const std::vector<std::int64_t>& lengths);
  void row_values(Body& body, int phase);
  void row_value(Body& body, int node);
  void pick(Body& body, int node);
  void walk(Body& body, const RowPass& pass, const ExprPtr& first, const ExprPtr& last, const std::vector<std::int64_t>& lengths);
  void step(Point& point, const RowPass& pass, const std::function<ExprPtr(int)>& accumulator);
  void begin_reductions(Body& body, const RowPass& pass);
  void end_vectors(Body& body, const RowPass& pass);
  void end_reductions(const RowPass& pass);

  // The node's value `shift` columns right of the point.
  ExprPtr value(int node, Point& point, std::int64_t shift = 0);
  void find_cuts(int node, std::int64_t shift);
  std::string shifted_name(int node, std::int64_t shift);
  ExprPtr combine(const RowNode& node, const ExprPtr& a, const ExprPtr& b);
  ExprPtr offset(const RowAccess& access);
  ExprPtr input_offset(const RowNode& input);
  const RowNode& at(int node) const { return program_.nodes[static_cast<std::size_t>(node)]; }
  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }
  IrType type(int lanes) const { return {program_.compute, lanes}; }
  DType input_dtype(int input) const { return graph_.type(graph_.inputs()[static_cast<std::size_t>(input)]).dtype; }

  const Graph& graph_;
  const RowProgram& program_;
  RowPlan plan_;
  int lanes_;
  std::int64_t unroll_;
  std::int64_t grain_;
  std::int64_t rows_per_task_;
  bool nontemporal_;

  Function function_;
  Names identifiers_;
  std::set<std::pair<int, std::int64_t>> looked_at_;  // by find_cuts
  std::set<std::int64_t> cuts_;                       // columns where pieces of the row begin
  std::map<std::pair<int, std::int64_t>, std::string> shifted_names_;
  std::vector<std::string> names_;        // of row nodes
  std::vector<std::string> stage_names_;  // of slots
  std::map<int, ExprPtr> row_known_;      // row-level nodes, one lane
  bool vectors_ran_ = false;
  std::int64_t segment_ = 0;  // the piece of the row that is being walked
};

void RowLowering::find_cuts(int node, std::int64_t shift) {
  if (!looked_at_.insert({node, shift}).second) return;
  const RowNode& here = at(node);
  for (std::size_t i = 0; i < here.args.size(); ++i) {
    std::int64_t inner = shift;
    if (here.op == RowOp::kShifted) inner += here.starts[0];
    if (here.op == RowOp::kPieces) {
      inner -= here.starts[i];
      const std::int64_t cut = here.starts[i] - shift;
      if (cut > 0 && cut < program_.cols) cuts_.insert(cut);
    }
    find_cuts(here.args[i], inner);
  }
}

// A value may be needed at several columns at once: the further ones get names of their own.
std::string RowLowering::shifted_name(int node, std::int64_t shift) {
  if (shift == 0) return name(node);
  std::string& known = shifted_names_[{node, shift}];
  if (known.empty()) known = identifiers_.unique(name(node) + (shift < 0 ? "_left" : "_right"));
  return known;
}

Function RowLowering::run() {
  name_everything();
  lay_out_stages();
  for (const RowOutput& output : program_.outputs) find_cuts(output.node, 0);
  if (!cuts_.empty()) cuts_.insert(program_.cols);
  if (program_.has_reduction) {
    row_task(rows_per_task_);
  } else {
    element_wise_task();
  }
  function_.nontemporal = nontemporal_;
  return std::move(function_);
}

void RowLowering::name_everything() {
  Names& names = identifiers_;
  function_.parameters = name_parameters(graph_, names);
  for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
    const RowNode& node = program_.nodes[i];
    std::string wish = node.name.empty() ? "v" + std::to_string(i) : node.name;
    if (node.op == RowOp::kInput) wish += "_value";
    names_.push_back(names.unique(wish));
  }
  for (std::size_t i = 0; i < plan_.stage_slots.size(); ++i) stage_names_.push_back(names.unique("stage"));
}

void RowLowering::lay_out_stages() {
  const std::int64_t bytes = ceil_div(program_.cols * bits_of(program_.compute) / 8, kCacheLine) * kCacheLine;
  for (std::size_t i = 0; i < stage_names_.size(); ++i) {
    function_.scratch.push_back({stage_names_[i], program_.compute, static_cast<std::int64_t>(i) * bytes});
  }
  function_.scratch_bytes = static_cast<std::int64_t>(stage_names_.size()) * bytes;
}

// Declares `name` = wish, cut to `limit` where a last block may be shorter.
void RowLowering::clip_to(Body& body, const std::string& limit_name, const ExprPtr& wish, std::int64_t limit, bool may_exceed) {
  BodyBuilder builder(body);
  if (!may_exceed) {
    builder.declare(limit_name, wish);
    return;
  }
  const ExprPtr last = builder.declare_variable(limit_name, wish);
  BodyBuilder(builder.when(binary(">", last, integer(limit)))).assign(last, integer(limit));
}

void RowLowering::row_task(std::int64_t rows_per_task) {
  const std::int64_t rows = program_.rows();
  const ExprPtr task = variable(function_.task_variable, kIndex);
  function_.tasks = ceil_div(rows, rows_per_task);
  BodyBuilder builder(function_.body);
  Body* body = &function_.body;
  if (rows_per_task == 1) {
    if (!program_.outer.empty()) builder.declare("row", task);
  } else {
    builder.declare("first_row", task * integer(rows_per_task));
    clip_to(function_.body, "last_row", variable("first_row", kIndex) + integer(rows_per_task), rows, rows % rows_per_task != 0);
    body = &builder.loop(LoopKind::kSerial, "row", variable("first_row", kIndex), variable("last_row", kIndex), integer(1));
  }
  row(*body, integer(0), integer(program_.cols), {program_.cols});
}

void RowLowering::element_wise_task() {
  const std::int64_t cols = program_.cols;
  if (!cuts_.empty() || (!program_.outer.empty() && cols < grain_)) {
    row_task(std::max<std::int64_t>(1, grain_ / cols));
    return;
  }
  const std::int64_t blocks = ceil_div(cols, grain_);
  function_.tasks = program_.rows() * blocks;
  const ExprPtr task = variable(function_.task_variable, kIndex);
  BodyBuilder builder(function_.body);
  if (!program_.outer.empty()) builder.declare("row", task / integer(blocks));
  if (blocks == 1) {
    row(function_.body, integer(0), integer(cols), {cols});
    return;
  }
  const ExprPtr block = program_.outer.empty() ? task : task % integer(blocks);
  const ExprPtr first = builder.declare("first_col", block * integer(grain_));
  clip_to(function_.body, "last_col", first + integer(grain_), cols, cols % grain_ != 0);
  row(function_.body, first, variable("last_col", kIndex), {grain_, cols % grain_});
}

ExprPtr RowLowering::offset(const RowAccess& access) {
  return row_offset(program_, access, variable("row", kIndex));
}

// Elements before the row of an input, which may be named by an index.
ExprPtr RowLowering::input_offset(const RowNode& input) {
  const ExprPtr plain = offset(input.access);
  if (input.row_named_by < 0) return plain;
  const RowNode& index = at(input.row_named_by);
  const KernelParameter& parameter = function_.parameters[static_cast<std::size_t>(index.input)];
  return load(parameter.name, offset(index.access), kIndex, parameter.storage) * integer(input.row_pitch) + plain;
}

void RowLowering::row(Body& body, const ExprPtr& first, const ExprPtr& last, const std::vector<std::int64_t>& lengths) {
  row_known_.clear();
  for (int phase = 0; phase < program_.phases(); ++phase) {
    row_values(body, phase);
    const RowPass& pass = plan_.passes[static_cast<std::size_t>(phase)];
    if (cuts_.empty()) {
      walk(body, pass, first, last, lengths);
      continue;
    }
    segment_ = 0;
    for (std::int64_t cut : cuts_) {
      walk(body, pass, integer(segment_), integer(cut), {cut - segment_});
      segment_ = cut;
    }
  }
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
    const RowOutput& output = program_.outputs[i];
    if (output.access.inner != 0) continue;
    const KernelParameter& parameter = function_.parameters[graph_.inputs().size() + i];
    Point point{.body = &body, .column = integer(0)};
    BodyBuilder(body).store({parameter.name, offset(output.access), value(output.node, point), parameter.storage, false});
  }
}

void RowLowering::row_values(Body& body, int phase) {
  for (int node : plan_.needed) {
    const RowNode& here = at(node);
    if (here.level == Level::kRow && here.phase <= phase && !row_known_.contains(node)) row_value(body, node);
  }
}

void RowLowering::row_value(Body& body, int node) {
  const RowNode& here = at(node);
  BodyBuilder builder(body);
  if (here.op == RowOp::kPick) {
    pick(body, node);
    return;
  }
  if (here.op == RowOp::kInput) {
    const std::string& buffer = function_.parameters[static_cast<std::size_t>(here.input)].name;
    row_known_[node] = builder.declare(name(node), load(buffer, offset(here.access), type(1), input_dtype(here.input)));
    return;
  }
  FL_ASSERT(here.op == RowOp::kMap);
  Point point{.body = &body, .column = integer(0)};
  std::vector<ExprPtr> args;
  for (int arg : here.args) args.push_back(value(arg, point));
  row_known_[node] = builder.declare(name(node), element_wise(here.map, here.variant, args));
}

// The element in the column that a label names: computed again at that one column.
void RowLowering::pick(Body& body, int node) {
  const RowNode& label = at(at(node).args[1]);
  const std::string& buffer = function_.parameters[static_cast<std::size_t>(label.input)].name;
  BodyBuilder builder(body);
  const ExprPtr column = builder.declare(name(at(node).args[1]) + "_col", load(buffer, offset(label.access), kIndex, DType::kI64));
  const ExprPtr target = builder.declare_variable(name(node), real(0, type(1)));
  Body& inner = builder.scope();
  Point point{.body = &inner, .column = column};
  const ExprPtr found = value(at(node).args[0], point);
  BodyBuilder(inner).assign(target, found);
  row_known_[node] = target;
}

ExprPtr RowLowering::combine(const RowNode& node, const ExprPtr& a, const ExprPtr& b) {
  return node.op == RowOp::kSum ? a + b : call("max", a->type, {a, b});
}

void RowLowering::walk(Body& body, const RowPass& pass, const ExprPtr& first, const ExprPtr& last,
                       const std::vector<std::int64_t>& lengths) {
  if (pass.reductions.empty() && pass.outputs.empty()) return;
  const std::int64_t chunk = lanes_ * unroll_;
  const auto any = [&](auto test) { return std::any_of(lengths.begin(), lengths.end(), test); };
  const bool blocked = any([&](std::int64_t n) { return n >= chunk; });
  const bool single = unroll_ > 1 && any([&](std::int64_t n) { return n % chunk >= lanes_; });
  const bool tail = any([&](std::int64_t n) { return n % lanes_ != 0; });
  const ExprPtr length = last - first;
  const ExprPtr col = variable("col", kIndex);
  vectors_ran_ = blocked || single;
  if (vectors_ran_) begin_reductions(body, pass);
  const auto vector_accumulator = [&](const ExprPtr& index) {
    return [this, index](int node) { return element(name(node) + "_acc", {index}, type(lanes_)); };
  };
  if (blocked) {
    Body& loop = BodyBuilder(body).loop(LoopKind::kVector, "col", first, last, integer(chunk));
    if (unroll_ == 1) {
      Point point{.body = &loop, .column = col, .lanes = lanes_, .pass = &pass, .segment = segment_};
      step(point, pass, vector_accumulator(integer(0)));
    } else {
      const ExprPtr u = variable("u", kIndex);
      Body& copies = BodyBuilder(loop).loop(LoopKind::kUnrolled, "u", integer(0), integer(unroll_), integer(1));
      const ExprPtr here = BodyBuilder(copies).declare("at", col + u * integer(lanes_));
      Point point{.body = &copies, .column = here, .lanes = lanes_, .pass = &pass, .segment = segment_};
      step(point, pass, vector_accumulator(u));
    }
  }
  if (single) {
    const ExprPtr begin = first + length / integer(chunk) * integer(chunk);
    Body& loop = BodyBuilder(body).loop(LoopKind::kVector, "col", begin, last, integer(lanes_));
    Point point{.body = &loop, .column = col, .lanes = lanes_, .pass = &pass, .segment = segment_};
    step(point, pass, vector_accumulator(integer(0)));
  }
  end_vectors(body, pass);
  if (tail) {
    const ExprPtr begin = first + length / integer(lanes_) * integer(lanes_);
    Body& loop = BodyBuilder(body).loop(LoopKind::kSerial, "col", begin, last, integer(1));
    Point point{.body = &loop, .column = col, .lanes = 1, .pass = &pass, .segment = segment_};
    step(point, pass, [this](int node) { return variable(name(node), type(1)); });
  }
  end_reductions(pass);
}

void RowLowering::begin_reductions(Body& body, const RowPass& pass) {
  for (int node : pass.reductions) {
    const double neutral = at(node).op == RowOp::kSum ? 0.0 : -std::numeric_limits<double>::infinity();
    BodyBuilder builder(body);
    builder.declare_array(name(node) + "_acc", type(lanes_), {unroll_});
    Body& loop = builder.loop(LoopKind::kUnrolled, "u", integer(0), integer(unroll_), integer(1));
    BodyBuilder(loop).assign(element(name(node) + "_acc", {variable("u", kIndex)}, type(lanes_)), real(neutral, type(lanes_)));
  }
}

// Folds the accumulators to one lane, which the tail goes on with.
void RowLowering::end_vectors(Body& body, const RowPass& pass) {
  for (int node : pass.reductions) {
    BodyBuilder builder(body);
    const bool sum = at(node).op == RowOp::kSum;
    if (!vectors_ran_) {
      builder.declare_variable(name(node), real(sum ? 0.0 : -std::numeric_limits<double>::infinity(), type(1)));
      continue;
    }
    const ExprPtr total = element(name(node) + "_acc", {integer(0)}, type(lanes_));
    if (unroll_ > 1) {
      Body& loop = builder.loop(LoopKind::kUnrolled, "u", integer(1), integer(unroll_), integer(1));
      const ExprPtr other = element(name(node) + "_acc", {variable("u", kIndex)}, type(lanes_));
      BodyBuilder(loop).assign(total, combine(at(node), total, other));
    }
    builder.declare_variable(name(node), call(sum ? "sum" : "largest", type(1), {total}));
  }
}

void RowLowering::end_reductions(const RowPass& pass) {
  for (int node : pass.reductions) row_known_[node] = variable(name(node), type(1));
}

void RowLowering::step(Point& point, const RowPass& pass, const std::function<ExprPtr(int)>& accumulator) {
  for (int node : pass.reductions) {
    const ExprPtr operand = value(at(node).args[0], point);
    const ExprPtr target = accumulator(node);
    BodyBuilder(*point.body).assign(target, combine(at(node), target, operand));
  }
  for (int position : pass.outputs) {
    const RowOutput& output = program_.outputs[static_cast<std::size_t>(position)];
    const KernelParameter& parameter = function_.parameters[graph_.inputs().size() + static_cast<std::size_t>(position)];
    const ExprPtr result = value(output.node, point);
    BodyBuilder(*point.body)
        .store({parameter.name, offset(output.access) + point.column, result, parameter.storage, nontemporal_ && point.lanes > 1});
  }
  for (int node : pass.keeps) {
    const ExprPtr kept = value(node, point);
    const std::string& slot = stage_names_[static_cast<std::size_t>(plan_.stage_slots.at(node))];
    BodyBuilder(*point.body).store({slot, point.column, kept, program_.compute, false});
  }
}

ExprPtr RowLowering::value(int node, Point& point, std::int64_t shift) {
  if (const auto found = point.known.find({node, shift}); found != point.known.end()) return found->second;
  const RowNode& here = at(node);
  if (here.op == RowOp::kConstant) return real(here.value, type(point.lanes));
  if (here.op == RowOp::kShifted) return value(here.args[0], point, shift + here.starts[0]);
  if (here.op == RowOp::kPieces) {
    std::size_t piece = here.starts.size() - 1;
    while (piece > 0 && here.starts[piece] > point.segment + shift) --piece;
    return value(here.args[piece], point, shift - here.starts[piece]);
  }
  BodyBuilder builder(*point.body);
  ExprPtr result;
  if (here.level == Level::kRow) {
    const ExprPtr known = row_known_.at(node);
    result = point.lanes == 1 ? known : call("spread", type(point.lanes), {known});
  } else if (here.op == RowOp::kInput) {
    const std::string& buffer = function_.parameters[static_cast<std::size_t>(here.input)].name;
    const ExprPtr loaded =
        load(buffer, input_offset(here) + point.column + integer(shift), type(point.lanes), input_dtype(here.input));
    result = builder.declare(shifted_name(node, shift), loaded);
  } else if (point.pass != nullptr && point.pass->takes.contains(node)) {
    const std::string& slot = stage_names_[static_cast<std::size_t>(plan_.stage_slots.at(node))];
    result = builder.declare(name(node), load(slot, point.column, type(point.lanes), program_.compute));
  } else {
    std::vector<ExprPtr> args;
    for (int arg : here.args) args.push_back(value(arg, point, shift));
    const ExprPtr computed = element_wise(here.map, here.variant, args);
    result = here.level == Level::kConstant ? computed : builder.declare(shifted_name(node, shift), computed);
  }
  point.known[{node, shift}] = result;
  return result;
}

}  // namespace

Function lower_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config) {
  return RowLowering(graph, program, config).run();
}

int staged_values(const RowProgram& program) {
  return static_cast<int>(plan_passes(program, true).stage_slots.size());
}

bool rows_are_aligned(const RowProgram& program, std::int64_t lanes) {
  const bool whole_pieces = std::all_of(program.nodes.begin(), program.nodes.end(), [lanes](const RowNode& node) {
    return node.op != RowOp::kPieces ||
           std::all_of(node.starts.begin(), node.starts.end(), [lanes](std::int64_t start) { return start % lanes == 0; });
  });
  return whole_pieces && (program.outer.empty() || program.cols % lanes == 0);
}

}  // namespace fuselab::codegen
