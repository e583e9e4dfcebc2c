// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_values.h"

#include "backends/codegen/emit/element_ops.h"
#include "backends/codegen/rows/row_address.h"
#include "core/base/assert.h"

namespace fuselab::codegen {

RowValues::RowValues(const Graph& graph, const RowProgram& program, const RowPlan& plan, Names names)
    : graph_(graph),
      program_(program),
      plan_(plan),
      identifiers_(std::move(names)),
      parameters_(name_parameters(graph, identifiers_)) {
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    const RowNode& here = program.nodes[i];
    std::string wish = here.name.empty() ? "v" + std::to_string(i) : here.name;
    if (here.op == RowOp::kInput) wish += "_value";
    names_.push_back(identifiers_.unique(wish));
  }
  for (std::size_t i = 0; i < plan.stage_slots.size(); ++i) stages_.push_back(identifiers_.unique("stage"));
}

// A value may be needed at several columns at once: the further ones get names of their own.
std::string RowValues::shifted_name(int index, std::int64_t shift) {
  if (shift == 0) return name(index);
  std::string& known = shifted_names_[{index, shift}];
  if (known.empty()) known = identifiers_.unique(name(index) + (shift < 0 ? "_left" : "_right"));
  return known;
}

const std::string& RowValues::companion(int index, const std::string& suffix) {
  std::string& known = companions_[{index, suffix}];
  if (known.empty()) known = identifiers_.unique(name(index) + (name(index).ends_with("_") ? "" : "_") + suffix);
  return known;
}

ExprPtr RowValues::offset(const RowAccess& access) const {
  return row_offset(program_, access, variable("row", kIndex));
}

// Elements before the row of an input, which may be named by an index.
ExprPtr RowValues::input_offset(const RowNode& input) const {
  const ExprPtr plain = offset(input.access);
  if (input.row_named_by < 0) return plain;
  return named_rows_.at(input.row_named_by) * integer(input.row_pitch) + plain;
}

void RowValues::declare_row_level(Body& body, int phase) {
  for (int index : plan_.needed) {
    const RowNode& here = node(index);
    if (here.row_named_by >= 0 && !named_rows_.contains(here.row_named_by)) declare_named_row(body, here);
    if (here.level == Level::kRow && here.phase <= phase && !row_known_.contains(index)) declare_row_value(body, index);
  }
}

void RowValues::declare_named_row(Body& body, const RowNode& input) {
  const RowNode& index = node(input.row_named_by);
  const ExprPtr named = load(buffer(index), offset(index.access), kIndex, stored(index));
  named_rows_[input.row_named_by] = BodyBuilder(body).declare(companion(input.row_named_by, "row"),
                                                              call("whole_place", kIndex, {named, integer(input.row_count)}));
}

void RowValues::declare_row_value(Body& body, int index) {
  const RowNode& here = node(index);
  BodyBuilder builder(body);
  if (here.op == RowOp::kPick) {
    pick(body, index);
    return;
  }
  if (here.op == RowOp::kInput) {
    row_known_[index] = builder.declare(name(index), load(buffer(here), offset(here.access), type(1), stored(here)));
    return;
  }
  FL_ASSERT(here.op == RowOp::kMap);
  Point point{.body = &body, .column = integer(0)};
  std::vector<ExprPtr> args;
  for (int arg : here.args) args.push_back(at(arg, point));
  row_known_[index] = builder.declare(name(index), element_wise(here.map, here.variant, args));
}

// The element in the column that a label names: computed again at that one column.
void RowValues::pick(Body& body, int index) {
  const int label_index = node(index).args[1];
  const RowNode& label = node(label_index);
  BodyBuilder builder(body);
  const ExprPtr named = load(buffer(label), offset(label.access), kIndex, DType::kI64);
  const ExprPtr column = builder.declare(name(label_index) + "_col", call("whole_place", kIndex, {named, integer(program_.cols)}));
  const ExprPtr target = builder.declare_variable(name(index), real(0, type(1)));
  Body& inner = builder.scope();
  Point point{.body = &inner, .column = column};
  const ExprPtr found = at(node(index).args[0], point);
  BodyBuilder(inner).assign(target, found);
  row_known_[index] = target;
}

void RowValues::prefetch_next_row(const Point& point) const {
  for (int index : plan_.needed) {
    const RowNode& here = node(index);
    if (!follows_row_by_row(program_, here)) continue;
    BodyBuilder(*point.body).prefetch(buffer(here), offset(here.access) + integer(program_.cols) + point.column);
  }
}

DType RowValues::stage_storage(std::size_t slot) const {
  for (const auto& [index, own] : plan_.stage_slots) {
    if (static_cast<std::size_t>(own) == slot) return kept_type(graph_, program_, plan_, index);
  }
  return program_.compute;
}

ExprPtr RowValues::taken(int index, const Point& point) const {
  if (point.slot_in_registers) return element(stage_of(index), {point.slot}, type(point.lanes));
  return load(stage_of(index), point.slot ? point.slot : point.column, type(point.lanes),
              kept_type(graph_, program_, plan_, index));
}

void RowValues::keep(int index, Point& point) {
  const ExprPtr value = at(index, point);
  BodyBuilder builder(*point.body);
  if (point.slot_in_registers) {
    builder.assign(element(stage_of(index), {point.slot}, type(point.lanes)), value);
  } else {
    builder.store(
        {stage_of(index), point.slot ? point.slot : point.column, value, kept_type(graph_, program_, plan_, index), false});
  }
}

ExprPtr RowValues::at(int index, Point& point, std::int64_t shift) {
  if (const auto found = point.known.find({index, shift}); found != point.known.end()) return found->second;
  const RowNode& here = node(index);
  if (here.op == RowOp::kConstant) return real(here.value, type(point.lanes));
  if (here.op == RowOp::kShifted) return at(here.args[0], point, shift + here.starts[0]);
  if (here.op == RowOp::kPieces) {
    std::size_t piece = here.starts.size() - 1;
    while (piece > 0 && here.starts[piece] > point.segment + shift) --piece;
    return at(here.args[piece], point, shift - here.starts[piece]);
  }
  BodyBuilder builder(*point.body);
  ExprPtr result;
  if (here.level == Level::kRow) {
    const ExprPtr known = row_known_.at(index);
    result = point.lanes == 1 ? known : call("spread", type(point.lanes), {known});
  } else if (point.pass != nullptr && point.pass->takes.contains(index)) {
    result = builder.declare(name(index), taken(index, point));
  } else if (here.op == RowOp::kInput) {
    const ExprPtr column = input_offset(here) + point.column + integer(shift);
    const bool each = point.peeled && point.lanes > 1 && !is_gapless(program_, here.access);
    result = builder.declare(shifted_name(index, shift), each ? load_each(buffer(here), column, type(point.lanes), stored(here))
                                                              : load(buffer(here), column, type(point.lanes), stored(here)));
  } else {
    std::vector<ExprPtr> args;
    for (int arg : here.args) args.push_back(at(arg, point, shift));
    const ExprPtr computed = element_wise(here.map, here.variant, args);
    result = here.level == Level::kConstant ? computed : builder.declare(shifted_name(index, shift), computed);
  }
  point.known[{index, shift}] = result;
  return result;
}

}  // namespace fuselab::codegen
