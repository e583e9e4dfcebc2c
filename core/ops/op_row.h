// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/ops/infer_rules.h"
#include "core/ops/op.h"
#include "core/ops/op_attributes.h"
#include "core/ops/op_table.h"

// What an operator is: one row in the file of its family. Private to core/ops.
namespace fuselab::ops {

using Schema = std::vector<AttributeInfo>;

struct OpRow : OpInfo {
  Result<Types> (*infer)(const Call& call) = nullptr;
  double weight = 16;                                                     // see op_weight()
  Schema (*attributes)() = nullptr;                                       // null: it has none
  double (*flops)(const Call& call, const TensorType& result) = nullptr;  // of a concrete call; null: flops_per_element says it
  std::array<OperandRole, 5> roles = {};                                  // of the first operands
};

inline AttributeInfo integer(std::string_view name, std::int64_t otherwise) {
  return {name, AttributeKind::kInteger, false, otherwise};
}
inline AttributeInfo real(std::string_view name, double otherwise) {
  return {name, AttributeKind::kReal, false, otherwise};
}
inline AttributeInfo text(std::string_view name, const char* otherwise) {
  return {name, AttributeKind::kText, false, std::string(otherwise)};
}
inline AttributeInfo optional(std::string_view name, AttributeKind kind) {
  return {name, kind, false, std::nullopt};
}
inline AttributeInfo required(std::string_view name, AttributeKind kind) {
  return {name, kind, true, std::nullopt};
}

// The number of elements of a concrete type. A double: FLOP counts of real models pass 2^53 nowhere near the point where rounding
// matters.
inline double elements(const TensorType& type) {
  double count = 1;
  for (const Dim& dim : type.shape) count *= static_cast<double>(dim.extent());
  return count;
}

template <Op... Bounds>
using Family = OpFamily<OpRow, Bounds...>;

extern const Family<Op::kIdentity, Op::kReduceSum> kElementwise;
extern const Family<Op::kReduceSum, Op::kSoftmaxCrossEntropyLoss> kRows;
extern const Family<Op::kSoftmaxCrossEntropyLoss, Op::kMatMul> kLosses;
extern const Family<Op::kMatMul, Op::kLSTM> kContractions;
extern const Family<Op::kLSTM, Op::kBatchNormalization> kRecurrences;
extern const Family<Op::kBatchNormalization, Op::kRotaryEmbedding> kWindows;
extern const Family<Op::kRotaryEmbedding, Op::kTranspose> kPositions;
extern const Family<Op::kTranspose, Op::kGatherElements> kMovements;
extern const Family<Op::kGatherElements, Op::kConstant> kIndexed;
extern const Family<Op::kConstant, kEndOfOps> kLeaves;

const OpRow& row_of(Op op);

}  // namespace fuselab::ops
