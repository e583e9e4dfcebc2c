// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/convolution/lower_convolution.h"

#include <algorithm>

#include "backends/codegen/cpu/convolution/convolution_task.h"
#include "backends/codegen/cpu/convolution/padded_image.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kMostUnrolledTaps = 8;

class ConvolutionLowering : ConvolutionTask {
 public:
  ConvolutionLowering(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config)
      : ConvolutionTask(graph, kernel, config, config.integer("rows_per_task", 1), channels_of_tile(config)),
        by_channels_(config.integer("channels_in_lanes", 0) != 0),
        tile_m_(config.integer("tile_m", 4)),
        tile_n_(config.integer("tile_n", 1)),
        channel_block_(std::min(config.integer("channel_block", w_.channels), w_.channels)) {
    reads_in_place_ =
        by_channels_ && !computes_image_ && w_.kernel_depth == 1 && w_.kernel_height == 1 && w_.kernel_width == 1 &&
        w_.pad_front == 0 && w_.pad_top == 0 && w_.pad_left == 0 && reach_of(w_.out_depth, w_.stride_z, 1, 1) <= w_.depth &&
        reach_of(w_.out_height, w_.stride_y, 1, 1) <= w_.height && reach_of(w_.out_width, w_.stride_x, 1, 1) <= w_.width;
  }

  Function run() {
    decode_task();
    layout_ = by_channels_ ? whole_rows(w_, rows_) : rows_apart(w_, rows_, tile_n_ * lanes_);
    if (!reads_in_place_) copy_image();
    if (by_channels_) {
      prepare_weights();
      channels();
    } else {
      pixels();
    }
    function_.parameters = parameters_;
    return std::move(function_);
  }

 private:
  static std::int64_t channels_of_tile(const LaunchConfig& config) {
    if (config.integer("channels_in_lanes", 0) == 0) return config.integer("tile_m", 4);
    return config.integer("tile_n", 1) * config.integer("vector", 8);
  }
  std::int64_t panel() const { return tile_n_ * lanes_; }  // channels or pixels of a tile's registers

  void copy_image();
  void prepare_weights();

  void channels();
  void channel_rows(Body& body, const ExprPtr& first_channel, const ExprPtr& last_channel);
  void channel_tile(Body& body, std::int64_t pixels, const ExprPtr& column, const ExprPtr& first_channel,
                    const ExprPtr& last_channel);
  ExprPtr pixel_at(const ExprPtr& channel, const ExprPtr& ky, const ExprPtr& kx, const ExprPtr& pixel) const;

  void pixels();
  void pixel_tiles(Body& body, std::int64_t channels, const ExprPtr& channel);
  void pixel_tile(Body& body, std::int64_t channels, const ExprPtr& channel, const ExprPtr& place, std::int64_t registers);
  void store_pixels(Body& body, std::int64_t channels, const ExprPtr& channel);

  // for ky, for kx: calls `visit` with the innermost body.
  template <typename Visit>
  void over_window(Body& body, const Visit& visit) const;

  bool by_channels_, reads_in_place_ = false;
  std::int64_t tile_m_, tile_n_, channel_block_;
  ImageLayout layout_;
  std::string planes_, sums_, square_, packed_;
  ExprPtr block_;
  const ExprPtr row_ = variable("row", kIndex);
};

void ConvolutionLowering::copy_image() {
  planes_ = scratch("planes", w_.channels * layout_.plane + layout_.behind);
  copy_padded(function_.body, {.windows = w_,
                               .layout = layout_,
                               .source = image_,
                               .base = image_base_,
                               .planes = planes_,
                               .plane = plane_,
                               .first_row = first_row_,
                               .rows = rows_here_,
                               .compute = c_.compute,
                               .lanes = image_lanes_});
}

