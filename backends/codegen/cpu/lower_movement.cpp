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
      : inputs_(graph.inputs().size()),
        grain_(config.integer("grain", 16384)),
        tile_(config.integer("tile", 16)),
        lanes_(moved_in_registers(graph) ? static_cast<int>(config.integer("vector", 1)) : 1),
        streams_(lanes_ > 1 && config.integer("nontemporal", 0) != 0) {
    Names names;
    function_.parameters = name_parameters(graph, names);
    square_ = names.unique("square");
    function_.tasks = 0;
    type_ = {function_.parameters.back().storage, lanes_};
  }

  void add(const BlockCopy& copy) {
    to_ = function_.parameters[inputs_ + static_cast<std::size_t>(copy.output)].name;
    if (copy.input == kNothing) return zeros(copy);
    from_ = function_.parameters[static_cast<std::size_t>(copy.input)].name;
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
  void zeros(const BlockCopy& copy);
  void prefetch_turns(Body& body, const GatherCopy& copy, const ExprPtr& next, std::int64_t turns);
  void run(Body& body, const ExprPtr& to, const ExprPtr& from, const ExprPtr& count, bool aligned);
  void square(Body& body, const ExprPtr& to, std::int64_t to_stride, const ExprPtr& from, std::int64_t from_stride, bool aligned);
  void element_copy(Body& body, const ExprPtr& to, const ExprPtr& from) {
    BodyBuilder(body).assign(element(to_, {to}, kIndex), element(from_, {from}, kIndex));
  }

  std::size_t inputs_;
  std::int64_t grain_, tile_;
  int lanes_;
  bool streams_;
  Function function_;
  IrType type_;
  std::string from_, to_, square_;
};

// Elements that lie together on both sides. Registers whose lines nobody reads before they are overwritten bypass the caches.
void MovementLowering::run(Body& body, const ExprPtr& to, const ExprPtr& from, const ExprPtr& count, bool aligned) {
  if (!streams_ || !aligned) {
    BodyBuilder(body).copy({to_, to, from_, from, count});
    return;
  }
  function_.nontemporal = true;
  const ExprPtr at = variable("at", kIndex);
  Body& each = BodyBuilder(body).loop(LoopKind::kVector, "at", integer(0), count, integer(lanes_));
  BodyBuilder(each).store({to_, to + at, load(from_, from + at, type_, type_.dtype), type_.dtype, true});
}

