// SPDX-License-Identifier: Apache-2.0
// Operators with bodies. An If is read in place, and so is a Loop: here come those that cannot be.
#include "core/import/nodes/operators.h"
#include "core/import/reader/branch_reader.h"
#include "core/import/reader/loop_unroller.h"

namespace fuselab::onnx {
namespace {

// An If whose condition is known is read as the branch that it takes, and does not come here.
Result<Translated> translate_undecided_if(NodeImport& node) {
  if (node.input_count() != 1 || (node.known(0) != nullptr && node.known(0)->scalar()))
    return Translated::opaque("its condition is no single bool, or the branch that it takes is not there");
  return Translated::opaque("which of its branches it takes is computed");
}

// A Loop with a body is written out or made a barrier before it comes here.
Result<Translated> translate_loop_without_body(NodeImport&) {
  return Translated::opaque("its body is not there");
}

}  // namespace

Rows body_rows() {
  static constexpr OperatorRow kRows[] = {
      {"If", translate_undecided_if, BranchReader::kAttributes},
      {"Loop", translate_loop_without_body, LoopUnroller::kAttributes},
  };
  return kRows;
}

}  // namespace fuselab::onnx
