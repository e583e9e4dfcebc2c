// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_parts.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "backends/codegen/simt/simt_exchange.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

constexpr const char* kParts = "partials";
constexpr std::int64_t kFoldingThreads = 256;

// Holds what both kernels have: the reductions, their accumulators, the block's exchange.
class PartsKernel {
 public:
  PartsKernel(const Graph& graph, const RowProgram& program, const LaunchConfig& config, std::int64_t threads, std::int64_t warp)
      : program_(program),
        plan_(plan_passes(program, Keeping::kNothing)),
        values_(graph, program, plan_, simt_names()),
        lanes_(config.integer("vector", 1)),
        block_(threads),
        blocks_(config.integer("blocks", 1)),
        unroll_(config.integer("unroll", 1)),
        exchange_(program, values_, Exchange::kShuffles, {threads, 1, threads, warp}) {
    function_.parameters = values_.parameters();
    function_.launch.narrow = fits_int(graph, program, 2 * block_ * blocks_ * lanes_);
    function_.launch.threads = threads;
  }

  Function finding();
  Function folding();

 private:
  const RowPass& pass() const { return plan_.passes.front(); }
  const RowNode& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  ExprPtr accumulator(int reduction, std::int64_t lanes) {
    return variable(values_.companion(reduction, "acc"), values_.type(static_cast<int>(lanes)));
  }
  void begin(std::int64_t lanes);
  void add(Body& body, const ExprPtr& column);
  void fold(std::int64_t lanes);
  void parts(bool written);
  ExprPtr place_of(std::size_t reduction, const ExprPtr& part) const {
    return integer(static_cast<std::int64_t>(reduction) * blocks_) + part;
  }
  Body& first_thread() { return BodyBuilder(function_.body).when(binary("==", variable("thread", kIndex), integer(0))); }

  const RowProgram& program_;
  RowPlan plan_;
  RowValues values_;
  std::int64_t lanes_, block_, blocks_, unroll_;
  RowExchange exchange_;
  Function function_;
};

void PartsKernel::parts(bool written) {
  function_.parameters.push_back({kParts, program_.compute, written});
  const auto reductions = static_cast<std::int64_t>(pass().reductions.size());
  function_.launch.scratch_bytes = reductions * blocks_ * bits_of(program_.compute) / 8;
}

void PartsKernel::begin(std::int64_t lanes) {
  BodyBuilder builder(function_.body);
  for (int reduction : pass().reductions) {
    exchange_.arrays_of(reduction, [&](const std::string& name, std::int64_t count) {
      builder.shared({name, program_.compute, count});
      function_.launch.shared_bytes += (count * bits_of(program_.compute) / 8 + 15) / 16 * 16;
    });
  }
  builder.declare("thread", simt_index("thread"));
  values_.begin_row();
  values_.declare_row_level(function_.body, 0);
  for (int reduction : pass().reductions) {
    const double neutral = node(reduction).op == RowOp::kSum ? 0.0 : -std::numeric_limits<double>::infinity();
    const ExprPtr own = accumulator(reduction, lanes);
    builder.declare_variable(own->text, real(neutral, own->type));
  }
}

void PartsKernel::add(Body& body, const ExprPtr& column) {
  Point point{.body = &body, .column = column, .lanes = static_cast<int>(lanes_), .pass = &pass()};
  for (int reduction : pass().reductions) {
    const ExprPtr operand = values_.at(node(reduction).args[0], point);
    const ExprPtr target = accumulator(reduction, lanes_);
    BodyBuilder(body).assign(target, RowExchange::combine(node(reduction), target, operand));
  }
}

void PartsKernel::fold(std::int64_t lanes) {
  for (int reduction : pass().reductions) {
    const ExprPtr own = accumulator(reduction, lanes);
    const char* const among_lanes = node(reduction).op == RowOp::kSum ? "sum" : "largest";
    BodyBuilder(function_.body)
        .declare_variable(values_.name(reduction), lanes == 1 ? own : call(among_lanes, values_.type(1), {own}));
  }
  exchange_.fold(function_.body, pass().reductions);
  for (int reduction : pass().reductions) values_.know(reduction, variable(values_.name(reduction), values_.type(1)));
}

// A block takes every blocks_-th chunk, the last one what is left.
Function PartsKernel::finding() {
  parts(true);
  begin(lanes_);
  BodyBuilder builder(function_.body);
  const std::int64_t chunk = block_ * lanes_;
  const std::int64_t whole = program_.cols / chunk;
  const auto column = [&](const ExprPtr& of) { return (of * integer(block_) + variable("thread", kIndex)) * integer(lanes_); };
  if (whole > 0) {
    Body& loop = builder.loop(LoopKind::kSerial, "chunk", simt_index("block"), integer(whole), integer(blocks_), unroll_);
    add(loop, BodyBuilder(loop).declare("col", column(variable("chunk", kIndex))));
  }
  if (program_.cols % chunk != 0) {
    Body& rest = builder.when(binary("==", simt_index("block"), integer(blocks_ - 1)));
    const ExprPtr col = BodyBuilder(rest).declare("col", column(integer(whole)));
    add(BodyBuilder(rest).when(binary("<", col, integer(program_.cols))), col);
  }
  fold(lanes_);
  Body& first = first_thread();
  for (std::size_t i = 0; i < pass().reductions.size(); ++i) {
    const ExprPtr found = variable(values_.name(pass().reductions[i]), values_.type(1));
    BodyBuilder(first).store({kParts, place_of(i, simt_index("block")), found, program_.compute, false});
  }
  function_.launch.blocks = std::to_string(blocks_);
  return std::move(function_);
}

Function PartsKernel::folding() {
  parts(false);
  begin(1);
  BodyBuilder builder(function_.body);
  Body& loop = builder.loop(LoopKind::kSerial, "part", variable("thread", kIndex), integer(blocks_), integer(block_));
  for (std::size_t i = 0; i < pass().reductions.size(); ++i) {
    const int reduction = pass().reductions[i];
    const ExprPtr target = accumulator(reduction, 1);
    const ExprPtr part = load(kParts, place_of(i, variable("part", kIndex)), values_.type(1), program_.compute);
    BodyBuilder(loop).assign(target, RowExchange::combine(node(reduction), target, part));
  }
  fold(1);
  values_.declare_row_level(function_.body, 1);
  store_row_outputs(program_, values_, first_thread());
  return std::move(function_);
}

}  // namespace

bool folds_to_numbers(const RowProgram& program) {
  if (!program.outer.empty() || !program.has_reduction || program.phases() != 2) return false;
  const bool picks = std::any_of(program.nodes.begin(), program.nodes.end(), [](const RowNode& n) { return n.op == RowOp::kPick; });
  return !picks && std::all_of(program.outputs.begin(), program.outputs.end(),
                               [](const RowOutput& output) { return output.access.inner == 0; });
}

Function lower_simt_parts(const Graph& graph, const RowProgram& program, const LaunchConfig& config, std::int64_t warp) {
  Function first = PartsKernel(graph, program, config, config.integer("block", 256), warp).finding();
  first.after.push_back(PartsKernel(graph, program, config, kFoldingThreads, warp).folding());
  return first;
}

}  // namespace fuselab::codegen
