// SPDX-License-Identifier: Apache-2.0
// MatMul, Gemm and Conv: a program computes one tile of the result. What makes an operand, and what follows the product, is
// computed in the same kernel, element by element.
#include <algorithm>
#include <functional>

#include "backends/codegen/ir/axes.h"
#include "backends/triton/node_axes.h"
#include "backends/triton/text_family.h"

namespace fuselab::triton {
namespace {

struct GuardedPlace {
  Place place;
  Guard inside = {};
};

// Sums over k of left(row, k) · right(k, column), for each batch, and where those elements lie in their tensors.
struct Product {
  const Node* node = nullptr;
  ValueId left, right;
  std::int64_t m = 1, n = 1, k = 1, batches = 1;
  std::function<Place(const Index& batch, const Index& row, const Index& k)> left_place;
  std::function<GuardedPlace(const Index& batch, const Index& k, const Index& column)> right_place;
  std::function<Place(const Index& batch, const Index& row, const Index& column)> result_place;
};

Extents without_last(const Extents& extents, std::size_t count) {
  return {extents.begin(), extents.end() - static_cast<std::ptrdiff_t>(count)};
}

// Returns the batch indices of an operand that broadcasts to `all`.
Place batch_place(const Place& batch, const Extents& own) {
  Place made;
  for (std::size_t axis = 0; axis < own.size(); ++axis)
    made.push_back(own[axis] == 1 ? constant(0) : batch[batch.size() - own.size() + axis]);
  return made;
}

Place followed_by(Place place, const Index& a, const Index& b) {
  place.push_back(a);
  place.push_back(b);
  return place;
}

Result<Product> matrix_product(const Graph& graph, const Node& node) {
  const Extents a = extents_of(graph.type(node.inputs[0]).shape), b = extents_of(graph.type(node.inputs[1]).shape);
  if (a.size() < 2 || b.size() < 2) return Error{ErrorCode::kUnsupported, "a product with a vector is not written for Triton yet"};
  const Extents y = extents_of(graph.type(node.outputs[0]).shape);
  const Extents batches = without_last(y, 2), of_a = without_last(a, 2), of_b = without_last(b, 2);
  Product p{&node, node.inputs[0], node.inputs[1], a[a.size() - 2], b.back(), a.back(), 1, {}, {}, {}};
  if (product_of(of_b) == 1 && product_of(of_a) == product_of(batches)) {
    // One right matrix for all batches: their rows are those of one product.
    Extents rows = batches;
    rows.push_back(p.m);
    p.m = product_of(rows);
    p.left_place = [=](const Index&, const Index& row, const Index& k) {
      Place all = unflattened(row, rows);
      const Index last = all.back();
      all.pop_back();
      return followed_by(batch_place(all, of_a), last, k);
    };
    p.right_place = [=](const Index&, const Index& k, const Index& column) {
      return GuardedPlace{followed_by(Place(of_b.size(), constant(0)), k, column)};
    };
    p.result_place = [=](const Index&, const Index& row, const Index& column) {
      Place all = unflattened(row, rows);
      all.push_back(column);
      return all;
    };
    return p;
  }
  p.batches = product_of(batches);
  p.left_place = [=](const Index& batch, const Index& row, const Index& k) {
    return followed_by(batch_place(unflattened(batch, batches), of_a), row, k);
  };
  p.right_place = [=](const Index& batch, const Index& k, const Index& column) {
    return GuardedPlace{followed_by(batch_place(unflattened(batch, batches), of_b), k, column)};
  };
  p.result_place = [=](const Index& batch, const Index& row, const Index& column) {
    return followed_by(unflattened(batch, batches), row, column);
  };
  return p;
}

Product general_product(const Graph& graph, const Node& node) {
  const bool turns_a = node.attributes.integer("transA", 0) != 0, turns_b = node.attributes.integer("transB", 0) != 0;
  const Extents a = extents_of(graph.type(node.inputs[0]).shape), y = extents_of(graph.type(node.outputs[0]).shape);
  Product p{&node, node.inputs[0], node.inputs[1], y[0], y[1], a[turns_a ? 0 : 1], 1, {}, {}, {}};
  p.left_place = [=](const Index&, const Index& row, const Index& k) { return turns_a ? Place{k, row} : Place{row, k}; };
  p.right_place = [=](const Index&, const Index& k, const Index& column) {
    return GuardedPlace{turns_b ? Place{column, k} : Place{k, column}};
  };
  p.result_place = [=](const Index&, const Index& row, const Index& column) { return Place{row, column}; };
  return p;
}

// Rows count output channels, columns the positions of all images, k the channels of a group and the taps of a window.
Product convolution(const Graph& graph, const Node& node) {
  const Windows windows = windows_along(graph, node);
  const Extents w = extents_of(graph.type(node.inputs[1]).shape), y = extents_of(graph.type(node.outputs[0]).shape);
  const std::int64_t groups = node.attributes.integer("group", 1), channels = w[1], filters = w[0] / groups;
  Extents columns = {y[0]}, steps = {channels};
  columns.insert(columns.end(), y.begin() + 2, y.end());
  steps.insert(steps.end(), windows.kernel.begin(), windows.kernel.end());
  Product p{&node, node.inputs[1], node.inputs[0], filters, product_of(columns), product_of(steps), groups, {}, {}, {}};
  p.left_place = [=](const Index& group, const Index& row, const Index& k) {
    Place place = unflattened(k, steps);
    place.insert(place.begin(), joined(group, filters, row));
    return place;
  };
  p.right_place = [=](const Index& group, const Index& k, const Index& column) {
    const Place step = unflattened(k, steps), at = unflattened(column, columns);
    GuardedPlace made{{at[0], joined(group, channels, step[0])}};
    for (const Index& each : windows.under(Place(at.begin() + 1, at.end()), Place(step.begin() + 1, step.end()), made.inside))
      made.place.push_back(each);
    return made;
  };
  p.result_place = [=](const Index& group, const Index& row, const Index& column) {
    Place place = unflattened(column, columns);
    place.insert(place.begin() + 1, joined(group, filters, row));
    return place;
  };
  return p;
}

Result<Product> product_in(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::kMatMul && node.op != Op::kGemm && node.op != Op::kConv) continue;
    const DType left = graph.type(node.inputs[0]).dtype, right = graph.type(node.inputs[1]).dtype;
    if (left != right || !is_floating(left) || left == DType::kF64)
      return Error{ErrorCode::kUnsupported, "a product of " + std::string(name_of(left)) + " and " + std::string(name_of(right)) +
                                                " is not written for Triton yet"};
    if (node.op == Op::kMatMul) return matrix_product(graph, node);
    return node.op == Op::kGemm ? general_product(graph, node) : convolution(graph, node);
  }
  return Error{ErrorCode::kUnsupported, "no MatMul, Gemm or Conv"};
}