// Lays the weights out as the tiles read them: [group][block of channels][image channel][ky][kx][channel], zeros where the last
// block is not full.
void ConvolutionLowering::prepare_weights() {
  const std::int64_t blocks = ceil_div(c_.m, panel());
  Function before;
  packed_ = prepare(before, "packed_weights", c_.batch_extents.back() * blocks, c_.k * panel());
  const ExprPtr task = variable(before.task_variable, kIndex);
  const ExprPtr k = variable("k", kIndex);
  const ExprPtr channel = variable("channel", kIndex);
  BodyBuilder builder(before.body);
  const ExprPtr first = builder.declare("first_channel", task % integer(blocks) * integer(panel()));
  const ExprPtr filled = builder.declare_variable("filled", integer(panel()));
  BodyBuilder(builder.when(binary(">", filled, integer(c_.m) - first))).assign(filled, integer(c_.m) - first);
  const ExprPtr from = builder.declare("from", (task / integer(blocks) * integer(c_.m) + first) * integer(c_.k));
  Body& each = builder.loop(LoopKind::kSerial, "k", integer(0), integer(c_.k), integer(1));
  const ExprPtr to = BodyBuilder(each).declare("to", (task * integer(c_.k) + k) * integer(panel()));
  Body& copy = BodyBuilder(each).loop(LoopKind::kSerial, "channel", integer(0), filled, integer(1));
  const ExprPtr weight = load(weights().name, from + channel * integer(c_.k) + k, type(1), weights().storage);
  BodyBuilder(copy).store({packed_, to + channel, weight, c_.compute, false});
  Body& clear = BodyBuilder(each).loop(LoopKind::kSerial, "channel", filled, integer(panel()), integer(1));
  BodyBuilder(clear).store({packed_, to + channel, real(0, type(1)), c_.compute, false});
  function_.before.push_back(std::move(before));
}

template <typename Visit>
void ConvolutionLowering::over_window(Body& body, const Visit& visit) const {
  Body* at = &body;
  ExprPtr ky = integer(0);
  ExprPtr kx = integer(0);
  if (w_.kernel_height > 1) {
    at = &BodyBuilder(*at).loop(LoopKind::kSerial, "ky", integer(0), integer(w_.kernel_height), integer(1));
    ky = variable("ky", kIndex);
  }
  if (w_.kernel_width > 1) {
    const LoopKind kind = w_.kernel_width <= kMostUnrolledTaps ? LoopKind::kUnrolled : LoopKind::kSerial;
    at = &BodyBuilder(*at).loop(kind, "kx", integer(0), integer(w_.kernel_width), integer(1));
    kx = variable("kx", kIndex);
  }
  visit(*at, ky, kx);
}

void ConvolutionLowering::channels() {
  sums_ = scratch("sums", ceil_div(rows_ * w_.out_width, lanes_) * lanes_ * panel());
  square_ = scratch("square", static_cast<std::int64_t>(lanes_) * lanes_);
  Body& blocks = BodyBuilder(function_.body).loop(LoopKind::kSerial, "channel_at", first_result_, last_result_, integer(panel()));
  const std::int64_t all = ceil_div(c_.m, panel());
  block_ = BodyBuilder(blocks).declare("block", group_ * integer(all) + variable("channel_at", kIndex) / integer(panel()));
  if (channel_block_ == w_.channels) {
    channel_rows(blocks, integer(0), integer(w_.channels));
  } else {
    const ExprPtr first = variable("first_in", kIndex);
    Body& each = BodyBuilder(blocks).loop(LoopKind::kSerial, "first_in", integer(0), integer(w_.channels), integer(channel_block_));
    ExprPtr last = first + integer(channel_block_);
    if (w_.channels % channel_block_ != 0) {
      last = BodyBuilder(each).declare_variable("last_in", last);
      BodyBuilder(BodyBuilder(each).when(binary(">", last, integer(w_.channels)))).assign(last, integer(w_.channels));
    } else {
      last = BodyBuilder(each).declare("last_in", last);
    }
    channel_rows(each, first, last);
  }
  store_channels(blocks, sums_, panel(), square_);
}

void ConvolutionLowering::channel_rows(Body& body, const ExprPtr& first_channel, const ExprPtr& last_channel) {
  Body& rows = BodyBuilder(body).loop(LoopKind::kSerial, "row", integer(0), rows_here_, integer(1));
  const std::int64_t width = w_.out_width;
  const std::int64_t tile = std::min(tile_m_, width);
  Body& tiles = BodyBuilder(rows).loop(LoopKind::kVector, "col", integer(0), integer(width), integer(tile));
  channel_tile(tiles, tile, variable("col", kIndex), first_channel, last_channel);
  if (width % tile == 0) return;
  channel_tile(BodyBuilder(rows).scope(), width % tile, integer(width / tile * tile), first_channel, last_channel);
}