void MovementLowering::square(Body& body, const ExprPtr& to, std::int64_t to_stride, const ExprPtr& from, std::int64_t from_stride,
                              bool aligned) {
  BodyBuilder builder(body);
  if (!streams_ || !aligned) {
    builder.transpose({type_, to_, to, to_stride, from_, from, from_stride});
    return;
  }
  function_.nontemporal = true;
  if (function_.scratch.empty()) {
    function_.scratch.push_back({square_, type_.dtype, 0});
    function_.scratch_bytes = static_cast<std::int64_t>(lanes_) * lanes_ * bits_of(type_.dtype) / 8;
  }
  builder.transpose({type_, square_, integer(0), lanes_, from_, from, from_stride});
  Body& each = builder.loop(LoopKind::kUnrolled, "line", integer(0), integer(lanes_), integer(1));
  const ExprPtr line = variable("line", kIndex);
  BodyBuilder(each).store(
      {to_, to + line * integer(to_stride), load(square_, line * integer(lanes_), type_, type_.dtype), type_.dtype, true});
}

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
  run(body, integer(copy.to_offset) + first, integer(copy.from_offset) + first, count, is_aligned(copy, lanes_));
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
  const std::int64_t length = copy.axes.back().extent;
  const std::int64_t per_task = std::clamp<std::int64_t>(grain_ / length, 1, count);
  ExprPtr part;
  Body& body = tasks(ceil_div(count, per_task), part);
  Body& loop = bounded_loop(body, "row", part, per_task, count);
  const ExprPtr row = variable("row", kIndex);
  run(loop, integer(copy.to_offset) + strided_offset(extents, to, row),
      integer(copy.from_offset) + strided_offset(extents, from, row), integer(length), is_aligned(copy, lanes_));
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
  // Whole strips, so that a long last axis gives work to every thread.
  const std::int64_t segment =
      std::min(ceil_div(std::max(grain_ / tile, tile_), tile_) * tile_, ceil_div(last.extent, tile_) * tile_);
  const std::int64_t segments = ceil_div(last.extent, segment);
  ExprPtr part;
  Body& body = tasks(count * per_row * segments, part);
  BodyBuilder builder(body);
  const auto cut = [](BodyBuilder& at, const char* name, const ExprPtr& wish, std::int64_t limit) {
    const ExprPtr value = at.declare_variable(name, wish);
    BodyBuilder(at.when(binary(">", value, integer(limit)))).assign(value, integer(limit));
    return value;
  };
  const ExprPtr block = segments == 1 ? part : builder.declare("block", part / integer(segments));
  const ExprPtr row = block / integer(per_row);
  const ExprPtr from_at = builder.declare("left_at", integer(copy.from_offset) + strided_offset(extents, from, row));
  const ExprPtr to_at = builder.declare("right_at", integer(copy.to_offset) + strided_offset(extents, to, row));
  const ExprPtr first_i = builder.declare("first_row", block % integer(per_row) * integer(tile));
  const ExprPtr last_i = cut(builder, "last_row", first_i + integer(tile), other.extent);
  ExprPtr first_col = integer(0), last_col = integer(last.extent);
  if (segments > 1) {
    first_col = builder.declare("first_strip", part % integer(segments) * integer(segment));
    last_col = cut(builder, "last_strip", first_col + integer(segment), last.extent);
  }
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr col = variable("col", kIndex);
  const auto to_of = [&](const ExprPtr& along) { return to_at + i * integer(other.to) + along * integer(last.to); };
  const auto from_of = [&](const ExprPtr& along) { return from_at + i * integer(other.from) + along * integer(last.from); };
  const auto one_by_one = [&](Body& at, const ExprPtr& first_row, const ExprPtr& first, const ExprPtr& end) {
    Body& each_i = BodyBuilder(at).loop(LoopKind::kSerial, "i", first_row, last_i, integer(1));
    Body& each_j = BodyBuilder(each_i).loop(LoopKind::kSerial, "j", first, end, integer(1));
    element_copy(each_j, to_of(j), from_of(j));
  };
  if (lanes_ == 1 || last.to != 1 || other.from != 1 || tile < lanes_ || last.extent < lanes_) {
    BodyBuilder strip(builder.loop(LoopKind::kSerial, "col", first_col, last_col, integer(tile_)));
    const ExprPtr end = strip.declare_variable("last_col", col + integer(tile_));
    BodyBuilder(strip.when(binary(">", end, last_col))).assign(end, last_col);
    Body& each_i = strip.loop(LoopKind::kSerial, "i", first_i, last_i, integer(1));
    Body& each_j = BodyBuilder(each_i).loop(LoopKind::kSerial, "j", col, end, integer(1));
    element_copy(each_j, to_of(j), from_of(j));
    return;
  }
  // Squares of registers read and write whole lines; what is left beside and below them goes one by one.
  // Rows of the source are gone along, unless they are so short that a tile of them lies together: then those of the result.
  Body* squares = &body;
  const auto along = [&](bool columns) {
    squares = columns ? &BodyBuilder(*squares).loop(LoopKind::kVector, "col", first_col, last_col, integer(lanes_))
                      : &BodyBuilder(*squares).loop(LoopKind::kVector, "i", first_i, last_i, integer(lanes_));
  };
  const bool lie_together = last.from <= tile;
  along(!lie_together);
  along(lie_together);
  square(*squares, to_of(col), other.to, from_of(col), last.from, is_aligned(copy, lanes_) && segment % lanes_ == 0);
  const ExprPtr whole_col = builder.declare("whole_cols", first_col + (last_col - first_col) / integer(lanes_) * integer(lanes_));
  if (last.extent % lanes_ != 0 || segment % lanes_ != 0) one_by_one(body, first_i, whole_col, last_col);
  if (other.extent % lanes_ == 0 && tile % lanes_ == 0) return;
  const ExprPtr whole_i = BodyBuilder(body).declare("whole_rows", first_i + (last_i - first_i) / integer(lanes_) * integer(lanes_));
  one_by_one(body, whole_i, first_col, whole_col);
}

void MovementLowering::zeros(const BlockCopy& copy) {
  constexpr std::int64_t kElementsOfLine = 16;
  std::vector<std::int64_t> extents, to;
  std::int64_t count = 1;
  for (std::size_t i = 0; i + 1 < copy.axes.size(); ++i) {
    extents.push_back(copy.axes[i].extent);
    to.push_back(copy.axes[i].to);
    count *= copy.axes[i].extent;
  }
  const CopyAxis& last = copy.axes.back();
  const std::int64_t length = std::min(last.extent, last.to == 1 ? grain_ : grain_ / kElementsOfLine);
  const std::int64_t parts = ceil_div(last.extent, length);
  // Each row touches a line at least.
  const std::int64_t per_task = parts > 1 ? 1 : std::clamp<std::int64_t>(grain_ / std::max(length, kElementsOfLine), 1, count);
  ExprPtr part;
  Body& body = tasks(ceil_div(count, per_task) * parts, part);
  const ExprPtr block = parts == 1 ? part : part / integer(parts);
  Body& loop = bounded_loop(body, "row", block, per_task, count);
  const ExprPtr base = integer(copy.to_offset) + strided_offset(extents, to, variable("row", kIndex));
  const ExprPtr first = parts == 1 ? integer(0) : part % integer(parts);
  Body& each = bounded_loop(loop, "col", first, length, last.extent);
  BodyBuilder(each).assign(element(to_, {base + variable("col", kIndex) * integer(last.to)}, kIndex), integer(0));
}

