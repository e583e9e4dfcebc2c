// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// The frequency with which a value changes while a kernel walks over rows of `cols` elements.
enum class Level { kConstant, kRow, kFull };

enum class RowOp {
  kInput,     // an element of a kernel input
  kConstant,  // `value`
  kMap,       // an element-wise graph operator
  kSum,       // over the row
  kLargest,   // over the row
  kPick,      // args[0] in the column whose index is args[1]
  kShifted,   // args[0], `starts[0]` columns further right
  kPieces,    // from column starts[i] on: args[i], with columns counted from there
};

// The place of a tensor's elements: strides in elements over the collapsed outer dimensions and along the row.
struct RowAccess {
  std::vector<std::int64_t> outer;
  std::int64_t inner = 0;  // 0 or 1
  bool operator==(const RowAccess&) const = default;
};

// One primitive step. Every graph operator is split into these.
struct RowNode {
  RowOp op = RowOp::kInput;
  Op map = Op::kIdentity;    // for kMap
  std::string variant = {};  // for kMap: an operator's textual attribute ("tanh")
  std::vector<int> args = {};
  Level level = Level::kConstant;
  int phase = 0;  // number of passes over the row that must be finished before it is known
  double value = 0;
  std::vector<std::int64_t> starts = {};  // for kShifted and kPieces
  int input = 0;                          // for kInput: position among the graph's inputs, or kCoreInput
  RowAccess access = {};                  // for kInput
  int row_named_by = -1;                  // for kInput: the index input whose element is the number of the row to read, or none
  std::int64_t row_pitch = 0;             // for kInput: elements between such rows
  std::int64_t row_count = 1;             // for kInput: such rows
  std::string name = {};                  // name in the graph, for readers
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
  int phases() const;  // number of passes over the row
};

// Returns true when a tensor's rows are contiguous: element (row, column) is at row * cols + column.
bool is_gapless(const RowProgram& program, const RowAccess& access);

// Returns true for an input whose next row lies right behind each row.
bool follows_row_by_row(const RowProgram& program, const RowNode& node);

// An operator that a kernel computes in its own way (a contraction): for the row program its result is an input whose last
// `trailing` axes form the row.
struct RowCore {
  const Node* node = nullptr;
  std::size_t trailing = 1;
};
inline constexpr int kCoreInput = -1;  // RowNode::input of the core's result
inline constexpr int kTwinInput = -2;  // the same of a second core, which reads what the first does and more

// Fails with kUnsupported, naming the operator, shape or type that does not fit the row family.
Result<RowProgram> make_row_program(const Graph& graph, RowCore core = {});

}  // namespace fuselab::codegen
