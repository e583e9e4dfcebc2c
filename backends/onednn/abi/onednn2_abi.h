// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/onednn/abi/onednn_abi.h"

// The part of the interface that only major 2 has: an operation is described in a structure of its own, which is turned into a
// primitive's description. The library fills the structures and no code here reads them, so storage that is large enough replaces
// each. Exact from 2.6 on.
namespace fuselab::onednn::abi2 {

using namespace abi;

struct alignas(16) MemoryStorage {
  std::byte bytes[1024];
};
struct alignas(16) OperationStorage {
  std::byte bytes[8192];
};

inline constexpr int kRelu = 0x1f, kTanh = 0x2f, kAbs = 0x5f, kSqrt = 0x6f, kLinear = 0x7f, kLogistic = 0xaf, kExp = 0xbf,
                     kGeluTanh = 0xcf, kSwish = 0xdf, kLog = 0xef, kClip = 0x10, kPow = 0x20, kGeluErf = 0x30, kRound = 0x40;
inline constexpr unsigned kUseScale = 8, kUseShift = 16;

struct Functions2 {
  abi::Code (*memory_of_strides)(MemoryStorage*, int rank, const std::int64_t* dims, DataType, const std::int64_t* strides);
  abi::Code (*memory_of_tag)(MemoryStorage*, int rank, const std::int64_t* dims, DataType, int tag);
  abi::Code (*append_eltwise)(PostOps, float scale, int algorithm, float alpha, float beta);
  abi::Code (*describe)(Description*, const OperationStorage*, Attributes, Engine, Description hint);
  abi::Code (*matmul)(OperationStorage*, MemoryDesc source, MemoryDesc weights, MemoryDesc bias, MemoryDesc destination);
  abi::Code (*convolution)(OperationStorage*, int prop, int algorithm, MemoryDesc source, MemoryDesc weights, MemoryDesc bias,
                           MemoryDesc destination, const std::int64_t* strides, const std::int64_t* dilates,
                           const std::int64_t* padding_before, const std::int64_t* padding_after);
  abi::Code (*softmax)(OperationStorage*, int prop, int algorithm, MemoryDesc source, MemoryDesc destination, int axis);
  abi::Code (*layer_normalization)(OperationStorage*, int prop, MemoryDesc data, MemoryDesc statistics, float epsilon,
                                   unsigned flags);
  abi::Code (*batch_normalization)(OperationStorage*, int prop, MemoryDesc data, float epsilon, unsigned flags);
  abi::Code (*pooling)(OperationStorage*, int prop, int algorithm, MemoryDesc source, MemoryDesc destination,
                       const std::int64_t* strides, const std::int64_t* kernel, const std::int64_t* dilates,
                       const std::int64_t* padding_before, const std::int64_t* padding_after);
  abi::Code (*eltwise)(OperationStorage*, int prop, int algorithm, MemoryDesc data, float alpha, float beta);
  abi::Code (*binary)(OperationStorage*, int algorithm, MemoryDesc source0, MemoryDesc source1, MemoryDesc destination);
  abi::Code (*reduction)(OperationStorage*, int algorithm, MemoryDesc source, MemoryDesc destination, float p, float epsilon);
};

}  // namespace fuselab::onednn::abi2
