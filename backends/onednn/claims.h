// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/claims.h"

namespace fuselab::onednn {

// The operators that the library computes within the tolerances, special inputs included, except that some lose NaN or precision.
inline constexpr Op kAsked[] = {Op::kIdentity,    Op::kNeg,
                                Op::kAbs,         Op::kSqrt,
                                Op::kReciprocal,  Op::kTanh,
                                Op::kSigmoid,     Op::kLeakyRelu,
                                Op::kSwish,       Op::kCast,
                                Op::kAdd,         Op::kSub,
                                Op::kMul,         Op::kDiv,
                                Op::kReduceSum,   Op::kReduceMean,
                                Op::kReduceProd,  Op::kLayerNormalization,
                                Op::kMatMul,      Op::kGemm,
                                Op::kConv,        Op::kBatchNormalization,
                                Op::kAveragePool, Op::kGlobalAveragePool,
                                Op::kTranspose,   Op::kReshape,
                                Op::kFlatten,     Op::kUnsqueeze,
                                Op::kSqueeze,     Op::kRelu,
                                Op::kClip,        Op::kMin,
                                Op::kMax,         Op::kExp,
                                Op::kReduceMax,   Op::kSoftmax,
                                Op::kLogSoftmax,  Op::kMaxPool,
                                Op::kLog,         Op::kGelu};
// Seen on AVX-512, as primitives of their own and as post-ops: Log with 2.6.3 and 3.2.0 and Gelu with 2.6.3 leave the tolerance of
// f32, and Gelu makes NaN of infinity with 3.2.0.
inline constexpr library::OpLoss kLosesPrecision[] = {Op::kLog, Op::kGelu};
// Seen there with 2.6.3 and 3.2.0.
inline constexpr library::OpLoss kLosesNan[] = {Op::kRelu,      Op::kClip,    Op::kMin,        Op::kMax,    Op::kExp,
                                                Op::kReduceMax, Op::kSoftmax, Op::kLogSoftmax, Op::kMaxPool};

inline constexpr library::Claims kClaims{
    .loses_nan = kLosesNan, .loses_precision = kLosesPrecision, .asked = kAsked, .not_asked = "it is not asked of oneDNN"};

}  // namespace fuselab::onednn
