// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/codegen/rows/row_program.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// Sliding windows of a convolution or pool, NCDHW. A line is an image of height 1, and an image a volume of depth 1.
struct Windows {
  // Per group. Of a volume each counts once for every plane under the window: its weights, [result][channel][kz][ky][kx], lie as
  // those of an image with channel · kz channels, from which it differs only in where a channel's plane begins.
  std::int64_t channels = 1;
  std::int64_t depth = 1, height = 1, width = 1;
  std::int64_t out_depth = 1, out_height = 1, out_width = 1;
  std::int64_t kernel_depth = 1, kernel_height = 1, kernel_width = 1;
  std::int64_t stride_z = 1, stride_y = 1, stride_x = 1;
  std::int64_t pad_front = 0, pad_top = 0, pad_left = 0;
  std::int64_t dilation_z = 1, dilation_y = 1, dilation_x = 1;

  // Returns true for a window of one element that moves by one over an unpadded image: the image is the matrix.
  bool is_pointwise() const;
  // Returns true for images, and lines, whose only plane lies under every window.
  bool is_flat() const { return depth == 1 && out_depth == 1 && kernel_depth == 1 && pad_front == 0; }
};

// Returns the geometry of a Conv, MaxPool or AveragePool node with concrete types.
Result<Windows> windows_of(const Graph& graph, const Node& node);

// The layout of the right operand in memory.
enum class RightLayout {
  kRows,     // element (k, n) at k · stride + n
  kColumns,  // element (k, n) at n · stride + k
  kWindows,  // gathered from an image: k counts channels and window, n counts positions
};

// Rows × columns of sums over k, for each batch: the form of MatMul, Gemm and Conv.
struct Contraction {
  const Node* node = nullptr;
  DType compute = DType::kF32;
  std::int64_t m = 1, n = 1, k = 1;
  std::vector<std::int64_t> batch_extents;  // outermost first; empty: one
  std::vector<std::int64_t> left_strides;   // strides of batches, in elements
  std::vector<std::int64_t> right_strides;
  int left = 0, right = 1;  // positions among the graph's inputs; none for an operand that the kernel computes
  std::int64_t left_row = 1, left_step = 1;
  RightLayout layout = RightLayout::kRows;
  std::int64_t right_stride = 1;
  Windows windows;

  std::int64_t batches() const;
  // Returns true for sums along k with registers along k, which are faster where there are too few rows to pay for transposing the
  // right operand.
  bool prefers_dots() const { return left_step == 1 && layout == RightLayout::kColumns && (m < 8 || n == 1); }
};

// The side of an operand. In a Conv the weights are the left operand and the image is the right one.
enum class Side { kLeft, kRight };

struct ContractionKernel {
  Contraction contraction;
  RowProgram epilogue;
  std::optional<RowProgram> prologue;  // makes an operand element by element, in its memory order; none: both are inputs
  Side computed = Side::kRight;        // the operand that the prologue makes
  double prologue_operations = 0;      // simple operations for one element of that operand

  bool computes(Side side) const { return prologue && computed == side; }
  // Returns true when neighbours in a row of the right operand can be read or computed as one register: the prologue's rows hold
  // whole registers.
  bool has_right_registers() const;
};

// Recognises one MatMul, Gemm or Conv, followed by element-wise operators; others may make one of its operands.
// Fails with kUnsupported and what does not fit.
Result<ContractionKernel> make_contraction(const Graph& graph);

// Recognises one MatMul of i32 by itself, whose sums wrap: they are of kU32.
// Fails with kUnsupported for any other graph.
Result<ContractionKernel> make_whole_contraction(const Graph& graph);

}  // namespace fuselab::codegen
