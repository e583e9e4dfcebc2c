// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/forms/contraction_operand.h"
#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/epilogue.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// The parts that every form of a convolution has: a task's place among images, groups, rows and channels, its scratch, and the
// stores of sums that hold neighbouring channels together. A form derives from it and writes the sums between.
class ConvolutionTask {
 protected:
  // `rows`: result rows of one task. `tile_channels`: the fewest channels that a part may have. All must outlive this.
  ConvolutionTask(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config, std::int64_t rows,
                  std::int64_t tile_channels);

  // Declares the task's place: batch_, group_, image_base_, plane_, first_row_, rows_here_, first_result_, last_result_.
  void decode_task();
  std::string scratch(const char* wish, std::int64_t elements);
  // Stores channels from the variable channel_at on, at most last_result_, of sums that lie [pixel][panel]. Turns squares of them
  // around, so that a register holds pixels of one channel, which lie together in the result.
  void store_channels(Body& body, const std::string& sums, std::int64_t panel, const std::string& square);
  // Sets up a kernel that fills a buffer made of the weights before all others run, with so many elements for each of its tasks.
  // The caller writes its body and moves it into function_.before. Returns the buffer's name.
  std::string prepare(Function& prepare, const char* wish, std::int64_t tasks, std::int64_t elements_per_task);

  IrType type(int lanes) const { return {c_.compute, lanes}; }
  ExprPtr spread(const ExprPtr& value) const { return lanes_ == 1 ? value : call("spread", type(lanes_), {value}); }
  const KernelParameter& weights() const { return parameters_[static_cast<std::size_t>(c_.left)]; }
  std::int64_t taps() const { return w_.kernel_height * w_.kernel_width; }
  ExprPtr result_row(const ExprPtr& channel) const { return batch_ * integer(c_.m) + channel; }
  // The place of a pixel among those of a channel; `row` is one of the result's.
  ExprPtr result_place(const ExprPtr& row) const { return (plane_ * integer(w_.out_height) + row) * integer(w_.out_width); }
  Body& unrolled(Body& body, const char* name, std::int64_t count) const {
    return BodyBuilder(body).loop(LoopKind::kUnrolled, name, integer(0), integer(count), integer(1));
  }

  const Contraction& c_;
  const Windows& w_;
  Names names_{{"group",     "image_at",      "rows",      "first_channel", "last_channel", "channel_at", "block",
                "first_in",  "last_in",       "from",      "sums_at",       "pixels",       "end",        "place",
                "whole",     "places",        "strips",    "weights_at",    "line",         "y",          "to",
                "filled",    "last_of_block", "out_plane", "in_plane",      "from_plane",   "tile",       "tile_row",
                "tile_col",  "tile_rows",     "even",      "odd",           "even_half",    "odd_half",   "near",
                "near_odd",  "far",           "far_odd",   "middle",        "half_middle",  "window",     "product",
                "half_done", "done",          "found",     "first_line"}};
  std::vector<KernelParameter> parameters_;
  Epilogue epilogue_;
  ContractionOperand image_;
  bool computes_image_;
  int lanes_, image_lanes_;
  std::int64_t rows_, row_blocks_, parts_ = 1, part_channels_ = 1;
  Function function_;
  ExprPtr batch_, group_, image_base_, plane_, first_row_, rows_here_, first_result_, last_result_;
};

}  // namespace fuselab::codegen
