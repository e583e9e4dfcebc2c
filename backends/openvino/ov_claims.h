// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/claims.h"

namespace fuselab::openvino {

using library::SeenOn;

// Seen with 2026.4.1 on AVX2, as a model of one operator; the last two on AVX-512 alone.
inline constexpr library::OpFinding kComputedWrong[] = {
    {Op::kMod, "OpenVINO leaves the tolerance of f32 here"},
    {Op::kArgMax, "OpenVINO names another place where there is NaN"},
    {Op::kArgMin, "OpenVINO names another place where there is NaN"},
    {Op::kHardmax, "OpenVINO names another place where there is NaN"},
    {Op::kTopK, "OpenVINO names another place where there is NaN"},
    {Op::kGatherND, "OpenVINO reads foreign memory where an index is out of range"},
    {Op::kScatterElements, "OpenVINO writes foreign memory where an index is below its range"},
    {Op::kGreater, "OpenVINO finds NaN to be greater on AVX-512", SeenOn::kAvx512},
    {Op::kGreaterOrEqual, "OpenVINO finds NaN to be greater on AVX-512", SeenOn::kAvx512}};
// Seen there, too.
inline constexpr library::OpLoss kLosesNan[] = {
    Op::kRelu,      Op::kClip,    Op::kMin,     Op::kMax,        Op::kExp,
    Op::kReduceMax, Op::kMaxPool, Op::kSoftmax, Op::kLogSoftmax, Op::kSoftmaxCrossEntropyLoss};
// Erf leaves the tolerance of f32; the others make NaN of infinity, Gelu on AVX-512 alone.
inline constexpr library::OpLoss kLosesPrecision[] = {Op::kErf, Op::kShrink, Op::kThresholdedRelu, {Op::kGelu, SeenOn::kAvx512}};

// What the conformance suite proved in f32. Whether a piece is taken is asked of the library besides.
inline constexpr library::Claims kClaims{.wrong = kComputedWrong, .loses_nan = kLosesNan, .loses_precision = kLosesPrecision};

inline bool has_mask(const Graph&, const Node& node) {
  return node.inputs.size() > 3;
}
inline bool has_peepholes(const Graph&, const Node& node) {
  return node.inputs.size() > 7;
}
inline bool has_one_operand(const Graph&, const Node& node) {
  return node.inputs.size() == 1;
}
inline constexpr library::OpFinding kFormsComputedWrong[] = {
    {Op::kAttention, "OpenVINO gives 0 where a mask hides NaN and infinity", SeenOn::kAll, has_mask},
    {Op::kLSTM, "OpenVINO leaves peepholes out", SeenOn::kAll, has_peepholes},
    {Op::kMax, "OpenVINO leaves the result of one operand unwritten", SeenOn::kAll, has_one_operand},
    {Op::kMin, "OpenVINO leaves the result of one operand unwritten", SeenOn::kAll, has_one_operand}};
inline constexpr library::Claims kFormClaims{.wrong = kFormsComputedWrong};  // asked after the operators

}  // namespace fuselab::openvino
