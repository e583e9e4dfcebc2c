// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "backends/codegen/rows/row_values.h"

namespace fuselab::codegen {

// The use of registers in a walk.
struct RowRegisters {
  int lanes = 8;
  std::int64_t unroll = 1;
  bool nontemporal = false;  // vector stores bypass the caches
};

// Columns [first, last) of a row, all from the same pieces. `lengths` are the possible values of last - first.
struct ColumnRange {
  ExprPtr first, last;
  std::vector<std::int64_t> lengths;
  std::int64_t segment = 0;  // where the pieces begin
};

// Writes the loops of one pass over columns: registers in blocks, then single registers, then single elements. Reductions are
// folded from many registers to one lane on the way.
class RowWalk {
 public:
  // All references must outlive this.
  RowWalk(const RowProgram& program, RowValues& values, RowRegisters registers)
      : program_(program), values_(values), registers_(registers) {}

  void write(Body& body, const RowPass& pass, const ColumnRange& range);

 private:
  // Gives the variable in which a reduction of this step accumulates.
  using Accumulator = std::function<ExprPtr(int node)>;

  const RowNode& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  ExprPtr neutral(int index, int lanes) const;
  static ExprPtr combine(const RowNode& reduction, const ExprPtr& a, const ExprPtr& b);
  ExprPtr lane_block(int index, const ExprPtr& copy) const;
  void begin_reductions(Body& body, const RowPass& pass) const;
  void end_vectors(Body& body, const RowPass& pass, bool ran) const;
  void blocks(Body& body, const RowPass& pass, const ColumnRange& range);
  void step(Point& point, const RowPass& pass, const Accumulator& accumulator);

  const RowProgram& program_;
  RowValues& values_;
  RowRegisters registers_;
};

}  // namespace fuselab::codegen
