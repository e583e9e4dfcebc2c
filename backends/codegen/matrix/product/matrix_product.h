// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backends/codegen/forms/byte_product.h"
#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/matrix/matrix_unit.h"
#include "backends/codegen/matrix/product/joined_product.h"
#include "core/base/result.h"

namespace fuselab::codegen {

// The way in which an operand reaches shared memory.
enum class Fetch {
  kParts,   // 16 bytes at a time, asynchronously, along depth
  kTurned,  // the same, along the tile: a line is a step of depth
  kGather,  // element by element: computed on the left, under windows, or not aligned to 16 bytes
};

// The operands of a convolution with channels last, as resources/kernels/cuda/skeletons/channels_last.cuh lays them out.
struct ChannelsLast {
  std::int64_t images = 1, pixels = 1;  // images of every group
  std::int64_t filters = 1, taps = 1;   // rows of weights in all groups; steps of a window
  std::int64_t channels = 1, held = 1;  // of a group; those with the zeros behind them, whole parts of 16 bytes
  bool weights_stay = false;            // they lie so already
};

// A contraction as a matrix unit makes it.
struct MatrixProduct {
  ContractionKernel kernel;                // of a product of 8-bit numbers: its extents, and what follows
  std::optional<ByteProductKernel> bytes;  // such a product
  std::optional<int> twin;                 // as joined_product.h says
  std::optional<RowNorm> norm;
  const MatrixUnit* unit = nullptr;
  Fetch left = Fetch::kParts, right = Fetch::kParts;
  bool left_across = false, right_across = false;  // of a gathered operand: neighbours in memory are neighbours along the tile
  bool right_computed = false;                     // a part at a time, from what lies in memory
  int lanes = 1;                                   // results that the epilogue makes at a time
  std::optional<ChannelsLast> channels_last;       // the operands lie so, in scratch

  // Returns whether sums of rows and columns are kept, for zero points.
  bool has_offsets() const;
  bool is_joined() const { return twin || norm; }
  std::int64_t twins() const { return twin ? 2 : 1; }
};

// Fails with kUnsupported and what keeps the graph from matrix units; they take products of at least so many steps of depth.
Result<MatrixProduct> make_matrix_product(const Graph& graph, const Target& target, std::int64_t fewest_steps = 8);
// Returns it for a graph that is known to be one.
MatrixProduct matrix_product_of(const Graph& graph, const Target& target);

}  // namespace fuselab::codegen
