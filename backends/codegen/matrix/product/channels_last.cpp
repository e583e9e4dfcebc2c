// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/channels_last.h"

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/matrix/product/window_constants.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kThreads = 256, kMostElements = std::int64_t{1} << 30, kAlignment = 256;

std::int64_t whole(std::int64_t count, std::int64_t of) {
  return ceil_div(count, of) * of;
}

std::int64_t element_bytes(const MatrixProduct& product) {
  return bits_of(product.unit->operand) / 8;
}

// The most neighbours that one load reads where every row has so many, up to 16 bytes.
std::int64_t read_at_once(const MatrixProduct& product, std::int64_t columns) {
  std::int64_t read = product.unit->part();
  while (columns % read != 0) read /= 2;
  return read;
}

std::int64_t image_bytes(const MatrixProduct& product, const ChannelsLast& layout) {
  return whole(layout.images * layout.pixels * layout.held * element_bytes(product), kAlignment);
}

std::int64_t weight_bytes(const MatrixProduct& product, const ChannelsLast& layout) {
  return layout.weights_stay ? 0 : layout.filters * layout.taps * layout.held * element_bytes(product);
}

// What a tile of the layout's kernel holds (kTurnRows and kTurnColumns there).
std::int64_t turned_columns(const MatrixProduct& product) {
  return 128 / element_bytes(product);
}
std::int64_t turned_rows(const MatrixProduct& product) {
  return 8 * product.unit->part();
}

}  // namespace

std::optional<ChannelsLast> find_channels_last(const Graph& graph, const MatrixProduct& product) {
  const Contraction& c = product.kernel.contraction;
  if (c.node == nullptr || c.node->op != Op::kConv || product.right != Fetch::kGather) return std::nullopt;
  const Windows& w = c.windows;
  const std::int64_t groups = c.batch_extents.back(), part = product.unit->part();
  ChannelsLast layout;
  layout.images = c.batches();
  layout.filters = groups * c.m;
  layout.pixels = w.depth * w.height * w.width;
  layout.taps = w.kernel_depth * w.kernel_height * w.kernel_width;
  layout.channels = w.channels / w.kernel_depth;
  layout.held = whole(layout.channels, part);
  layout.weights_stay = layout.taps == 1 && layout.held == layout.channels;
  const bool is_large =
      layout.images * layout.pixels * layout.held >= kMostElements || layout.filters * layout.taps * layout.held >= kMostElements;
  if (is_large || graph.type(c.node->inputs[0]).dtype != product.unit->operand) return std::nullopt;
  return layout;
}

MatrixProduct with_channels_last(MatrixProduct product, const ChannelsLast& layout) {
  Contraction& c = product.kernel.contraction;
  c.k = layout.taps * layout.held;
  c.left_row = c.k;
  c.left_strides = {0, c.m * c.k};
  const std::int64_t image = layout.pixels * layout.held;
  c.right_strides = {c.batch_extents.back() * image, image};
  product.left = product.right = Fetch::kParts;
  product.channels_last = layout;
  return product;
}

std::int64_t bytes_laid_out(const MatrixProduct& product, const ChannelsLast& layout) {
  const std::int64_t weights = layout.weights_stay ? 0 : layout.filters * layout.taps;
  return (layout.images * layout.pixels + weights) * (layout.channels + layout.held) * element_bytes(product);
}

std::int64_t scratch_bytes(const MatrixProduct& product, const ChannelsLast& layout, std::int64_t before) {
  return whole(before, kAlignment) + image_bytes(product, layout) + weight_bytes(product, layout);
}

std::vector<std::pair<std::string, std::int64_t>> constants_of(const MatrixProduct& product, std::int64_t before) {
  const ChannelsLast& layout = *product.channels_last;
  const std::int64_t images_at = whole(before, kAlignment);
  const bool computed = product.kernel.computes(Side::kRight);
  std::vector<std::pair<std::string, std::int64_t>> constants = window_constants(product.kernel.contraction.windows);
  constants.insert(constants.end(), {{"kImages", layout.images},
                                     {"kFilters", layout.filters},
                                     {"kChannels", layout.channels},
                                     {"kHeld", layout.held},
                                     {"kImagesComputed", computed},
                                     {"kPixelsRead", computed ? 1 : read_at_once(product, layout.pixels)},
                                     {"kTapsRead", read_at_once(product, layout.taps)},
                                     {"kWeightsStay", layout.weights_stay},
                                     {"kImagesAt", images_at},
                                     {"kWeightsAt", images_at + image_bytes(product, layout)}});
  return constants;
}

Function lay_out_before(Function product, const MatrixProduct& of) {
  const ChannelsLast& layout = *of.channels_last;
  const std::int64_t bands = ceil_div(layout.held, turned_rows(of));
  const auto tiles = [&](std::int64_t matrices, std::int64_t columns) {
    return matrices * bands * ceil_div(columns, turned_columns(of));
  };
  Function function;
  function.parameters = product.parameters;
  function.skeleton = std::move(product.skeleton);
  function.launch.narrow = true;
  function.launch.threads = kThreads;
  function.launch.scratch_bytes = product.launch.scratch_bytes;
  function.launch.shared_bytes = turned_rows(of) * (turned_columns(of) * element_bytes(of) + 4);
  function.launch.blocks =
      std::to_string(tiles(layout.images, layout.pixels) + (layout.weights_stay ? 0 : tiles(layout.filters, layout.taps)));
  BodyBuilder(function.body).invoke("fl_lay_out");
  std::vector<Function> after = std::move(product.after);
  product.after.clear();
  product.skeleton = {};
  function.after.push_back(std::move(product));
  for (Function& each : after) function.after.push_back(std::move(each));
  return function;
}

}  // namespace fuselab::codegen
