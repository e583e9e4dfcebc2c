// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Returns true for a convolution that lower_winograd() writes: windows of 3×3 that move by one, constant weights, sums in f32,
// enough channels on both sides to fill registers.
bool has_winograd_form(const Graph& graph, const ContractionKernel& kernel);

// Writes Winograd's minimal filtering F(4×4, 3×3) (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016):
// 36 multiplications for each 16 results and pair of channels instead of 144. A task computes whole rows of 4×4 tiles, for all
// channels or a part of them:
//   image:    padded rows, turned around so that registers hold image channels, then Bᵀ·d·B for each tile of 6×6 pixels;
//   products: 36 of [tiles × image channels] · [image channels × result channels], in register tiles of tile_m × tile_n;
//   results:  Aᵀ·m·A for each tile, before the same stores as those of a direct convolution.
// The weights G·g·Gᵀ were made ahead; they are four times as large. Its sums cancel: its error against the exact result is four to
// nine times that of a direct convolution, and what is large, infinite or NaN in a pixel spreads over all results of its tile, so
// that a configuration with winograd=1 is chosen only where the user accepts that (core/kernel/drawback.h).
// Reads vector, tile_m (tiles that share a load), tile_n, rows_per_task (rounded up to rows of tiles), channel_parts.
Function lower_winograd(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

}  // namespace fuselab::codegen
