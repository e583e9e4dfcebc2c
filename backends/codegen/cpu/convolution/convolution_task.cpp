// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/convolution/convolution_task.h"

#include <algorithm>

#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kSquaresAhead = 2;  // of results whose lines are asked for before their stores

}  // namespace

ConvolutionTask::ConvolutionTask(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config, std::int64_t rows,
                                 std::int64_t tile_channels)
    : c_(kernel.contraction),
      w_(c_.windows),
      parameters_(name_parameters(graph, names_)),
      epilogue_(graph, kernel.epilogue, parameters_, names_),
      image_(Side::kRight, graph, kernel, parameters_, names_),
      computes_image_(kernel.computes(Side::kRight)),
      lanes_(static_cast<int>(config.integer("vector", 8))),
      rows_(std::min(rows, w_.out_height)),
      row_blocks_(ceil_div(w_.out_height, rows_)) {
  part_channels_ = ceil_div(ceil_div(c_.m, tile_channels), config.integer("channel_parts", 1)) * tile_channels;
  parts_ = ceil_div(c_.m, part_channels_);
  // Registers of a computed image must not cross the ends of the rows in which it is computed.
  image_lanes_ = computes_image_ && kernel.prologue->cols % w_.width != 0 ? 1 : lanes_;
}

std::string ConvolutionTask::scratch(const char* wish, std::int64_t elements) {
  const std::string name = names_.unique(wish);
  const std::int64_t offset = ceil_div(function_.scratch_bytes, 64) * 64;
  function_.scratch.push_back({name, c_.compute, offset});
  function_.scratch_bytes = offset + elements * bits_of(c_.compute) / 8;
  return name;
}

void ConvolutionTask::decode_task() {
  function_.tasks = c_.batches() * w_.out_depth * row_blocks_ * parts_;
  const ExprPtr task = variable(function_.task_variable, kIndex);
  BodyBuilder builder(function_.body);
  const auto named = [&](const char* name, ExprPtr value) {
    return value->kind == Expr::Kind::kInteger ? value : builder.declare(name, std::move(value));
  };
  const auto cut_to = [&](const char* name, ExprPtr wish, const ExprPtr& limit, bool may_exceed) {
    if (!may_exceed) return named(name, std::move(wish));
    const ExprPtr value = builder.declare_variable(name, std::move(wish));
    BodyBuilder(builder.when(binary(">", value, limit))).assign(value, limit);
    return value;
  };
  const std::int64_t groups = c_.batch_extents.back();
  batch_ = c_.batches() == 1 ? integer(0) : named("batch", task / integer(w_.out_depth * row_blocks_ * parts_));
  group_ = groups == 1 ? integer(0) : named("group", batch_ % integer(groups));
  image_base_ = named("image_at", strided_offset(c_.batch_extents, c_.right_strides, batch_));
  plane_ = w_.out_depth == 1 ? integer(0) : named("out_plane", task / integer(row_blocks_ * parts_) % integer(w_.out_depth));
  const ExprPtr block = row_blocks_ == 1 ? integer(0) : task / integer(parts_) % integer(row_blocks_);
  first_row_ = named("first_row", block * integer(rows_));
  rows_here_ = cut_to("rows", integer(rows_), integer(w_.out_height) - first_row_, w_.out_height % rows_ != 0);
  const ExprPtr part = parts_ == 1 ? integer(0) : task % integer(parts_);
  first_result_ = named("first_channel", part * integer(part_channels_));
  last_result_ = cut_to("last_channel", first_result_ + integer(part_channels_), integer(c_.m), c_.m % part_channels_ != 0);
}

void ConvolutionTask::store_channels(Body& body, const std::string& sums, std::int64_t panel, const std::string& square) {
  const ExprPtr first = variable("channel_at", kIndex);
  const ExprPtr j = variable("j", kIndex);
  const ExprPtr place = variable("place", kIndex);
  const ExprPtr pixels = BodyBuilder(body).declare("pixels", rows_here_ * integer(w_.out_width));
  const ExprPtr origin = result_place(first_row_);
  // The last block's last registers may lie beyond the channels.
  const ExprPtr last_of_block = BodyBuilder(body).declare_variable("last_of_block", first + integer(panel));
  BodyBuilder(BodyBuilder(body).when(binary(">", last_of_block, last_result_))).assign(last_of_block, last_result_);
  Body& each = BodyBuilder(body).loop(LoopKind::kSerial, "j", first, last_of_block, integer(lanes_));
  BodyBuilder builder(each);
  const ExprPtr end = builder.declare_variable("end", j + integer(lanes_));
  BodyBuilder(builder.when(binary(">", end, last_of_block))).assign(end, last_of_block);
  const auto turn = [&](Body& at, const ExprPtr& from) {
    BodyBuilder(at).transpose({type(lanes_), square, integer(0), lanes_, sums, from * integer(panel) + (j - first), panel});
  };
  const ExprPtr channel = variable("channel", kIndex);
  const auto lane_row = (channel - j) * integer(lanes_);
  Body& squares = builder.loop(LoopKind::kVector, "place", integer(0), pixels, integer(lanes_));
  if (c_.k >= kLeastTermsToPrefetch) {
    Body& ahead = BodyBuilder(squares).loop(LoopKind::kSerial, "channel", j, end, integer(1));
    epilogue_.prefetch(ahead, result_row(channel), origin + place + integer(kSquaresAhead * lanes_));
  }
  turn(squares, place);
  Body& rows = BodyBuilder(squares).loop(LoopKind::kSerial, "channel", j, end, integer(1));
  epilogue_.store(rows, result_row(channel), origin + place, load(square, lane_row, type(lanes_), c_.compute));
  const bool rest = rows_ * w_.out_width % lanes_ != 0 || w_.out_height % rows_ * w_.out_width % lanes_ != 0;
  if (!rest) return;
  const ExprPtr whole = builder.declare("whole", pixels / integer(lanes_) * integer(lanes_));
  Body& last = builder.when(binary("<", whole, pixels));
  turn(last, whole);
  Body& each_channel = BodyBuilder(last).loop(LoopKind::kSerial, "channel", j, end, integer(1));
  Body& each_place = BodyBuilder(each_channel).loop(LoopKind::kSerial, "place", whole, pixels, integer(1));
  epilogue_.store(each_place, result_row(channel), origin + place, load(square, lane_row + (place - whole), type(1), c_.compute));
}

std::string ConvolutionTask::prepare(Function& prepare, const char* wish, std::int64_t tasks, std::int64_t elements_per_task) {
  const std::string filled = names_.unique(wish);
  prepare.tasks = tasks;
  prepare.parameters = parameters_;
  prepare.parameters.push_back({filled, c_.compute, true});
  parameters_.push_back({filled, c_.compute, false});
  function_.prepared_inputs = {c_.left};
  function_.prepared_bytes = tasks * elements_per_task * bits_of(c_.compute) / 8;
  return filled;
}

}  // namespace fuselab::codegen
