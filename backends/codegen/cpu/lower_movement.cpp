// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/lower_movement.h"

#include <algorithm>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

class MovementLowering {
 public:
  MovementLowering(const Graph& graph, const LaunchConfig& config)
      : inputs_(graph.inputs().size()), grain_(config.integer("grain", 16384)), tile_(config.integer("tile", 16)) {
    Names names;
    function_.parameters = name_parameters(graph, names);
    function_.tasks = 0;
  }

  void add(const BlockCopy& copy) {
    from_ = function_.parameters[static_cast<std::size_t>(copy.input)].name;
    to_ = function_.parameters[inputs_ + static_cast<std::size_t>(copy.output)].name;
    const CopyAxis& last = copy.axes.back();
    const bool run = last.from == 1 && last.to == 1;
    if (run && copy.axes.size() == 1) return blocks(copy);
    if (run) return rows(copy);
    tiles(copy);
  }
  void add(const GatherCopy& copy);
  Function finish() { return std::move(function_); }

 private:
  // The body of the next `tasks` tasks; their number among themselves is `index`.
  Body& tasks(std::int64_t count, ExprPtr& index);
  Body& bounded_loop(Body& body, const std::string& name, const ExprPtr& first, std::int64_t step, std::int64_t limit);
  void blocks(const BlockCopy& copy);
  void rows(const BlockCopy& copy);
  void tiles(const BlockCopy& copy);
  void element_copy(Body& body, const ExprPtr& to, const ExprPtr& from) {
    BodyBuilder(body).assign(element(to_, {to}, kIndex), element(from_, {from}, kIndex));
  }

  std::size_t inputs_;
  std::int64_t grain_, tile_;
  Function function_;
  std::string from_, to_;
};

Body& MovementLowering::tasks(std::int64_t count, ExprPtr& index) {
  const ExprPtr task = variable(function_.task_variable, kIndex);
  const std::int64_t first = function_.tasks;
  function_.tasks += count;
  BodyBuilder builder(function_.body);
  Body& body = builder.when(binary("&&", binary(">", task, integer(first - 1)), binary("<", task, integer(first + count))));
  index = BodyBuilder(body).declare("part", task - integer(first));
  return body;
}

// for name in [first · step, (first + 1) · step), cut to the limit.
Body& MovementLowering::bounded_loop(Body& body, const std::string& name, const ExprPtr& first, std::int64_t step,
                                     std::int64_t limit) {
  BodyBuilder builder(body);
  const ExprPtr begin = builder.declare("first_" + name, first * integer(step));
  ExprPtr end = begin + integer(step);
  if (limit % step != 0) {
    end = builder.declare_variable("last_" + name, end);
    BodyBuilder(builder.when(binary(">", end, integer(limit)))).assign(end, integer(limit));
  }
  return builder.loop(LoopKind::kSerial, name, begin, end, integer(1));
}

void MovementLowering::blocks(const BlockCopy& copy) {
  const std::int64_t elements = copy.axes.back().extent;
  ExprPtr part;
  Body& body = tasks(ceil_div(elements, grain_), part);
  BodyBuilder builder(body);
  const ExprPtr first = builder.declare("first_col", part * integer(grain_));
  const ExprPtr count = builder.declare_variable("count", integer(grain_));
  BodyBuilder(builder.when(binary(">", first + integer(grain_), integer(elements)))).assign(count, integer(elements) - first);
  builder.copy({to_, integer(copy.to_offset) + first, from_, integer(copy.from_offset) + first, count});
}

void MovementLowering::rows(const BlockCopy& copy) {
  std::vector<std::int64_t> extents, from, to;
  std::int64_t count = 1;
  for (std::size_t i = 0; i + 1 < copy.axes.size(); ++i) {
    extents.push_back(copy.axes[i].extent);
    from.push_back(copy.axes[i].from);
    to.push_back(copy.axes[i].to);
    count *= copy.axes[i].extent;
  }
  const std::int64_t run = copy.axes.back().extent;
  const std::int64_t per_task = std::clamp<std::int64_t>(grain_ / run, 1, count);
  ExprPtr part;
  Body& body = tasks(ceil_div(count, per_task), part);
  Body& loop = bounded_loop(body, "row", part, per_task, count);
  const ExprPtr row = variable("row", kIndex);
  BodyBuilder(loop).copy({to_, integer(copy.to_offset) + strided_offset(extents, to, row), from_,
                          integer(copy.from_offset) + strided_offset(extents, from, row), integer(run)});
}

