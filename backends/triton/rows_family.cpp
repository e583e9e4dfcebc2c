// SPDX-License-Identifier: Apache-2.0
// Operators that work along rows: a program holds whole rows, as a block of rows × columns. Rows count what is not reduced, columns
// what is, so that any axes may be.
#include <algorithm>

#include "backends/codegen/ir/axes.h"
#include "backends/triton/node_axes.h"
#include "backends/triton/text_family.h"

namespace fuselab::triton {
namespace {

constexpr std::int64_t kWidest = 65536;        // columns
constexpr std::int64_t kLargestBlock = 65536;  // elements

// A tensor seen as rows of what is reduced.
struct RowForm {
  Extents extents;
  std::vector<bool> reduced;
  std::int64_t rows = 1, columns = 1;

  Extents of(bool reduces) const {
    Extents made;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (reduced[axis] == reduces) made.push_back(extents[axis]);
    }
    return made;
  }
  // Returns the place with these indices of the axes that are kept and those that are not.
  Place place(const Place& kept, const Place& along) const {
    Place made;
    std::size_t next[] = {0, 0};
    for (const bool reduces : reduced) made.push_back(reduces ? along[next[1]++] : kept[next[0]++]);
    return made;
  }
};

std::optional<RowForm> form_of(const Graph& graph, const Node& node) {
  RowForm form;
  const auto axes = reduced_axes(graph, node);
  if (axes.empty()) return std::nullopt;
  form.extents = extents_of(graph.type(node.inputs[0]).shape);
  form.reduced.resize(form.extents.size(), false);
  for (const std::size_t axis : axes) form.reduced[axis] = true;
  form.rows = product_of(form.of(false));
  form.columns = product_of(form.of(true));
  return form;
}

std::optional<RowForm> form_of(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (auto form = form_of(graph, node)) return form;
  }
  return std::nullopt;
}

class RowWriter {
 public:
  RowWriter(BlockText& text, const RowForm& form) : text_(text), form_(form) {}

  std::optional<Item> item(const Node& node, std::size_t output, const Place& place, const Guard& guard) {
    const auto form = form_of(text_.graph(), node);
    if (!form) return std::nullopt;
    if (node.op == Op::kReduceProd) return text_.refuse(node, "is not written yet");
    if (output > 0) return text_.refuse(node, "with further results is not written yet");
    if (form->rows != form_.rows || form->columns != form_.columns)
      return text_.refuse(node, "over other rows than another is not written yet");
    const bool keeps_columns = node.op != Op::kGlobalAveragePool && info_of(node.op).name.substr(0, 6) != "Reduce";
    const bool keeps_axes = keeps_columns || node.op == Op::kGlobalAveragePool || node.attributes.integer("keepdims", 1) != 0;
    Place kept;
    std::size_t next = 0;
    for (const bool reduces : form->reduced) {
      if (!reduces) kept.push_back(place[next]);
      if (keeps_axes || !reduces) ++next;
    }
    for (const Index& each : kept) {
      if ((each.axes & kColumns) != 0) return text_.refuse(node, "whose rows lie across those of another is not written yet");
    }
    const Place all = form->place(kept, unflattened(index_named("col", kColumns), form->of(true)));
    const Item x = text_.operand(node, 0, all, guard);
    if (x.held != Held::kReal) return text_.refuse(node, "of whole numbers is not written yet");
    if (!keeps_columns) return reduced(node, x);
    if (!(place == all)) return text_.refuse(node, "at other columns than its own is not written yet");
    return normalized(node, x, place, guard);
  }

 private:
  std::string folded(const std::string& function, const std::string& what, const std::string& neutral) {
    Item item{what, kRows | kColumns, Held::kReal, false};
    if (!text_.inside(1).text.empty()) item.text = "tl.where(" + text_.inside(1).text + ", " + what + ", " + neutral + ")";
    const std::string folded = "tl." + function + "(" + item.text + ", axis=1, keep_dims=True)";
    return text_.named(function, {folded, kRows, Held::kReal, false}).text;
  }
  std::string columns() const { return std::to_string(form_.columns) + ".0"; }

  Item reduced(const Node& node, const Item& x) {
    const std::string block = text_.spread(x, kColumns);
    if (node.op == Op::kReduceMax) {
      // tl.max leaves NaN out.
      const std::string most = folded("max", block, "-float('inf')"),
                        wrong = folded("sum", "tl.where(" + block + " != " + block + ", 1.0, 0.0)", "0.0");
      return {"tl.where(" + wrong + " > 0.0, float('nan'), " + most + ")", kRows, Held::kReal, false};
    }
    const std::string sum = folded("sum", block, "0.0");
    return {node.op == Op::kReduceSum ? sum : sum + " / " + columns(), kRows, Held::kReal, false};
  }

