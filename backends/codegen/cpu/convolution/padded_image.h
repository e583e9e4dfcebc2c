// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/forms/contraction_operand.h"
#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// How a task's image rows lie in scratch, padding included. Extents are in elements.
struct ImageLayout {
  std::int64_t line = 0;                           // from line to line
  std::int64_t lines_per_row = 1, lines_more = 0;  // a phase's lines for r result rows: r · lines_per_row + lines_more
  std::int64_t row_step = 1, column_step = 1;      // of the image, from line to line and from element to element
  std::int64_t phases_y = 1, phases_x = 1;         // each has the image rows, or columns, that a stride apart follow it
  std::int64_t phase = 0;                          // from phase to phase
  std::int64_t plane = 0;                          // from channel to channel
  std::int64_t behind = 0;                         // that reading may touch behind the last plane
  std::int64_t places = 0;                         // results of all rows, padding between them counted, in whole strips
  std::int64_t dilation_y = 1, dilation_x = 1;

  // Returns the offset, within a plane, of the element under window place (ky, kx) of the first result. Phases apart only.
  ExprPtr window_at(const ExprPtr& ky, const ExprPtr& kx) const;
};

// Rows as they are, for kernels that read single pixels with any stride. `rows` are those of the result.
ImageLayout whole_rows(const Windows& windows, std::int64_t rows);
// Rows and columns apart by stride, so that neighbouring results read neighbouring elements, also across the end of a row.
// `strip` results are read at once.
ImageLayout rows_apart(const Windows& windows, std::int64_t rows, std::int64_t strip);

// Image rows for result rows [first_row, first_row + rows), copied to `planes`; what lies outside of the image is 0.
struct PaddedCopy {
  const Windows& windows;
  const ImageLayout& layout;
  const ContractionOperand& source;
  ExprPtr base;  // offset of this batch's image
  std::string planes;
  ExprPtr plane;  // of the result, along the depth
  ExprPtr first_row, rows;
  DType compute = DType::kF32;
  int lanes = 1;
};
void copy_padded(Body& body, const PaddedCopy& copy);

}  // namespace fuselab::codegen