struct Tile {
  std::int64_t m, n, k, group;
  std::int64_t rows(const Product& p) const { return (p.m + m - 1) / m; }
  std::int64_t columns(const Product& p) const { return (p.n + n - 1) / n; }
};

Guard below(const char* name, std::int64_t extent, std::int64_t tile, Axes axes) {
  return extent % tile == 0 ? Guard{} : Guard{std::string(name) + " < " + std::to_string(extent), axes};
}

// Programs that follow each other share rows or columns of tiles, so that the last cache holds what they read.
void write_tile(BlockText& text, const Product& p, const Tile& tile) {
  const std::string rows = std::to_string(tile.rows(p)), columns = std::to_string(tile.columns(p)),
                    group = std::to_string(tile.group);
  const std::string band = std::to_string(tile.group * tile.columns(p)), all = std::to_string(tile.rows(p) * tile.columns(p));
  if (p.batches > 1) text.line("batch = pid // " + all);
  text.line("tile = pid" + std::string(p.batches > 1 ? " % " + all : ""));
  text.line("top = tile // " + band + " * " + group);
  text.line("height = tl.minimum(" + rows + " - top, " + group + ")");
  text.line("m = ((top + tile % " + band + " % height) * " + std::to_string(tile.m) + " + tl.arange(0, " + std::to_string(tile.m) +
            "))[:, None]");
  text.line("n = (tile % " + band + " // height * " + std::to_string(tile.n) + " + tl.arange(0, " + std::to_string(tile.n) +
            "))[None, :]");
  text.line("acc = tl.zeros((" + std::to_string(tile.m) + ", " + std::to_string(tile.n) + "), tl.float32)");
}

