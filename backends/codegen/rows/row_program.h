// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// How often a value changes while a kernel walks over rows of `cols` elements.
enum class Level { kConstant, kRow, kFull };

enum class RowOp {
  kInput,     // an element of a kernel input
  kConstant,  // `value`
  kMap,       // an element-wise graph operator
  kSum,       // over the row
  kLargest,   // over the row
  kPick,      // args[0] in the column that args[1] names
  kShifted,   // args[0], `starts[0]` columns further right
  kPieces,    // from column starts[i] on args[i], whose columns count from there
};

// Where a tensor's element lies: strides in elements over the collapsed outer dimensions and along the row.
struct RowAccess {
  std::vector<std::int64_t> outer;
  std::int64_t inner = 0;  // 0 or 1
  bool operator==(const RowAccess&) const = default;
};

// One primitive step. Everything that a graph operator means is taken apart into these.
struct RowNode {
  RowOp op = RowOp::kInput;
  Op map = Op::kIdentity;    // of kMap
  std::string variant = {};  // of kMap: an operator's textual attribute ("tanh")
  std::vector<int> args = {};
  Level level = Level::kConstant;
  int phase = 0;  // passes over the row that must be finished before it is known
  double value = 0;
  std::vector<std::int64_t> starts = {};  // of kShifted and kPieces
  int input = 0;                          // of kInput: position among the graph's inputs, or kCoreInput
  RowAccess access = {};                  // of kInput
  int row_named_by = -1;                  // of kInput: the index input whose element is the number of the row to read, or none
  std::int64_t row_pitch = 0;             // of kInput: elements between such rows
  std::string name = {};                  // as in the graph, for readers
};

struct RowOutput {
  int node = 0;
  int output = 0;  // position among the graph's outputs
  RowAccess access;
};

// A graph as a program over rows: loops over `outer`, then over `cols`.
struct RowProgram {
  DType compute = DType::kF32;
  std::vector<std::int64_t> outer;  // may be empty: one row
  std::int64_t cols = 1;
  std::vector<RowNode> nodes;  // arguments before users
  std::vector<RowOutput> outputs;
  bool has_reduction = false;

  std::int64_t rows() const;
  int phases() const;  // passes over the row
};

// Whether a tensor's rows lie one behind the other: element (row, column) at row * cols + column.
bool is_gapless(const RowProgram& program, const RowAccess& access);

// An operator that a kernel computes in its own way (a contraction): to the row program its result is an input, of which
// `trailing` axes form the row.
struct RowCore {
  const Node* node = nullptr;
  std::size_t trailing = 1;
};
inline constexpr int kCoreInput = -1;  // RowNode::input of the core's result

// kUnsupported says which operator, shape or type does not fit the row family.
Result<RowProgram> make_row_program(const Graph& graph, RowCore core = {});

}  // namespace fuselab::codegen
