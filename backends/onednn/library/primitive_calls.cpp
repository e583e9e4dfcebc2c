// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/library/primitive_calls.h"

namespace fuselab::onednn {

std::optional<abi::DataType> data_type_of(DType dtype) {
  switch (dtype) {
    case DType::kF32: return abi::kF32;
    case DType::kF16: return abi::kF16;
    case DType::kBF16: return abi::kBf16;
    case DType::kI32: return abi::kS32;
    case DType::kI8: return abi::kS8;
    case DType::kU8: return abi::kU8;
    default: return std::nullopt;
  }
}

int algorithm_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kAdd: return abi::kBinaryAdd;
    case Algorithm::kSub: return abi::kBinarySub;
    case Algorithm::kMul: return abi::kBinaryMul;
    case Algorithm::kDiv: return abi::kBinaryDiv;
    case Algorithm::kMin: return abi::kBinaryMin;
    case Algorithm::kMax: return abi::kBinaryMax;
    case Algorithm::kReduceSum: return abi::kReductionSum;
    case Algorithm::kReduceMean: return abi::kReductionMean;
    case Algorithm::kReduceMax: return abi::kReductionMax;
    case Algorithm::kReduceProd: return abi::kReductionMul;
    case Algorithm::kPoolMax: return abi::kPoolingMax;
    case Algorithm::kPoolAverage: return abi::kPoolingAverage;
    case Algorithm::kPoolAverageWithPadding: return abi::kPoolingAverageWithPadding;
    case Algorithm::kSoftmax: return abi::kSoftmaxAccurate;
    case Algorithm::kLogSoftmax: return abi::kSoftmaxLog;
    default: return 0;
  }
}

}  // namespace fuselab::onednn