// The image's element under a window's place for pixel `pixel` of the result row in hand.
ExprPtr ConvolutionLowering::pixel_at(const ExprPtr& channel, const ExprPtr& ky, const ExprPtr& kx, const ExprPtr& pixel) const {
  const ExprPtr column = pixel * integer(w_.stride_x) + kx * integer(w_.dilation_x);
  if (reads_in_place_) {
    const KernelParameter& source = parameters_[static_cast<std::size_t>(c_.right)];
    return load(source.name, variable("from", kIndex) + channel * integer(w_.depth * w_.height * w_.width) + column, type(1),
                source.storage);
  }
  const ExprPtr line = ky * integer(w_.dilation_y * layout_.line);
  return load(planes_, variable("from", kIndex) + channel * integer(layout_.plane) + line + column, type(1), c_.compute);
}

void ConvolutionLowering::channel_tile(Body& body, std::int64_t pixels, const ExprPtr& column, const ExprPtr& first_channel,
                                       const ExprPtr& last_channel) {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr channel = variable("channel", kIndex);
  const ExprPtr total = element("total", {i, j}, type(lanes_));
  BodyBuilder builder(body);
  const std::int64_t line = reads_in_place_ ? w_.width : layout_.line;
  const ExprPtr top = reads_in_place_ ? image_base_ + plane_ * integer(w_.stride_z * w_.height * w_.width) +
                                            (first_row_ + row_) * integer(w_.stride_y * line)
                                      : row_ * integer(w_.stride_y * line);
  builder.declare("from", top + column * integer(w_.stride_x));
  const ExprPtr sums_at = builder.declare("sums_at", (row_ * integer(w_.out_width) + column) * integer(panel()));
  const ExprPtr sum_at = sums_at + i * integer(panel()) + j * integer(lanes_);
  const auto each_register = [&](Body& at) -> Body& { return unrolled(unrolled(at, "i", pixels), "j", tile_n_); };
  builder.declare_array("total", type(lanes_), {pixels, tile_n_});
  const bool continues = channel_block_ != w_.channels;
  Body& begin = continues ? builder.when(binary("==", first_channel, integer(0))) : body;
  BodyBuilder(each_register(begin)).assign(total, real(0, type(lanes_)));
  if (continues) {
    Body& go_on = builder.when(binary(">", first_channel, integer(0)));
    BodyBuilder(each_register(go_on)).assign(total, load(sums_, sum_at, type(lanes_), c_.compute));
  }
  Body& sum = builder.loop(LoopKind::kSerial, "channel", first_channel, last_channel, integer(1));
  over_window(sum, [&](Body& at, const ExprPtr& ky, const ExprPtr& kx) {
    BodyBuilder(at).declare_array("right", type(lanes_), {tile_n_});
    const ExprPtr right = element("right", {j}, type(lanes_));
    const ExprPtr tap = ky * integer(w_.kernel_width) + kx;
    const ExprPtr weights_at = ((block_ * integer(w_.channels) + channel) * integer(taps()) + tap) * integer(panel());
    BodyBuilder(unrolled(at, "j", tile_n_))
        .assign(right, load(packed_, weights_at + j * integer(lanes_), type(lanes_), c_.compute));
    Body& each_pixel = unrolled(at, "i", pixels);
    const ExprPtr left = BodyBuilder(each_pixel).declare("left", spread(pixel_at(channel, ky, kx, i)));
    BodyBuilder(unrolled(each_pixel, "j", tile_n_)).assign(total, total + left * right);
  });
  BodyBuilder(each_register(body)).store({sums_, sum_at, total, c_.compute, false});
}

void ConvolutionLowering::pixels() {
  const std::int64_t tile = std::min(tile_m_, c_.m);
  sums_ = scratch("sums", tile * layout_.places);
  const ExprPtr channel = variable("channel_at", kIndex);
  if (c_.m >= tile) {
    Body& tiles = BodyBuilder(function_.body).loop(LoopKind::kVector, "channel_at", first_result_, last_result_, integer(tile));
    pixel_tiles(tiles, tile, channel);
  }
  if (const std::int64_t rest = c_.m % tile; rest != 0) {
    // Only the last part ends with the last channels.
    Body& last = BodyBuilder(function_.body).when(binary("==", last_result_, integer(c_.m)));
    pixel_tiles(last, rest, integer(c_.m - rest));
  }
}