void write_sum(BlockText& text, const Product& p, const Tile& tile, const std::string& precision) {
  const Index batch = p.batches > 1 ? index_named("batch", 0) : constant(0);
  const Guard row = below("m", p.m, tile.m, kRows), column = below("n", p.n, tile.n, kColumns);
  const std::string size = std::to_string(tile.k);
  text.indented("for first in range(0, " + std::to_string(p.k) + ", " + size + "):", [&] {
    text.line("k = (first + tl.arange(0, " + size + "))[None, :]");
    text.go_to({row, below("k", p.k, tile.k, kColumns)}, {"m", "k"});
    const std::string left = text.stored(p.left, p.left_place(batch, index_named("m", kRows), index_named("k", kColumns))).text;
    const std::string down = text.unique("k");
    text.line(down + " = (first + tl.arange(0, " + size + "))[:, None]");
    text.go_to({below(down.c_str(), p.k, tile.k, kRows), column}, {down, "n"});
    const GuardedPlace from = p.right_place(batch, index_named(down, kRows), index_named("n", kColumns));
    const std::string right = text.stored(p.right, from.place, from.inside).text;
    text.line("acc = tl.dot(" + left + ", " + right + ", acc, input_precision='" + precision + "')");
  });
  text.go_to({row, column}, {"m", "n"});
}

// A tap of a window in the padding is left out of the sum. Its zero times an infinite weight made NaN of it, so that what is not
// finite is summed once more, tap by tap.
void sum_again_without_padding(BlockText& text, const Product& p, const Tile& tile) {
  const Index batch = p.batches > 1 ? index_named("batch", 0) : constant(0);
  text.indented("if tl.max(tl.max(((acc != acc) | (tl.abs(acc) == float('inf'))).to(tl.int32), 1), 0) > 0:", [&] {
    const std::string step = text.unique("step");
    text.line("acc = tl.zeros((" + std::to_string(tile.m) + ", " + std::to_string(tile.n) + "), tl.float32)");
    text.indented("for " + step + " in range(0, " + std::to_string(p.k) + "):", [&] {
      const Index k = index_named(step, 0);
      const std::string weight = text.real(text.value(p.left, p.left_place(batch, index_named("m", kRows), k)));
      const GuardedPlace from = p.right_place(batch, k, index_named("n", kColumns));
      const std::string tap = text.real(text.value(p.right, from.place, from.inside));
      text.line("acc += tl.where(" + from.inside.text + ", " + weight + " * " + tap + ", 0.0)");
    });
  });
}

// What Gemm does beside the product.
Item scaled(BlockText& text, const Node& node, const Place& place) {
  Item made{"acc", kRows | kColumns, Held::kReal, false};
  if (node.op == Op::kConv && node.inputs.size() > 2) {
    made.text += " + " + text.operand(node, 2, {place[1]}).text;
  } else if (node.op == Op::kGemm) {
    const double alpha = node.attributes.real("alpha", 1), beta = node.attributes.real("beta", 1);
    if (alpha != 1) made.text += " * " + literal(alpha, false);
    if (node.inputs.size() > 2 && beta != 0)
      made.text += " + " + text.broadcast(node, 2, place, {}).text + (beta != 1 ? " * " + literal(beta, false) : "");
  }
  return made.text == "acc" ? made : text.named("sum", made);
}