// So many next turns' rows, where most of their lines are picked, in an order that no hardware foresees.
void MovementLowering::prefetch_turns(Body& body, const GatherCopy& copy, const ExprPtr& next, std::int64_t turns) {
  constexpr std::int64_t kLine = 64, kMostBytes = std::int64_t{256} << 10;
  const std::int64_t elements_of_line = kLine * 8 / bits_of(function_.parameters[static_cast<std::size_t>(copy.data)].storage);
  const std::int64_t elements = copy.rows * copy.elements;
  const bool picks_most = copy.picked * std::max(copy.elements, elements_of_line) >= elements;
  if (copy.outer == 1 || !picks_most || turns * elements / elements_of_line * kLine > kMostBytes) return;
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "at", integer(0), integer(turns * elements), integer(elements_of_line));
  BodyBuilder(each).prefetch(from_, next * integer(elements) + variable("at", kIndex));
}

void MovementLowering::add(const GatherCopy& copy) {
  from_ = function_.parameters[static_cast<std::size_t>(copy.data)].name;
  to_ = function_.parameters[inputs_].name;
  const KernelParameter& indices = function_.parameters[static_cast<std::size_t>(copy.indices)];
  // Whole turns of the indices, or a part of one.
  const std::int64_t wanted = std::max<std::int64_t>(grain_ / copy.elements, 1);
  const std::int64_t picked = std::min(wanted, copy.picked);
  const std::int64_t turns = std::clamp<std::int64_t>(wanted / picked, 1, copy.outer);
  const std::int64_t parts = ceil_div(copy.picked, picked);
  ExprPtr part;
  Body& body = tasks(ceil_div(copy.outer, turns) * parts, part);
  const ExprPtr turn = variable("turn", kIndex);
  const ExprPtr row = variable("row", kIndex);
  const auto picked_index = [&](Body& at) {
    const ExprPtr named = load(indices.name, row, kIndex, indices.storage);
    return BodyBuilder(at).declare("index", call("whole_index", kIndex, {named, integer(copy.rows)}));
  };
  const auto pick = [&](Body& at, const ExprPtr& index) {
    const ExprPtr from = (turn * integer(copy.rows) + index) * integer(copy.elements);
    const ExprPtr to = (turn * integer(copy.picked) + row) * integer(copy.elements);
    if (copy.elements == 1) {
      element_copy(at, to, from);
    } else {
      run(at, to, from, integer(copy.elements), copy.elements % lanes_ == 0);
    }
  };
  constexpr std::int64_t kNarrow = 16;
  if (parts == 1 && turns > 1 && copy.elements < kNarrow) {
    // An index costs more than the elements that it names: it serves all turns of a task.
    prefetch_turns(body, copy, (part + integer(1)) * integer(turns), turns);
    Body& rows = BodyBuilder(body).loop(LoopKind::kSerial, "row", integer(0), integer(copy.picked), integer(1));
    const ExprPtr index = picked_index(rows);
    pick(bounded_loop(rows, "turn", part, turns, copy.outer), index);
    return;
  }
  Body& outer = bounded_loop(body, "turn", parts == 1 ? part : part / integer(parts), turns, copy.outer);
  if (parts == 1) prefetch_turns(outer, copy, turn + integer(1), 1);
  Body& rows = bounded_loop(outer, "row", parts == 1 ? integer(0) : part % integer(parts), picked, copy.picked);
  const ExprPtr index = picked_index(rows);
  pick(rows, index);
}

}  // namespace

bool moved_in_registers(const Graph& graph) {
  const DType dtype = graph.type(graph.outputs().front()).dtype;
  return dtype == DType::kF32 || dtype == DType::kF64;
}

bool is_aligned(const BlockCopy& copy, std::int64_t lanes) {
  return copy.to_offset % lanes == 0 && std::all_of(copy.axes.begin(), copy.axes.end(), [lanes](const CopyAxis& axis) {
           return (axis.to == 1 ? axis.extent : axis.to) % lanes == 0;
         });
}

Function lower_movement(const Graph& graph, const Movement& movement, const LaunchConfig& config) {
  MovementLowering lowering(graph, config);
  for (const BlockCopy& copy : movement.copies) lowering.add(copy);
  for (const GatherCopy& copy : movement.gathers) lowering.add(copy);
  return lowering.finish();
}

}  // namespace fuselab::codegen
