// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_cuts.h"

#include <utility>

namespace fuselab::codegen {
namespace {

class CutSearch {
 public:
  explicit CutSearch(const RowProgram& program) : program_(program) {}

  // Looks below a node whose columns are read `shift` further right.
  void visit(int node, std::int64_t shift) {
    if (!seen_.insert({node, shift}).second) return;
    const RowNode& here = program_.nodes[static_cast<std::size_t>(node)];
    for (std::size_t i = 0; i < here.args.size(); ++i) {
      std::int64_t inner = shift;
      if (here.op == RowOp::kShifted) inner += here.starts[0];
      if (here.op == RowOp::kPieces) {
        inner -= here.starts[i];
        const std::int64_t cut = here.starts[i] - shift;
        if (cut > 0 && cut < program_.cols) cuts.insert(cut);
      }
      visit(here.args[i], inner);
    }
  }

  std::set<std::int64_t> cuts;

 private:
  const RowProgram& program_;
  std::set<std::pair<int, std::int64_t>> seen_;
};

}  // namespace

std::set<std::int64_t> row_cuts(const RowProgram& program) {
  CutSearch search(program);
  for (const RowOutput& output : program.outputs) search.visit(output.node, 0);
  if (!search.cuts.empty()) search.cuts.insert(program.cols);
  return search.cuts;
}

}  // namespace fuselab::codegen
