// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a direct convolution. A task computes whole result rows of one image and group, for all channels or a part of them. It
// first copies the image rows that it reads into scratch, with their padding, so that no loop asks where the border is. Of a volume
// it computes rows of one result plane: the planes under the window lie in scratch as those of so many more channels do. Then one
// of two forms follows:
//   channels_in_lanes=1: a register holds neighbouring result channels of one pixel. Tiles of tile_m pixels × tile_n registers sum
//     over channel_block image channels at a time; the weights were laid out ahead ([channels /
//     registers][channel][window][lanes]). Sums are turned around before the epilogue. Any stride and dilation cost the same.
//   channels_in_lanes=0: a register holds neighbouring pixels of one channel, counted over the padded rows; tiles of tile_m
//   channels
//     × tile_n registers. Images with a stride are copied apart by it, so that neighbours stay neighbours. Weights are read in
//     place: the form for few result channels per group and for weights that are not constant.
// Reads vector, channels_in_lanes, tile_m, tile_n, channel_block, rows_per_task, channel_parts.
Function lower_convolution(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

// Returns true when the weights are constant, so that they can be laid out ahead.
bool has_constant_weights(const Graph& graph, const ContractionKernel& kernel);

// Returns the number of image rows, or columns, that so many windows cover.
std::int64_t reach_of(std::int64_t windows, std::int64_t stride, std::int64_t kernel, std::int64_t dilation);

}  // namespace fuselab::codegen
