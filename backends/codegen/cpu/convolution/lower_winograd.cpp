// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/convolution/lower_winograd.h"

#include <algorithm>
#include <array>
#include <functional>

#include "backends/codegen/cpu/convolution/convolution_task.h"
#include "backends/codegen/cpu/convolution/lower_convolution.h"
#include "backends/codegen/cpu/convolution/padded_image.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kTile = 4;          // results of a tile along each axis
constexpr std::int64_t kPixels = 6;        // that they are computed of
constexpr std::int64_t kProducts = 6 * 6;  // of matrices
constexpr std::int64_t kWindow = 3;
constexpr std::int64_t kLeastChannels = 16;  // below, transforms cost more than the products that they save
constexpr std::int64_t kApart = 16;          // elements between rows, which keep them out of one set of the first cache

using Registers = std::function<ExprPtr(int)>;  // the register with an index

std::int64_t rows_of(const LaunchConfig& config) {
  return ceil_div(config.integer("rows_per_task", 1), kTile) * kTile;
}

class WinogradLowering : ConvolutionTask {
 public:
  WinogradLowering(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : ConvolutionTask(graph, kernel, config, rows_of(config), config.integer("tile_n", 1) * config.integer("vector", 8)),
        tile_n_(config.integer("tile_n", 1)),
        panel_(tile_n_ * lanes_),
        tiles_x_(ceil_div(w_.out_width, kTile)),
        tile_rows_(ceil_div(rows_, kTile)),
        tile_m_(std::min(config.integer("tile_m", 4), tile_rows_ * tiles_x_)),
        tiles_(ceil_div(tile_rows_ * tiles_x_, tile_m_) * tile_m_),
        tile_stride_(ceil_div(w_.channels, lanes_) * lanes_ + kApart) {}

  Function run() {
    decode_task();
    tile_rows_here_ = BodyBuilder(function_.body).declare("tile_rows", (rows_here_ + integer(kTile - 1)) / integer(kTile));
    copy_image();
    transform_image();
    transform_weights();
    sums_ = scratch("sums", ceil_div(rows_ * w_.out_width, lanes_) * lanes_ * panel_);
    products_ = scratch("products", kProducts * tiles_ * panel_);
    const std::string square = scratch("square", static_cast<std::int64_t>(lanes_) * lanes_);
    Body& blocks = BodyBuilder(function_.body).loop(LoopKind::kSerial, "channel_at", first_result_, last_result_, integer(panel_));
    multiply(blocks);
    transform_results(blocks);
    store_channels(blocks, sums_, panel_, square);
    function_.parameters = parameters_;
    return std::move(function_);
  }

 private:
  void copy_image();
  void transform_image();
  void transform_weights();
  void multiply(Body& body);
  void transform_results(Body& body);
  // for each row of tiles, for each tile of it; declares the variable tile.
  Body& each_tile(Body& body) const;
  // Each appends one product with a matrix of the transform: to(0…) = matrix · from(0…).
  void image_matrix(Body& body, const Registers& from, const Registers& to) const;
  void weight_matrix(Body& body, const Registers& from, const Registers& to) const;
  void result_matrix(Body& body, const Registers& from, const Registers& to) const;
  ExprPtr number(double value) const { return real(value, type(lanes_)); }

  std::int64_t tile_n_, panel_, tiles_x_, tile_rows_, tile_m_;
  std::int64_t tiles_;        // of a task, whole register tiles
  std::int64_t tile_stride_;  // elements from tile to tile of the transformed image
  ImageLayout layout_;
  std::string planes_, image_tiles_, packed_, sums_, products_;
  ExprPtr tile_rows_here_;
  const ExprPtr i_ = variable("i", kIndex);
  const ExprPtr j_ = variable("j", kIndex);
  const ExprPtr tile_ = variable("tile", kIndex);
};

void WinogradLowering::image_matrix(Body& body, const Registers& s, const Registers& d) const {
  BodyBuilder builder(body);
  const ExprPtr even = builder.declare("even", s(4) - number(4) * s(2));
  const ExprPtr odd = builder.declare("odd", s(3) - number(4) * s(1));
  const ExprPtr even_half = builder.declare("even_half", s(4) - s(2));
  const ExprPtr odd_half = builder.declare("odd_half", number(2) * (s(3) - s(1)));
  builder.assign(d(0), number(4) * s(0) - number(5) * s(2) + s(4));
  builder.assign(d(1), even + odd);
  builder.assign(d(2), even - odd);
  builder.assign(d(3), even_half + odd_half);
  builder.assign(d(4), even_half - odd_half);
  builder.assign(d(5), number(4) * s(1) - number(5) * s(3) + s(5));
}

void WinogradLowering::weight_matrix(Body& body, const Registers& g, const Registers& d) const {
  const auto number = [&](double value) { return real(value, type(1)); };
  BodyBuilder builder(body);
  const ExprPtr near = builder.declare("near", (g(0) + g(2)) * number(-1.0 / 6));
  const ExprPtr middle = builder.declare("middle", g(1) * number(1.0 / 6));
  const ExprPtr far = builder.declare("far", g(0) * number(1.0 / 24) + g(2) * number(1.0 / 6));
  const ExprPtr half = builder.declare("half_middle", g(1) * number(1.0 / 12));
  builder.assign(d(0), g(0) * number(0.25));
  builder.assign(d(1), near - middle);
  builder.assign(d(2), near + middle);
  builder.assign(d(3), far + half);
  builder.assign(d(4), far - half);
  builder.assign(d(5), g(2));
}

void WinogradLowering::result_matrix(Body& body, const Registers& s, const Registers& d) const {
  BodyBuilder builder(body);
  const ExprPtr near = builder.declare("near", s(1) + s(2));
  const ExprPtr near_odd = builder.declare("near_odd", s(1) - s(2));
  const ExprPtr far = builder.declare("far", s(3) + s(4));
  const ExprPtr far_odd = builder.declare("far_odd", s(3) - s(4));
  builder.assign(d(0), s(0) + near + far);
  builder.assign(d(1), near_odd + number(2) * far_odd);
  builder.assign(d(2), near + number(4) * far);
  builder.assign(d(3), near_odd + number(8) * far_odd + s(5));
}

Body& WinogradLowering::each_tile(Body& body) const {
  Body& rows = BodyBuilder(body).loop(LoopKind::kSerial, "tile_row", integer(0), tile_rows_here_, integer(1));
  Body& tiles = BodyBuilder(rows).loop(LoopKind::kSerial, "tile_col", integer(0), integer(tiles_x_), integer(1));
  BodyBuilder(tiles).declare("tile", variable("tile_row", kIndex) * integer(tiles_x_) + variable("tile_col", kIndex));
  return tiles;
}

// Rows of whole tiles: what their last windows see beyond the image is zero, and lines hold whole registers to be turned around.
void WinogradLowering::copy_image() {
  Windows tiled = w_;
  tiled.out_height = ceil_div(w_.out_height, kTile) * kTile;
  tiled.out_width = ceil_div(tiles_x_ * kTile + kWindow - 1, lanes_) * lanes_ - (kWindow - 1);
  layout_ = whole_rows(tiled, tile_rows_ * kTile);
  planes_ = scratch("planes", ceil_div(w_.channels, lanes_) * lanes_ * layout_.plane + layout_.behind);
  copy_padded(function_.body, {.windows = tiled,
                               .layout = layout_,
                               .source = image_,
                               .base = image_base_,
                               .planes = planes_,
                               .plane = plane_,
                               .first_row = first_row_,
                               .rows = tile_rows_here_ * integer(kTile),
                               .compute = c_.compute,
                               .lanes = image_lanes_});
}

void WinogradLowering::transform_image() {
  image_tiles_ = scratch("image_tiles", kProducts * tiles_ * tile_stride_);
  const std::string turned = scratch("turned", layout_.phase * lanes_);
  const ExprPtr in = variable("channel_at", kIndex);
  const ExprPtr line = variable("line", kIndex);
  const ExprPtr col = variable("col", kIndex);
  Body& groups =
      BodyBuilder(function_.body).loop(LoopKind::kSerial, "channel_at", integer(0), integer(w_.channels), integer(lanes_));
  const ExprPtr lines = tile_rows_here_ * integer(kTile) + integer(kWindow - 1);
  Body& each_line = BodyBuilder(groups).loop(LoopKind::kSerial, "line", integer(0), lines, integer(1));
  Body& squares = BodyBuilder(each_line).loop(LoopKind::kVector, "col", integer(0), integer(layout_.line), integer(lanes_));
  const ExprPtr pixel = BodyBuilder(squares).declare("pixel", line * integer(layout_.line) + col);
  BodyBuilder(squares).transpose(
      {type(lanes_), turned, pixel * integer(lanes_), lanes_, planes_, in * integer(layout_.plane) + pixel, layout_.plane});

  Body& tiles = each_tile(groups);
  BodyBuilder builder(tiles);
  const ExprPtr first_line = variable("tile_row", kIndex) * integer(kTile * layout_.line);
  const ExprPtr from = builder.declare("from", first_line + variable("tile_col", kIndex) * integer(kTile));
  const ExprPtr to = builder.declare("to", tile_ * integer(tile_stride_) + in);
  builder.declare_array("half_done", type(lanes_), {kPixels, kPixels});
  Body& columns = unrolled(tiles, "j", kPixels);
  BodyBuilder(columns).declare_array("pixels", type(lanes_), {kPixels});
  const ExprPtr at = (from + i_ * integer(layout_.line) + j_) * integer(lanes_);
  BodyBuilder(unrolled(columns, "i", kPixels))
      .assign(element("pixels", {i_}, type(lanes_)), load(turned, at, type(lanes_), c_.compute));
  image_matrix(
      columns, [&](int n) { return element("pixels", {integer(n)}, type(lanes_)); },
      [&](int n) {
        return element("half_done", {integer(n), j_}, type(lanes_));
      });
  Body& rows = unrolled(tiles, "i", kPixels);
  BodyBuilder(rows).declare_array("done", type(lanes_), {kPixels});
  image_matrix(
      rows,
      [&](int n) {
        return element("half_done", {i_, integer(n)}, type(lanes_));
      },
      [&](int n) { return element("done", {integer(n)}, type(lanes_)); });
  const ExprPtr place = (i_ * integer(kPixels) + j_) * integer(tiles_ * tile_stride_) + to;
  BodyBuilder(unrolled(rows, "j", kPixels)).store({image_tiles_, place, element("done", {j_}, type(lanes_)), c_.compute, false});
}

// Lays G·g·Gᵀ out as the products read it: [group][block of channels][product][image channel][channel], zeros where the last block
// is not full.
void WinogradLowering::transform_weights() {
  const std::int64_t blocks = ceil_div(c_.m, panel_);
  Function before;
  packed_ = prepare(before, "packed_weights", c_.batch_extents.back() * blocks, kProducts * w_.channels * panel_);
  const ExprPtr task = variable(before.task_variable, kIndex);
  const ExprPtr in = variable("channel", kIndex);
  const ExprPtr out = variable("channel_at", kIndex);
  BodyBuilder builder(before.body);
  const ExprPtr first = builder.declare("first_channel", task % integer(blocks) * integer(panel_));
  const ExprPtr filled = builder.declare_variable("filled", integer(panel_));
  BodyBuilder(builder.when(binary(">", filled, integer(c_.m) - first))).assign(filled, integer(c_.m) - first);
  const ExprPtr from = builder.declare("from", (task / integer(blocks) * integer(c_.m) + first) * integer(c_.k));
  const auto place = [&](const ExprPtr& product) {
    return ((task * integer(kProducts) + product) * integer(w_.channels) + in) * integer(panel_) + out;
  };
  Body& channels = builder.loop(LoopKind::kSerial, "channel", integer(0), integer(w_.channels), integer(1));
  Body& each = BodyBuilder(channels).loop(LoopKind::kSerial, "channel_at", integer(0), filled, integer(1));
  const ExprPtr window = BodyBuilder(each).declare("window", from + out * integer(c_.k) + in * integer(taps()));
  BodyBuilder(each).declare_array("half_done", type(1), {kPixels, kWindow});
  Body& columns = unrolled(each, "j", kWindow);
  weight_matrix(
      columns, [&](int n) { return load(weights().name, window + integer(n * kWindow) + j_, type(1), weights().storage); },
      [&](int n) {
        return element("half_done", {integer(n), j_}, type(1));
      });
  Body& rows = unrolled(each, "i", kPixels);
  BodyBuilder(rows).declare_array("done", type(1), {kPixels});
  weight_matrix(
      rows,
      [&](int n) {
        return element("half_done", {i_, integer(n)}, type(1));
      },
      [&](int n) { return element("done", {integer(n)}, type(1)); });
  BodyBuilder(unrolled(rows, "j", kPixels))
      .store({packed_, place(i_ * integer(kPixels) + j_), element("done", {j_}, type(1)), c_.compute, false});
  Body& clear = BodyBuilder(channels).loop(LoopKind::kSerial, "channel_at", filled, integer(panel_), integer(1));
  Body& products = BodyBuilder(clear).loop(LoopKind::kSerial, "i", integer(0), integer(kProducts), integer(1));
  BodyBuilder(products).store({packed_, place(i_), real(0, type(1)), c_.compute, false});
  function_.before.push_back(std::move(before));
}

// The last register tile may hold tiles that do not exist; their sums are never read.
void WinogradLowering::multiply(Body& body) {
  const ExprPtr in = variable("channel", kIndex);
  const ExprPtr product = variable("product", kIndex);
  const ExprPtr total = element("total", {i_, j_}, type(lanes_));
  const ExprPtr right = element("right", {j_}, type(lanes_));
  const std::int64_t all = ceil_div(c_.m, panel_);
  const ExprPtr block =
      BodyBuilder(body).declare("block", group_ * integer(all) + variable("channel_at", kIndex) / integer(panel_));
  Body& products = BodyBuilder(body).loop(LoopKind::kSerial, "product", integer(0), integer(kProducts), integer(1));
  const ExprPtr weights_at =
      BodyBuilder(products).declare("weights_at", (block * integer(kProducts) + product) * integer(w_.channels * panel_));
  Body& tiles =
      BodyBuilder(products).loop(LoopKind::kSerial, "tile", integer(0), tile_rows_here_ * integer(tiles_x_), integer(tile_m_));
  BodyBuilder builder(tiles);
  const ExprPtr from = builder.declare("from", (product * integer(tiles_) + tile_) * integer(tile_stride_));
  const ExprPtr to = builder.declare("to", (product * integer(tiles_) + tile_) * integer(panel_));
  builder.declare_array("total", type(lanes_), {tile_m_, tile_n_});
  BodyBuilder(unrolled(unrolled(tiles, "i", tile_m_), "j", tile_n_)).assign(total, real(0, type(lanes_)));
  Body& sum = builder.loop(LoopKind::kSerial, "channel", integer(0), integer(w_.channels), integer(1));
  BodyBuilder(sum).declare_array("right", type(lanes_), {tile_n_});
  BodyBuilder(unrolled(sum, "j", tile_n_))
      .assign(right, load(packed_, weights_at + in * integer(panel_) + j_ * integer(lanes_), type(lanes_), c_.compute));
  Body& each = unrolled(sum, "i", tile_m_);
  const ExprPtr pixel = load(image_tiles_, from + i_ * integer(tile_stride_) + in, type(1), c_.compute);
  const ExprPtr left = BodyBuilder(each).declare("left", spread(pixel));
  BodyBuilder(unrolled(each, "j", tile_n_)).assign(total, total + left * right);
  BodyBuilder(unrolled(unrolled(tiles, "i", tile_m_), "j", tile_n_))
      .store({products_, to + i_ * integer(panel_) + j_ * integer(lanes_), total, c_.compute, false});
}

void WinogradLowering::transform_results(Body& body) {
  Body& tiles = each_tile(body);
  BodyBuilder builder(tiles);
  const ExprPtr lane = variable("place", kIndex);
  const ExprPtr row = builder.declare("first_line", variable("tile_row", kIndex) * integer(kTile));
  const ExprPtr col = builder.declare("first_col", variable("tile_col", kIndex) * integer(kTile));
  Body& registers = builder.loop(LoopKind::kVector, "place", integer(0), integer(panel_), integer(lanes_));
  BodyBuilder(registers).declare_array("half_done", type(lanes_), {kTile, kPixels});
  Body& columns = unrolled(registers, "j", kPixels);
  BodyBuilder(columns).declare_array("found", type(lanes_), {kPixels});
  const ExprPtr from = ((i_ * integer(kPixels) + j_) * integer(tiles_) + tile_) * integer(panel_) + lane;
  BodyBuilder(unrolled(columns, "i", kPixels))
      .assign(element("found", {i_}, type(lanes_)), load(products_, from, type(lanes_), c_.compute));
  result_matrix(
      columns, [&](int n) { return element("found", {integer(n)}, type(lanes_)); },
      [&](int n) {
        return element("half_done", {integer(n), j_}, type(lanes_));
      });
  Body& rows = unrolled(registers, "i", kTile);
  BodyBuilder(rows).declare_array("done", type(lanes_), {kTile});
  result_matrix(
      rows,
      [&](int n) {
        return element("half_done", {i_, integer(n)}, type(lanes_));
      },
      [&](int n) { return element("done", {integer(n)}, type(lanes_)); });
  // Results of the last tiles may lie beyond the image.
  const auto inside = [&](Body& at, std::int64_t extent, const ExprPtr& index, const ExprPtr& end) -> Body& {
    return extent % kTile == 0 ? at : BodyBuilder(at).when(binary("<", index, end));
  };
  const bool whole_rows_alone = w_.out_height % kTile == 0;
  Body& kept = inside(rows, whole_rows_alone ? 0 : 1, row + i_, rows_here_);
  Body& results = unrolled(kept, "j", kTile);
  Body& stored = inside(results, w_.out_width, col + j_, integer(w_.out_width));
  const ExprPtr to = ((row + i_) * integer(w_.out_width) + col + j_) * integer(panel_) + lane;
  BodyBuilder(stored).store({sums_, to, element("done", {j_}, type(lanes_)), c_.compute, false});
}

}  // namespace

bool has_winograd_form(const Graph& graph, const ContractionKernel& kernel) {
  const Contraction& c = kernel.contraction;
  const Windows& w = c.windows;
  return w.is_flat() && w.kernel_height == kWindow && w.kernel_width == kWindow && w.stride_y == 1 && w.stride_x == 1 &&
         w.dilation_y == 1 && w.dilation_x == 1 && c.compute == DType::kF32 && w.channels >= kLeastChannels &&
         c.m >= kLeastChannels && has_constant_weights(graph, kernel);
}

Function lower_winograd(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return WinogradLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
