// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/operator_row.h"

namespace fuselab::reference {
namespace {

constinit const OpTable<OperatorRow> kTable(kElementwise, kTrigonometry, kSteps, kPredicates, kRows, kRanks, kProducts, kWindows,
                                            kAttention, kRecurrences, kRotary, kMovements, kIndexed, kLeaves);

Status constant(const NodeCall& call) {
  call.put_copy(0, {call.node.attributes.real("value", 0), 0});
  return {};
}

// own_reference() takes such a graph apart before anything is evaluated.
Status own_kernel(const NodeCall&) {
  return Error{ErrorCode::kUnsupported,
               "a kernel of the user's own is judged by itself, not among other operators; `fuselab bench` checks each"};
}

Status opaque(const NodeCall& call) {
  return Error{ErrorCode::kUnsupported, "operator '" + call.node.opaque_type + "' is unknown; the reference cannot compute it"};
}

}  // namespace

constexpr Family<Op::kConstant, kEndOfOps> kLeaves({
    {Op::kConstant, constant},
    {Op::kOwnKernel, own_kernel, moved_demand},
    {Op::kOpaque, opaque, moved_demand},
});

const OperatorRow& row_of(Op op) {
  return kTable[op];
}

Status evaluate_node(const NodeCall& call) {
  return row_of(call.node.op).evaluate(call);
}

std::int64_t terms_per_output(const Graph& graph, const Node& node) {
  const auto terms = row_of(node.op).terms;
  return terms == nullptr ? 0 : terms(graph, node);
}

}  // namespace fuselab::reference
