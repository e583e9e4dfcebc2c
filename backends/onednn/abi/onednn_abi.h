// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of oneDNN's C API that majors 2 and 3 share, as its documentation describes it; tests compare it with the real headers
// where there are any. Descriptions of memory are passed by address and never read here, so those of both majors are the same.
namespace fuselab::onednn::abi {

using Code = int;
inline constexpr Code kSuccess = 0, kOutOfMemory = 1, kInvalidArguments = 2, kUnimplemented = 3, kRuntimeError = 5,
                      kNotRequired = 6;

using DataType = int;
inline constexpr DataType kF16 = 1, kBf16 = 2, kF32 = 3, kS32 = 4, kS8 = 5, kU8 = 6;

inline constexpr int kMaxDims = 12;
using Dims = std::int64_t[kMaxDims];

inline constexpr int kCpuEngine = 1;
inline constexpr unsigned kStreamInOrder = 1;
inline constexpr int kForwardInference = 96;
inline constexpr int kFormatTagAny = 1;
inline constexpr int kScratchpadLibrary = 0, kScratchpadUser = 1;

using Query = int;
inline constexpr Query kQueryImplementation = 8, kQueryWeights = 131, kQuerySource = 129, kQueryDestination = 133,
                       kQueryScratchpad = 136, kQueryArgument = 255;

// Identifies the memory that an argument of an execution is.
using Argument = int;
inline constexpr Argument kSource = 1, kSource1 = 2, kDestination = 17, kWeights = 33, kBias = 41, kMean = 49, kVariance = 50,
                          kScale = 51, kShift = 52, kScratchpad = 80;
// The operands of the n-th post-op are counted from this times (n + 1). Later 3.x versions have the second.
inline constexpr Argument kPostOpBase = 16384, kPostOpBaseLater = 32768;

inline constexpr int kConvolutionDirect = 1;
inline constexpr int kPoolingMax = 0x1ff, kPoolingAverageWithPadding = 0x2ff, kPoolingAverage = 0x3ff;
inline constexpr int kSoftmaxAccurate = 0x30000, kSoftmaxLog = 0x30001;
inline constexpr int kBinaryAdd = 0x1fff0, kBinaryMul = 0x1fff1, kBinaryMax = 0x1fff2, kBinaryMin = 0x1fff3, kBinaryDiv = 0x1fff4,
                     kBinarySub = 0x1fff5;
inline constexpr int kReductionMax = 0x2fff2, kReductionSum = 0x2fff4, kReductionMul = 0x2fff5, kReductionMean = 0x2fff6;
inline constexpr unsigned kUseGlobalStatistics = 1;

inline constexpr unsigned kRuntimeSequential = 1, kRuntimeOpenMp = 2, kRuntimeTbb = 4;

struct Version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};

struct EngineObject;
struct StreamObject;
struct MemoryObject;
struct PrimitiveObject;
struct DescriptionObject;
struct AttributeObject;
struct PostOpsObject;
using Engine = EngineObject*;
using Stream = StreamObject*;
using Memory = MemoryObject*;
using Primitive = PrimitiveObject*;
using Description = DescriptionObject*;  // dnnl_primitive_desc_t
using Attributes = AttributeObject*;
using PostOps = PostOpsObject*;
using MemoryDesc = const void*;  // 2.x: the structure's address; 3.x: the handle

struct ExecutionArgument {
  Argument argument;
  Memory memory;
};

struct Functions {
  const Version* (*version)();
  int (*effective_isa)();
  Code (*set_cache_capacity)(int);
  Code (*create_engine)(Engine*, int kind, std::size_t index);
  Code (*create_stream)(Stream*, Engine, unsigned flags);
  Code (*wait)(Stream);
  Code (*create_memory)(Memory*, MemoryDesc, Engine, void* data);
  Code (*set_data)(Memory, void* data);
  Code (*destroy_memory)(Memory);
  std::size_t (*bytes_of)(MemoryDesc);
  int (*equal)(MemoryDesc, MemoryDesc);
  Code (*query)(Description, Query, int index, void* result);
  MemoryDesc (*query_memory)(Description, Query, int index);
  Code (*destroy_description)(Description);
  Code (*create_primitive)(Primitive*, Description);
  Code (*execute)(Primitive, Stream, int count, const ExecutionArgument*);
  Code (*destroy_primitive)(Primitive);
  Code (*create_attributes)(Attributes*);
  Code (*destroy_attributes)(Attributes);
  Code (*set_post_ops)(Attributes, PostOps);
  Code (*set_scratchpad)(Attributes, int mode);
  Code (*create_post_ops)(PostOps*);
  Code (*destroy_post_ops)(PostOps);
  Code (*append_binary)(PostOps, int algorithm, MemoryDesc);
  Code (*describe_reorder)(Description*, MemoryDesc from, Engine, MemoryDesc to, Engine, Attributes);
};

}  // namespace fuselab::onednn::abi
