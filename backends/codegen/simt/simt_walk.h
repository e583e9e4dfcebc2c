// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/row_program.h"
#include "backends/codegen/rows/row_values.h"
#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"

// Common parts of kernels of many threads, whatever language they are written in.
namespace fuselab::codegen {

inline constexpr std::int64_t kWarp = 32;  // lanes of most targets; the limit "warp" says it of one

// The way in which the threads of a row exchange results.
enum class Exchange {
  kShuffles,  // within warps by shuffles, between them through shared memory
  kMemory,    // through shared memory alone, where a language promises no warps
};
// Returns the way that a target uses; the limit "lane_shuffles" is 0 on a target without shuffles.
Exchange exchange_of(const Target& target);

// Returns a position of this thread: `thread`, `lane`, `warp`, `block`, `grid_size`.
ExprPtr simt_index(const char* what);

// Returns true when registers of `lanes` elements always fall on addresses aligned to them: rows, strides and pieces are multiples
// of them. A flat program (one dimension) may leave a tail.
bool lanes_fit(const RowProgram& program, std::int64_t lanes);

// Returns true when registers of `lanes` elements fall on aligned addresses once each row's first few elements, and its last ones,
// are handled separately: for rows with reductions whose outputs are all gapless.
bool lanes_fit_peeled(const RowProgram& program, std::int64_t lanes);

// Bytes of the widest and of the narrowest element that the program's full-row inputs and outputs have in memory.
struct StoredWidths {
  std::int64_t narrowest = 8;
  std::int64_t widest = 1;
};
StoredWidths stored_widths(const Graph& graph, const RowProgram& program);

// Returns true when every index of the program's tensors, with `slack` elements beyond their ends, fits an int.
bool fits_int(const Graph& graph, const RowProgram& program, std::int64_t slack);

// Returns the launch formula for `tiles` tiles: one block each or, where `per_processor` is not 0, that many blocks for each
// multiprocessor, which go from tile to tile. The number of multiprocessors is the target's, or the dimension "multiprocessors"
// where it is not known.
std::string blocks_formula(std::int64_t tiles, std::int64_t per_processor, std::int64_t multiprocessors);

// Appends the stores of a pass's outputs at a point.
void store_outputs(const RowProgram& program, RowValues& values, const RowPass& pass, Point& point, bool streaming);
// Appends the stores of the outputs that have one element for each row.
void store_row_outputs(const RowProgram& program, RowValues& values, Body& body);

}  // namespace fuselab::codegen
