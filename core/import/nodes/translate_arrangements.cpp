// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// Returns how often each axis is repeated. Before opset 6 the operands give one axis and how often it is repeated.
Result<std::optional<std::vector<std::int64_t>>> repeats_of(NodeImport& node) {
  using Found = std::optional<std::vector<std::int64_t>>;
  const std::size_t rank = node.type(0).shape.size();
  auto repeats = node.integers(1);
  if (!repeats) return Found();
  if (node.opset() < 6) {
    const auto axis = node.has_input(2) ? node.integers(2) : std::nullopt;
    if (!axis) return Found();
    const bool fits = repeats->size() == 1 && axis->size() == 1 && axis->front() >= 0;
    if (!fits || axis->front() >= static_cast<std::int64_t>(rank)) return invalid_argument("repeats an axis that is not there");
    std::vector<std::int64_t> all(rank, 1);
    all[static_cast<std::size_t>(axis->front())] = repeats->front();
    repeats = std::move(all);
  }
  if (repeats->size() != rank) {
    return invalid_argument("has " + std::to_string(repeats->size()) + " repeats for rank " + std::to_string(rank));
  }
  for (const std::int64_t repeat : *repeats) {
    if (repeat < 0) return invalid_argument("repeats an axis " + std::to_string(repeat) + " times");
  }
  return repeats;
}

struct Picture {
  Dim batch = 0;
  Dim channels = 0;
  Dim height = 0;
  Dim width = 0;
  std::int64_t block = 0;
};

// A picture that an operator cuts into blocks; none when the extents are no numbers.
Result<std::optional<Picture>> picture_of(NodeImport& node) {
  const TensorType& type = node.type(0);
  const std::int64_t block = node.integer("blocksize", 0);
  if (type.shape.size() != 4) return invalid_argument("needs X [N,C,H,W], got " + type_text(type));
  if (block < 1 || block > 65536) return invalid_argument("its blocksize is " + std::to_string(block));
  for (std::size_t i = 1; i < 4; ++i) {
    if (type.shape[i].is_symbol()) return std::optional<Picture>();
  }
  return std::optional(Picture{type.shape[0], type.shape[1], type.shape[2], type.shape[3], block});
}

// The extent of so many pieces, or an error.
Result<Dim> pieces(const Dim& extent, std::int64_t count) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(extent.extent(), count, &product)) return invalid_argument("its result is larger than can be counted");
  return Dim(product);
}

// Returns which changes faster in the depth, the channels (DCR) or a block's places (CRD). SpaceToDepth has the choice since opset
// 28.
Result<std::string> mode_of_blocks(NodeImport& node) {
  std::string mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return invalid_argument("its mode must be DCR or CRD, got " + mode);
  return mode;
}

// Each repeated axis gains one of its repeats before it, and the two become one again.
Result<Translated> translate_tile(NodeImport& node) {
  FL_TRY(const std::optional<std::vector<std::int64_t>> repeats, repeats_of(node));
  if (!repeats) return Translated::opaque("its repeats are computed");
  const TensorType& type = node.type(0);
  std::vector<std::int64_t> added, spread;
  Shape result;
  Composition graph(node);
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    const std::int64_t repeat = (*repeats)[i];
    const bool whole = type.shape[i] == Dim(1) || repeat == 1;
    if (!whole) added.push_back(static_cast<std::int64_t>(spread.size()));
    if (!whole) spread.push_back(repeat);
    spread.push_back(whole ? repeat : 1);
    if (repeat == 0) graph.fail("its result has no elements");
    std::int64_t extent = 0;
    if (!whole && type.shape[i].is_symbol()) {
      graph.fail("the extent that '" + type.shape[i].name() + "' is repeated to has no name");
    } else if (!whole && __builtin_mul_overflow(type.shape[i].extent(), repeat, &extent)) {
      return invalid_argument("repeats more than can be counted");
    }
    if (whole) result.push_back(repeat == 1 ? type.shape[i] : Dim(repeat));
    if (!whole) result.emplace_back(extent);
  }
  Term x = graph.unsqueeze(graph.operand(0), added);
  const bool spreads = std::any_of(spread.begin(), spread.end(), [](std::int64_t extent) { return extent != 1; });
  if (spreads) x = graph.apply(Op::kExpand, {x}, {{"shape", spread}});
  return graph.finish(graph.reshape(x, result));
}

Result<Translated> translate_depth_to_space(NodeImport& node) {
  FL_TRY(const std::string mode, mode_of_blocks(node));
  FL_TRY(const std::optional<Picture> picture, picture_of(node));
  if (!picture) return Translated::opaque("its extents are not known");
  const auto& [batch, channels, height, width, block] = *picture;
  const std::int64_t area = block * block;
  if (channels.extent() % area != 0) {
    return invalid_argument("cannot take blocks of " + std::to_string(area) + " from " + channels.text() + " channels");
  }
  const Dim depth = channels.extent() / area;
  FL_TRY(const Dim rows, pieces(height, block));
  FL_TRY(const Dim columns, pieces(width, block));
  Composition graph(node);
  const bool depth_last = mode == "DCR";
  const Shape cut =
      depth_last ? Shape{batch, block, block, depth, height, width} : Shape{batch, depth, block, block, height, width};
  const Term blocks = graph.reshape(graph.operand(0), cut);
  const Term moved = graph.transpose(
      blocks, depth_last ? std::vector<std::int64_t>{0, 3, 4, 1, 5, 2} : std::vector<std::int64_t>{0, 1, 4, 2, 5, 3});
  return graph.finish(graph.reshape(moved, {batch, depth, rows, columns}));
}

Result<Translated> translate_space_to_depth(NodeImport& node) {
  FL_TRY(const std::string mode, mode_of_blocks(node));
  FL_TRY(const std::optional<Picture> picture, picture_of(node));
  if (!picture) return Translated::opaque("its extents are not known");
  const auto& [batch, channels, height, width, block] = *picture;
  if (height.extent() % block != 0 || width.extent() % block != 0) {
    return invalid_argument("cannot cut " + type_text(node.type(0)) + " into blocks of " + std::to_string(block));
  }
  const Dim rows = height.extent() / block;
  const Dim columns = width.extent() / block;
  FL_TRY(const Dim depth, pieces(channels, block * block));
  Composition graph(node);
  const Term blocks = graph.reshape(graph.operand(0), {batch, channels, rows, block, columns, block});
  const Term moved = graph.transpose(
      blocks, mode == "DCR" ? std::vector<std::int64_t>{0, 3, 5, 1, 2, 4} : std::vector<std::int64_t>{0, 1, 3, 5, 2, 4});
  return graph.finish(graph.reshape(moved, {batch, depth, rows, columns}));
}

}  // namespace

Rows arrangement_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Tile", translate_tile, "", Operands::between(2, 3)},
      {"DepthToSpace", translate_depth_to_space, "blocksize:i mode:s@11-", Operands::exactly(1)},
      {"SpaceToDepth", translate_space_to_depth, "blocksize:i mode:s@28-", Operands::exactly(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
