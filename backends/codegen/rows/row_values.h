// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/row_passes.h"
#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// A place along the row where values are computed: a column, the number of lanes, and the values already in registers.
struct Point {
  Body* body = nullptr;
  ExprPtr column;
  int lanes = 1;
  const RowPass* pass = nullptr;
  std::int64_t segment = 0;        // where the piece of the row begins that contains the column
  ExprPtr slot = {};               // index of kept values, if it is not the column
  bool slot_in_registers = false;  // the slot is an array of registers, not of memory
  bool peeled = false;             // registers are aligned where a tensor continues from row to row without a gap, and nowhere else
  std::map<std::pair<int, std::int64_t>, ExprPtr> known = {};  // by node and shift
};

// The names of a row program's nodes in the text, and the expressions that compute them: at a point along the row, or once before
// it.
class RowValues {
 public:
  // All references but the names must outlive this.
  RowValues(const Graph& graph, const RowProgram& program, const RowPlan& plan, Names names = Names());

  const std::vector<KernelParameter>& parameters() const { return parameters_; }
  const KernelParameter& output(std::size_t position) const { return parameters_[graph_.inputs().size() + position]; }
  const std::vector<std::string>& stages() const { return stages_; }  // names of scratch slots
  DType stage_storage(std::size_t slot) const;                        // for slots in memory
  const std::string& stage_of(int node) const { return stages_[static_cast<std::size_t>(plan_.stage_slots.at(node))]; }
  const std::string& name(int node) const { return names_[static_cast<std::size_t>(node)]; }
  // Returns a name derived from the node's: "sum_acc".
  const std::string& companion(int node, const std::string& suffix);
  IrType type(int lanes) const { return {program_.compute, lanes}; }
  // Returns the offset in elements of the row that the variable `row` counts.
  ExprPtr offset(const RowAccess& access) const;

  void begin_row() {
    row_known_.clear();
    named_rows_.clear();
  }
  // Declares the values that are known once per row before this pass.
  void declare_row_level(Body& body, int phase);
  // Sets a reduction's result from here on.
  void know(int node, ExprPtr total) { row_known_[node] = std::move(total); }
  // Asks for the inputs of the next row at the point's column.
  void prefetch_next_row(const Point& point) const;
  // Writes a value that a later pass takes.
  void keep(int node, Point& point);
  // Returns the node's value `shift` columns right of the point.
  ExprPtr at(int node, Point& point, std::int64_t shift = 0);

 private:
  const RowNode& node(int index) const { return program_.nodes[static_cast<std::size_t>(index)]; }
  const std::string& buffer(const RowNode& input) const { return parameters_[static_cast<std::size_t>(input.input)].name; }
  DType stored(const RowNode& input) const { return parameters_[static_cast<std::size_t>(input.input)].storage; }
  std::string shifted_name(int index, std::int64_t shift);
  ExprPtr input_offset(const RowNode& input) const;
  void declare_named_row(Body& body, const RowNode& input);
  void declare_row_value(Body& body, int index);
  void pick(Body& body, int index);
  ExprPtr taken(int index, const Point& point) const;

  const Graph& graph_;
  const RowProgram& program_;
  const RowPlan& plan_;
  Names identifiers_;
  std::vector<KernelParameter> parameters_;
  std::vector<std::string> names_;  // names of row nodes
  std::vector<std::string> stages_;
  std::map<std::pair<int, std::int64_t>, std::string> shifted_names_;
  std::map<std::pair<int, std::string>, std::string> companions_;
  std::map<int, ExprPtr> row_known_;   // row-level nodes, one lane
  std::map<int, ExprPtr> named_rows_;  // by index input: the number of the row that its element names
};

}  // namespace fuselab::codegen