// The axis that is contiguous in the source (or, failing that, the one before the last) is walked tile by tile together
// with the last one, which is contiguous in the result.
void MovementLowering::tiles(const BlockCopy& copy) {
  std::vector<CopyAxis> axes = copy.axes;
  const CopyAxis last = axes.back();
  axes.pop_back();
  CopyAxis other{1, 0, 0};
  if (!axes.empty()) {
    auto partner = std::find_if(axes.begin(), axes.end(), [](const CopyAxis& axis) { return axis.from == 1; });
    if (partner == axes.end()) partner = axes.end() - 1;
    other = *partner;
    axes.erase(partner);
  }
  std::vector<std::int64_t> extents, from, to;
  std::int64_t count = 1;
  for (const CopyAxis& axis : axes) {
    extents.push_back(axis.extent);
    from.push_back(axis.from);
    to.push_back(axis.to);
    count *= axis.extent;
  }
  const std::int64_t tile = std::min(tile_, other.extent);
  const std::int64_t per_row = ceil_div(other.extent, tile);
  ExprPtr part;
  Body& body = tasks(count * per_row, part);
  BodyBuilder builder(body);
  const ExprPtr row = part / integer(per_row);
  const ExprPtr from_at = builder.declare("left_at", integer(copy.from_offset) + strided_offset(extents, from, row));
  const ExprPtr to_at = builder.declare("right_at", integer(copy.to_offset) + strided_offset(extents, to, row));
  const ExprPtr first_i = builder.declare("first_row", part % integer(per_row) * integer(tile));
  const ExprPtr last_i = builder.declare_variable("last_row", first_i + integer(tile));
  BodyBuilder(builder.when(binary(">", last_i, integer(other.extent)))).assign(last_i, integer(other.extent));
  Body& strips = builder.loop(LoopKind::kSerial, "col", integer(0), integer(last.extent), integer(tile_));
  BodyBuilder strip(strips);
  const ExprPtr col = variable("col", kIndex);
  const ExprPtr end = strip.declare_variable("last_col", col + integer(tile_));
  BodyBuilder(strip.when(binary(">", end, integer(last.extent)))).assign(end, integer(last.extent));
  Body& each_i = strip.loop(LoopKind::kSerial, "i", first_i, last_i, integer(1));
  Body& each_j = BodyBuilder(each_i).loop(LoopKind::kSerial, "j", col, end, integer(1));
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  element_copy(each_j, to_at + i * integer(other.to) + j * integer(last.to),
               from_at + i * integer(other.from) + j * integer(last.from));
}

void MovementLowering::add(const GatherCopy& copy) {
  from_ = function_.parameters[static_cast<std::size_t>(copy.data)].name;
  to_ = function_.parameters[inputs_].name;
  const KernelParameter& indices = function_.parameters[static_cast<std::size_t>(copy.indices)];
  const std::int64_t count = copy.outer * copy.picked;
  const std::int64_t per_task = std::clamp<std::int64_t>(grain_ / copy.elements, 1, count);
  ExprPtr part;
  Body& body = tasks(ceil_div(count, per_task), part);
  Body& loop = bounded_loop(body, "row", part, per_task, count);
  const ExprPtr row = variable("row", kIndex);
  BodyBuilder builder(loop);
  const ExprPtr index = builder.declare_variable("index", load(indices.name, row % integer(copy.picked), kIndex, indices.storage));
  BodyBuilder(builder.when(binary("<", index, integer(0)))).assign(index, index + integer(copy.rows));
  const ExprPtr from = ((row / integer(copy.picked)) * integer(copy.rows) + index) * integer(copy.elements);
  builder.copy({to_, row * integer(copy.elements), from_, from, integer(copy.elements)});
}

}  // namespace

Function lower_movement(const Graph& graph, const Movement& movement, const LaunchConfig& config) {
  MovementLowering lowering(graph, config);
  for (const BlockCopy& copy : movement.copies) lowering.add(copy);
  for (const GatherCopy& copy : movement.gathers) lowering.add(copy);
  return lowering.finish();
}

}  // namespace fuselab::codegen