Result<WrittenKernel> write_product(const Graph& graph, const LaunchConfig& config) {
  FL_TRY(const Product p, product_in(graph));
  const Tile tile{config.integer("tile_m", 64), config.integer("tile_n", 64), config.integer("tile_k", 32),
                  config.integer("group", 8)};
  BlockText text(graph, 2);
  text.line("pid = tl.program_id(0)");
  write_tile(text, p, tile);
  write_sum(text, p, tile, config.choice("precision", "ieee"));
  const bool has_padding = !p.right_place(constant(0), index_named("k", kRows), index_named("n", kColumns)).inside.text.empty();
  if (has_padding) sum_again_without_padding(text, p, tile);
  const Index batch = p.batches > 1 ? index_named("batch", 0) : constant(0);
  const Place place = p.result_place(batch, index_named("m", kRows), index_named("n", kColumns));
  text.pin(p.node->outputs[0], place, scaled(text, *p.node, place));
  const auto places = places_behind(graph, {{p.node->outputs[0], place}});
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const auto found = places.find(graph.outputs()[i]);
    if (found == places.end())
      return Error{ErrorCode::kUnsupported, "a result that is not an element of the product each is not written yet"};
    text.store(i, found->second);
  }
  return finished(text, tile.rows(p) * tile.columns(p) * p.batches);
}

std::vector<std::int64_t> tiles_up_to(std::int64_t extent, std::int64_t most) {
  std::vector<std::int64_t> tiles;
  for (std::int64_t tile = 16; tile <= most; tile *= 2) {
    if (tile == 16 || tile < 2 * extent) tiles.push_back(tile);
  }
  return tiles;
}

std::int64_t operand_bytes(const Graph& graph, const Product& p) {
  return bits_of(graph.type(p.left).dtype) / 8;
}

ParameterSpace product_space(const Graph& graph, const Target& target) {
  ParameterSpace space;
  const auto p = product_in(graph);
  if (!p.ok()) return space;
  codegen::add_axis(space, "tile_m", "rows of a program's tile", tiles_up_to(p.value().m, 256));
  codegen::add_axis(space, "tile_n", "columns of a program's tile", tiles_up_to(p.value().n, 256));
  codegen::add_axis(space, "tile_k", "steps of a turn", tiles_up_to(p.value().k, 128));
  codegen::add_axis(space, "group", "rows of tiles that follow each other", {1, 4, 8});
  codegen::add_axis(space, "warps", "warps of a program", {2, 4, 8});
  codegen::add_axis(space, "stages", "turns that are loaded ahead", {1, 2, 3, 4, 5});
  if (operand_bytes(graph, p.value()) == 4 && target.arch == "cuda") {
    const Status added = space.add({"precision", "how f32 is multiplied", {std::string("ieee"), std::string("tf32x3")}});
    FL_ASSERT(added.ok());
  }
  const std::int64_t shared = codegen::limit_of(target, "shared_optin_bytes", codegen::limit_of(target, "shared_bytes", 48 << 10));
  codegen::add_rule(
      space,
      "(tile_m + tile_n) * tile_k * stages * " + std::to_string(operand_bytes(graph, p.value())) + " <= " + std::to_string(shared),
      "the operands' tiles must fit shared memory");
  codegen::add_rule(space, "tile_m * tile_n <= 512 * 32 * warps / 4", "each thread's sums must fit its registers");
  return space;
}

std::vector<LaunchConfig> product_wishes(const Graph& graph, const Target& target) {
  const auto p = product_in(graph);
  if (!p.ok()) return {};
  const bool is_narrow = operand_bytes(graph, p.value()) == 2, is_cuda = target.arch == "cuda";
  const auto fit = [](std::int64_t extent, std::int64_t most) { return std::clamp<std::int64_t>(power_above(extent), 16, most); };
  std::vector<LaunchConfig> wishes;
  for (const std::int64_t most : {is_narrow ? std::int64_t{128} : std::int64_t{64}, std::int64_t{64}, std::int64_t{32}}) {
    LaunchConfig config{{"tile_m", fit(p.value().m, most)},
                        {"tile_n", fit(p.value().n, most)},
                        {"tile_k", fit(p.value().k, is_narrow ? 64 : 32)},
                        {"group", std::int64_t{8}},
                        {"warps", std::int64_t{most == 128 ? 8 : 4}},
                        {"stages", std::int64_t{is_cuda ? 3 : 2}}};
    if (!is_narrow && is_cuda) config.set("precision", std::string("ieee"));
    wishes.push_back(config);
  }
  return wishes;
}

}  // namespace

TextFamily product_family() {
  return {"product", write_product, product_space, product_wishes};
}

}  // namespace fuselab::triton
