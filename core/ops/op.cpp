// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op.h"

#include <array>

#include "core/ops/op_row.h"

namespace fuselab {
namespace ops {
namespace {

constinit const OpTable<OpRow> kTable(kElementwise, kRows, kLosses, kContractions, kRecurrences, kWindows, kPositions, kMovements,
                                      kIndexed, kLeaves);

constexpr auto kComputed = [] {
  std::array<Op, static_cast<std::size_t>(Op::kConstant)> all = {};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Op>(i);
  return all;
}();

}  // namespace

const OpRow& row_of(Op op) {
  return kTable[op];
}

}  // namespace ops

std::span<const Op> computed_ops() {
  return ops::kComputed;
}

const OpInfo& info_of(Op op) {
  return ops::row_of(op);
}

OperandRole role_of(Op op, std::size_t operand) {
  const auto& roles = ops::row_of(op).roles;
  return operand < roles.size() ? roles[operand] : OperandRole::kValue;
}

double op_weight(Op op) {
  return ops::row_of(op).weight;
}

std::string_view name_of(Op op) {
  return info_of(op).name;
}

std::optional<Op> parse_op(std::string_view onnx_name) {
  for (int i = 0; i < static_cast<int>(kEndOfOps); ++i) {
    if (name_of(static_cast<Op>(i)) == onnx_name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

bool is_elementwise(Op op) {
  return info_of(op).access == AccessPattern::kElementWise;
}

bool is_comparison(Op op) {
  return op == Op::kEqual || op == Op::kLess || op == Op::kGreater || op == Op::kLessOrEqual || op == Op::kGreaterOrEqual;
}

bool is_logic(Op op) {
  return op == Op::kAnd || op == Op::kOr || op == Op::kXor || op == Op::kNot;
}

}  // namespace fuselab
