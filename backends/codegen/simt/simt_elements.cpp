// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_elements.h"

#include <algorithm>
#include <vector>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_cuts.h"
#include "backends/codegen/rows/row_passes.h"
#include "backends/codegen/simt/simt_walk.h"

namespace fuselab::codegen {
namespace {

// Pieces of the row that have one length: a thread handles the same place of each, so that what several of them read is read
// once.
struct Stripe {
  std::int64_t length = 0;
  std::vector<std::int64_t> begins;
};

std::vector<Stripe> stripes_of(const RowProgram& program) {
  std::vector<Stripe> stripes;
  std::int64_t begin = 0;
  std::set<std::int64_t> cuts = row_cuts(program);
  if (cuts.empty()) cuts = {program.cols};
  for (std::int64_t cut : cuts) {
    const std::int64_t length = cut - begin;
    auto stripe = std::find_if(stripes.begin(), stripes.end(), [length](const Stripe& s) { return s.length == length; });
    if (stripe == stripes.end()) stripe = stripes.insert(stripes.end(), Stripe{length, {}});
    stripe->begins.push_back(begin);
    begin = cut;
  }
  return stripes;
}

class ElementLowering {
 public:
  ElementLowering(const Graph& graph, const RowProgram& program, const LaunchConfig& config)
      : program_(program),
        plan_(plan_passes(program, Keeping::kNothing)),
        values_(graph, program, plan_, simt_names()),
        lanes_(config.integer("vector", 1)),
        items_(config.integer("items", 1)),
        block_(config.integer("block", 256)),
        persistent_(config.integer("persistent", 0)),
        streaming_(config.integer("streaming", 0) != 0) {
    function_.launch.narrow = fits_int(graph, program, 2 * block_ * items_ * lanes_);
  }

  Function run(std::int64_t multiprocessors);

 private:
  std::int64_t registers(const Stripe& stripe) const { return program_.rows() * (stripe.length / lanes_); }
  void tiles(const Stripe& stripe, bool alone);
  void items(Body& body, const Stripe& stripe);
  void registers_at(Body& body, const Stripe& stripe, const ExprPtr& vec);
  void point(Body& body, const ExprPtr& column, std::int64_t segment, std::int64_t lanes);
  void tail();

  const RowProgram& program_;
  RowPlan plan_;
  RowValues values_;
  std::int64_t lanes_, items_, block_, persistent_;
  bool streaming_;
  Function function_;
};

Function ElementLowering::run(std::int64_t multiprocessors) {
  function_.parameters = values_.parameters();
  const std::vector<Stripe> stripes = stripes_of(program_);
  std::int64_t most = 1;
  for (const Stripe& stripe : stripes) {
    most = std::max(most, ceil_div(registers(stripe), block_ * items_));
    tiles(stripe, stripes.size() == 1);
  }
  tail();
  function_.launch.threads = block_;
  function_.launch.blocks = blocks_formula(most, persistent_, multiprocessors);
  return std::move(function_);
}

void ElementLowering::tiles(const Stripe& stripe, bool alone) {
  const std::int64_t count = ceil_div(registers(stripe), block_ * items_);
  if (count == 0) return;
  BodyBuilder builder(function_.body);
  if (persistent_ == 0 && alone) {
    builder.declare("tile", simt_index("block"));
    items(function_.body, stripe);
    return;
  }
  items(builder.loop(LoopKind::kSerial, "tile", simt_index("block"), integer(count), simt_index("grid_size")), stripe);
}

void ElementLowering::items(Body& body, const Stripe& stripe) {
  Body* inside = &body;
  const ExprPtr tile = variable("tile", kIndex);
  const ExprPtr thread = simt_index("thread");
  ExprPtr vec = tile * integer(block_) + thread;
  if (items_ > 1) {
    inside = &BodyBuilder(body).loop(LoopKind::kUnrolled, "u", integer(0), integer(items_), integer(1));
    vec = (tile * integer(items_) + variable("u", kIndex)) * integer(block_) + thread;
  }
  vec = BodyBuilder(*inside).declare("vec", vec);
  const std::int64_t count = registers(stripe);
  if (count % (block_ * items_) != 0) inside = &BodyBuilder(*inside).when(binary("<", vec, integer(count)));
  registers_at(*inside, stripe, vec);
}

// One register of each of the stripe's pieces.
void ElementLowering::registers_at(Body& body, const Stripe& stripe, const ExprPtr& vec) {
  BodyBuilder builder(body);
  const std::int64_t per_row = stripe.length / lanes_;
  values_.begin_row();
  ExprPtr col = vec * integer(lanes_);
  if (!program_.outer.empty()) {
    builder.declare("row", vec / integer(per_row));
    col = vec % integer(per_row) * integer(lanes_);
  }
  if (program_.cols > 1) col = builder.declare("col", col);
  values_.declare_row_level(body, 0);
  for (std::int64_t begin : stripe.begins) {
    point(stripe.begins.size() == 1 ? body : BodyBuilder(body).scope(), col + integer(begin), begin, lanes_);
  }
}

void ElementLowering::point(Body& body, const ExprPtr& column, std::int64_t segment, std::int64_t lanes) {
  const RowPass& pass = plan_.passes.front();
  Point here{.body = &body, .column = column, .lanes = static_cast<int>(lanes), .pass = &pass, .segment = segment};
  store_outputs(program_, values_, pass, here, streaming_);
  store_row_outputs(program_, values_, body);
}

// Computes what a flat program leaves beyond its last whole register.
void ElementLowering::tail() {
  const std::int64_t left = program_.cols % lanes_;
  if (left == 0) return;
  BodyBuilder builder(function_.body);
  builder.comment("The last elements, fewer than a register holds.");
  const ExprPtr first = binary("==", simt_index("block"), integer(0));
  const ExprPtr few = binary("<", simt_index("thread"), integer(left));
  Body& body = builder.when(binary("&&", first, few));
  values_.begin_row();
  const ExprPtr col = BodyBuilder(body).declare("col", integer(program_.cols - left) + simt_index("thread"));
  values_.declare_row_level(body, 0);
  point(body, col, 0, 1);
}

}  // namespace

Function lower_simt_elements(const Graph& graph, const RowProgram& program, const LaunchConfig& config,
                             std::int64_t multiprocessors) {
  return ElementLowering(graph, program, config).run(multiprocessors);
}

}  // namespace fuselab::codegen