void ConvolutionLowering::pixel_tiles(Body& body, std::int64_t channels, const ExprPtr& channel) {
  BodyBuilder builder(body);
  const ExprPtr place = variable("place", kIndex);
  // Behind the last row's last result nothing is needed.
  const ExprPtr places = builder.declare("places", rows_here_ * integer(layout_.line) - integer(layout_.line - w_.out_width));
  const ExprPtr strips = builder.declare("strips", places / integer(panel()) * integer(panel()));
  Body& whole = builder.loop(LoopKind::kVector, "place", integer(0), strips, integer(panel()));
  pixel_tile(whole, channels, channel, place, tile_n_);
  Body& rest = builder.loop(LoopKind::kSerial, "place", strips, places, integer(lanes_));
  pixel_tile(rest, channels, channel, place, 1);
  store_pixels(body, channels, channel);
}

void ConvolutionLowering::pixel_tile(Body& body, std::int64_t channels, const ExprPtr& channel, const ExprPtr& place,
                                     std::int64_t registers) {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr in = variable("channel", kIndex);
  const ExprPtr total = element("total", {i, j}, type(lanes_));
  BodyBuilder builder(body);
  builder.declare_array("total", type(lanes_), {channels, registers});
  BodyBuilder(unrolled(unrolled(body, "i", channels), "j", registers)).assign(total, real(0, type(lanes_)));
  const ExprPtr weights_at = builder.declare("weights_at", (group_ * integer(c_.m) + channel) * integer(c_.k));
  Body& sum = builder.loop(LoopKind::kSerial, "channel", integer(0), integer(w_.channels), integer(1));
  over_window(sum, [&](Body& at, const ExprPtr& ky, const ExprPtr& kx) {
    BodyBuilder(at).declare_array("right", type(lanes_), {registers});
    const ExprPtr right = element("right", {j}, type(lanes_));
    const ExprPtr from = in * integer(layout_.plane) + layout_.window_at(ky, kx) + place;
    BodyBuilder(unrolled(at, "j", registers)).assign(right, load(planes_, from + j * integer(lanes_), type(lanes_), c_.compute));
    Body& each = unrolled(at, "i", channels);
    const ExprPtr tap = (in * integer(w_.kernel_height) + ky) * integer(w_.kernel_width) + kx;
    const ExprPtr weight = load(weights().name, weights_at + i * integer(c_.k) + tap, type(1), weights().storage);
    const ExprPtr left = BodyBuilder(each).declare("left", spread(weight));
    BodyBuilder(unrolled(each, "j", registers)).assign(total, total + left * right);
  });
  const ExprPtr to = i * integer(layout_.places) + place + j * integer(lanes_);
  BodyBuilder(unrolled(unrolled(body, "i", channels), "j", registers)).store({sums_, to, total, c_.compute, false});
}

// Takes the padding out of the rows. A last register overlaps the one before it and stores the same elements again.
void ConvolutionLowering::store_pixels(Body& body, std::int64_t channels, const ExprPtr& channel) {
  const ExprPtr i = variable("i", kIndex);
  const ExprPtr col = variable("col", kIndex);
  const std::int64_t width = w_.out_width;
  int lanes = lanes_;
  while (lanes > width) lanes /= 2;
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "i", integer(0), integer(channels), integer(1));
  Body& rows = BodyBuilder(each).loop(LoopKind::kSerial, "row", integer(0), rows_here_, integer(1));
  const auto put = [&](Body& at, const ExprPtr& column) {
    const ExprPtr from = i * integer(layout_.places) + row_ * integer(layout_.line) + column;
    epilogue_.store(at, result_row(channel + i), result_place(first_row_ + row_) + column,
                    load(sums_, from, type(lanes), c_.compute));
  };
  put(BodyBuilder(rows).loop(LoopKind::kVector, "col", integer(0), integer(width), integer(lanes)), col);
  if (width % lanes != 0) put(BodyBuilder(rows).scope(), integer(width - lanes));
}

}  // namespace

bool has_constant_weights(const Graph& graph, const ContractionKernel& kernel) {
  const auto input = static_cast<std::size_t>(kernel.contraction.left);
  return !kernel.computes(Side::kLeft) && input < graph.inputs().size() &&
         graph.value(graph.inputs()[input]).origin == ValueOrigin::kParam;
}

std::int64_t reach_of(std::int64_t windows, std::int64_t stride, std::int64_t kernel, std::int64_t dilation) {
  return (windows - 1) * stride + (kernel - 1) * dilation + 1;
}

Function lower_convolution(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config) {
  return ConvolutionLowering(graph, kernel, config).run();
}

}  // namespace fuselab::codegen
