// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/onednn/abi/onednn_abi.h"

// The part of the interface that only major 3 has: descriptions of memory are handles, and a primitive is described by one call
// with an engine.
namespace fuselab::onednn::abi3 {

using namespace abi;

using OwnMemoryDesc = void*;

inline constexpr int kRelu = 0x20, kTanh = 0x21, kAbs = 0x24, kSqrt = 0x25, kLinear = 0x26, kLogistic = 0x29, kExp = 0x2a,
                     kGeluTanh = 0x2b, kSwish = 0x2c, kLog = 0x2d, kClip = 0x2f, kPow = 0x30, kGeluErf = 0x31, kRound = 0x32;
inline constexpr unsigned kUseScale = 2, kUseShift = 4;

struct Functions3 {
  abi::Code (*memory_of_strides)(OwnMemoryDesc*, int rank, const std::int64_t* dims, DataType, const std::int64_t* strides);
  abi::Code (*memory_of_tag)(OwnMemoryDesc*, int rank, const std::int64_t* dims, DataType, int tag);
  abi::Code (*destroy_memory_desc)(OwnMemoryDesc);
  abi::Code (*append_eltwise)(PostOps, int algorithm, float alpha, float beta);
  abi::Code (*matmul)(Description*, Engine, MemoryDesc source, MemoryDesc weights, MemoryDesc bias, MemoryDesc destination,
                      Attributes);
  abi::Code (*convolution)(Description*, Engine, int prop, int algorithm, MemoryDesc source, MemoryDesc weights, MemoryDesc bias,
                           MemoryDesc destination, const std::int64_t* strides, const std::int64_t* dilates,
                           const std::int64_t* padding_before, const std::int64_t* padding_after, Attributes);
  abi::Code (*softmax)(Description*, Engine, int prop, int algorithm, MemoryDesc source, MemoryDesc destination, int axis,
                       Attributes);
  abi::Code (*layer_normalization)(Description*, Engine, int prop, MemoryDesc source, MemoryDesc destination, MemoryDesc statistics,
                                   float epsilon, unsigned flags, Attributes);
  abi::Code (*batch_normalization)(Description*, Engine, int prop, MemoryDesc source, MemoryDesc destination, float epsilon,
                                   unsigned flags, Attributes);
  abi::Code (*pooling)(Description*, Engine, int prop, int algorithm, MemoryDesc source, MemoryDesc destination,
                       const std::int64_t* strides, const std::int64_t* kernel, const std::int64_t* dilates,
                       const std::int64_t* padding_before, const std::int64_t* padding_after, Attributes);
  abi::Code (*eltwise)(Description*, Engine, int prop, int algorithm, MemoryDesc source, MemoryDesc destination, float alpha,
                       float beta, Attributes);
  abi::Code (*binary)(Description*, Engine, int algorithm, MemoryDesc source0, MemoryDesc source1, MemoryDesc destination,
                      Attributes);
  abi::Code (*reduction)(Description*, Engine, int algorithm, MemoryDesc source, MemoryDesc destination, float p, float epsilon,
                         Attributes);
};

}  // namespace fuselab::onednn::abi3
