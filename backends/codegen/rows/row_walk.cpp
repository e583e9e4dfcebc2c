// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_walk.h"

#include <algorithm>
#include <limits>

namespace fuselab::codegen {

ExprPtr RowWalk::neutral(int index, int lanes) const {
  const double value = node(index).op == RowOp::kSum ? 0.0 : -std::numeric_limits<double>::infinity();
  return real(value, values_.type(lanes));
}

ExprPtr RowWalk::combine(const RowNode& reduction, const ExprPtr& a, const ExprPtr& b) {
  return reduction.op == RowOp::kSum ? a + b : call("max", a->type, {a, b});
}

// The accumulator of one of the unrolled registers.
ExprPtr RowWalk::lane_block(int index, const ExprPtr& copy) const {
  return element(values_.name(index) + "_acc", {copy}, values_.type(registers_.lanes));
}

void RowWalk::write(Body& body, const RowPass& pass, const ColumnRange& range) {
  if (pass.reductions.empty() && pass.outputs.empty()) return;
  const int lanes = registers_.lanes;
  const std::int64_t chunk = lanes * registers_.unroll;
  const auto any = [&](auto test) { return std::any_of(range.lengths.begin(), range.lengths.end(), test); };
  const bool blocked = any([&](std::int64_t n) { return n >= chunk; });
  const bool single = registers_.unroll > 1 && any([&](std::int64_t n) { return n % chunk >= lanes; });
  const bool tail = any([&](std::int64_t n) { return n % lanes != 0; });
  const ExprPtr length = range.last - range.first;
  const ExprPtr col = variable("col", kIndex);
  if (blocked || single) begin_reductions(body, pass);
  if (blocked) blocks(body, pass, range);
  if (single) {
    const ExprPtr begin = range.first + length / integer(chunk) * integer(chunk);
    Body& loop = BodyBuilder(body).loop(LoopKind::kVector, "col", begin, range.last, integer(lanes));
    Point point{.body = &loop, .column = col, .lanes = lanes, .pass = &pass, .segment = range.segment};
    step(point, pass, [this](int reduction) { return lane_block(reduction, integer(0)); });
  }
  end_vectors(body, pass, blocked || single);
  if (tail) {
    const ExprPtr begin = range.first + length / integer(lanes) * integer(lanes);
    Body& loop = BodyBuilder(body).loop(LoopKind::kSerial, "col", begin, range.last, integer(1));
    Point point{.body = &loop, .column = col, .lanes = 1, .pass = &pass, .segment = range.segment};
    step(point, pass, [this](int reduction) { return variable(values_.name(reduction), values_.type(1)); });
  }
  for (int reduction : pass.reductions) values_.know(reduction, variable(values_.name(reduction), values_.type(1)));
}

// `unroll` registers per turn.
void RowWalk::blocks(Body& body, const RowPass& pass, const ColumnRange& range) {
  const int lanes = registers_.lanes;
  const ExprPtr col = variable("col", kIndex);
  Body& loop = BodyBuilder(body).loop(LoopKind::kVector, "col", range.first, range.last, integer(lanes * registers_.unroll));
  Point point{.body = &loop, .column = col, .lanes = lanes, .pass = &pass, .segment = range.segment};
  ExprPtr copy = integer(0);
  if (registers_.unroll > 1) {
    copy = variable("u", kIndex);
    Body& copies = BodyBuilder(loop).loop(LoopKind::kUnrolled, "u", integer(0), integer(registers_.unroll), integer(1));
    point.column = BodyBuilder(copies).declare("at", col + copy * integer(lanes));
    point.body = &copies;
  }
  step(point, pass, [this, &copy](int reduction) { return lane_block(reduction, copy); });
}

void RowWalk::begin_reductions(Body& body, const RowPass& pass) const {
  for (int reduction : pass.reductions) {
    BodyBuilder builder(body);
    builder.declare_array(values_.name(reduction) + "_acc", values_.type(registers_.lanes), {registers_.unroll});
    Body& loop = builder.loop(LoopKind::kUnrolled, "u", integer(0), integer(registers_.unroll), integer(1));
    BodyBuilder(loop).assign(lane_block(reduction, variable("u", kIndex)), neutral(reduction, registers_.lanes));
  }
}

// Folds the accumulators to one lane, which the tail goes on with.
void RowWalk::end_vectors(Body& body, const RowPass& pass, bool ran) const {
  for (int reduction : pass.reductions) {
    BodyBuilder builder(body);
    if (!ran) {
      builder.declare_variable(values_.name(reduction), neutral(reduction, 1));
      continue;
    }
    const ExprPtr total = lane_block(reduction, integer(0));
    if (registers_.unroll > 1) {
      Body& loop = builder.loop(LoopKind::kUnrolled, "u", integer(1), integer(registers_.unroll), integer(1));
      const ExprPtr other = lane_block(reduction, variable("u", kIndex));
      BodyBuilder(loop).assign(total, combine(node(reduction), total, other));
    }
    const bool sum = node(reduction).op == RowOp::kSum;
    builder.declare_variable(values_.name(reduction), call(sum ? "sum" : "largest", values_.type(1), {total}));
  }
}

void RowWalk::step(Point& point, const RowPass& pass, const Accumulator& accumulator) {
  for (int reduction : pass.reductions) {
    const ExprPtr operand = values_.at(node(reduction).args[0], point);
    const ExprPtr target = accumulator(reduction);
    BodyBuilder(*point.body).assign(target, combine(node(reduction), target, operand));
  }
  for (int position : pass.outputs) {
    const auto index = static_cast<std::size_t>(position);
    const RowOutput& output = program_.outputs[index];
    const KernelParameter& parameter = values_.output(index);
    const ExprPtr result = values_.at(output.node, point);
    const bool nontemporal = registers_.nontemporal && point.lanes > 1;
    BodyBuilder(*point.body)
        .store({parameter.name, values_.offset(output.access) + point.column, result, parameter.storage, nontemporal});
  }
  for (int kept : pass.keeps) values_.keep(kept, point);
  if (pass.prefetches && point.lanes > 1) values_.prefetch_next_row(point);
}

}  // namespace fuselab::codegen