  Item normalized(const Node& node, const Item& x, const Place& place, const Guard& guard) {
    const std::string block = text_.spread(x, kColumns);
    const auto keep = [&](const char* name, const std::string& what, Axes axes) {
      return text_.named(name, {what, axes, Held::kReal, false}).text;
    };
    if (node.op == Op::kSoftmax || node.op == Op::kLogSoftmax) {
      const std::string most = folded("max", block, "-float('inf')"),
                        shifted = keep("shifted", block + " - " + most, kRows | kColumns);
      const std::string power = keep("power", "tl.exp(" + shifted + ")", kRows | kColumns), sum = folded("sum", power, "0.0");
      return {node.op == Op::kSoftmax ? power + " / " + sum : shifted + " - tl.log(" + sum + ")", kRows | kColumns, Held::kReal,
              false};
    }
    std::string centred = block;
    if (node.op == Op::kLayerNormalization) {
      const std::string mean = keep("mean", folded("sum", block, "0.0") + " / " + columns(), kRows);
      centred = keep("centred", block + " - " + mean, kRows | kColumns);
    }
    const std::string spread = keep("spread", folded("sum", centred + " * " + centred, "0.0") + " / " + columns(), kRows);
    const std::string epsilon = literal(node.attributes.real("epsilon", 1e-5), text_.has_doubles());
    std::string made = centred + " / tl.sqrt(" + spread + " + " + epsilon + ")";
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      made += (i == 1 ? " * " : " + ") + text_.broadcast(node, i, place, guard).text;
    return {made, kRows | kColumns, Held::kReal, false};
  }

  BlockText& text_;
  const RowForm& form_;
};

// Where the results lie in the block: rows and columns, or rows alone.
std::map<ValueId, Place> places_of(const Graph& graph) {
  std::map<ValueId, Place> seeds;
  for (const Node& node : graph.nodes()) {
    const auto form = form_of(graph, node);
    if (!form) continue;
    const Place kept = unflattened(index_named("row", kRows), form->of(false));
    const Place all = form->place(kept, unflattened(index_named("col", kColumns), form->of(true)));
    seeds.try_emplace(node.inputs[0], all);
    const Extents result = extents_of(graph.type(node.outputs[0]).shape);
    if (result == form->extents && form->columns > 1) {
      seeds.try_emplace(node.outputs[0], all);
    } else {
      const Extents ones(form->of(true).size(), 1);
      Extents shape = form->extents;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) shape[axis] = form->reduced[axis] ? 1 : shape[axis];
      seeds.try_emplace(node.outputs[0], reshaped(form->place(kept, unflattened(constant(0), ones)), shape, result));
    }
  }
  // What has the shape of a whole row's tensor lies as it does.
  const auto form = *form_of(graph);
  const Place all =
      form.place(unflattened(index_named("row", kRows), form.of(false)), unflattened(index_named("col", kColumns), form.of(true)));
  std::map<ValueId, Place> places = places_behind(graph, seeds);
  for (const ValueId output : graph.outputs()) {
    if (extents_of(graph.type(output).shape) == form.extents) places.try_emplace(output, all);
  }
  return places;
}

Result<WrittenKernel> write_rows(const Graph& graph, const LaunchConfig& config) {
  const auto form = form_of(graph);
  if (!form) return Error{ErrorCode::kUnsupported, "reduces nothing"};
  if (form->columns > kWidest)
    return Error{ErrorCode::kUnsupported, "rows of more than " + std::to_string(kWidest) + " elements are not written yet"};
  const std::int64_t rows = config.integer("rows", 1), width = power_above(form->columns);
  BlockText text(graph, 2);
  text.line("pid = tl.program_id(0)");
  text.line("row = (pid * " + std::to_string(rows) + " + tl.arange(0, " + std::to_string(rows) + "))[:, None]");
  text.line("col = tl.arange(0, " + std::to_string(width) + ")[None, :]");
  Guard row, column;
  if (form->rows % rows != 0) row = {"row < " + std::to_string(form->rows), kRows};
  if (width != form->columns) column = {"col < " + std::to_string(form->columns), kColumns};
  text.go_to({row, column}, {"row", "col"});
  RowWriter writer(text, *form);
  text.set_special([&](const Node& node, std::size_t output, const Place& place, const Guard& guard) {
    return writer.item(node, output, place, guard);
  });
  const auto places = places_of(graph);
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const auto place = places.find(graph.outputs()[i]);
    if (place == places.end()) return Error{ErrorCode::kUnsupported, "a result that lies across the rows is not written yet"};
    text.store(i, place->second);
  }
  return finished(text, (form->rows + rows - 1) / rows);
}

ParameterSpace rows_space(const Graph& graph, const Target&) {
  const auto form = form_of(graph);
  ParameterSpace space;
  std::vector<std::int64_t> rows;
  for (std::int64_t count = 1; count <= 64; count *= 2) {
    if (count == 1 || (form && count <= form->rows && count * power_above(form->columns) <= kLargestBlock / 4))
      rows.push_back(count);
  }
  codegen::add_axis(space, "rows", "rows of a program", rows);
  codegen::add_axis(space, "warps", "warps of a program", {1, 2, 4, 8, 16});
  return space;
}

std::vector<LaunchConfig> rows_wishes(const Graph& graph, const Target&) {
  const auto form = form_of(graph);
  const std::int64_t width = form ? power_above(form->columns) : 1;
  const std::int64_t warps = width >= 8192 ? 16 : width >= 2048 ? 8 : 4;
  return {{{"rows", std::clamp<std::int64_t>(512 / width, 1, 16)}, {"warps", warps}},
          {{"rows", std::int64_t{1}}, {"warps", warps}}};
}

}  // namespace

TextFamily rows_family() {
  return {"rows", write_rows, rows_space, rows_wishes};
}

}  // namespace fuselab::triton
