// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/abi/cupti_abi.h"

// What Fuselab uses of CUPTI's activity records, declared by hand (decision 0008). A record is longer in newer versions and begins
// as it always did; the library steps from one to the next, so that a reader needs its beginning alone. Values and places of CUPTI
// 12 to 13.5, cupti_activity.h and cupti_callbacks.h; tests/unit/cupti holds them against the headers where there are any.
namespace fuselab::cuda::abi {

enum CuptiKind : std::int32_t {
  kCuptiMemcpy = 1,
  kCuptiMemset = 2,
  kCuptiDriverCall = 4,
  kCuptiKernel = 10,
  kCuptiOverhead = 17,
  kCuptiExternal = 39,
};

struct CuptiKernelRecord {
  std::int32_t kind = kCuptiKernel;
  std::uint8_t caches[2];
  std::uint16_t registers;
  std::int32_t partitions[2];
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local, local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch[4];
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
};

struct CuptiMemcpyRecord {
  std::int32_t kind = kCuptiMemcpy;
  std::uint8_t copy, from, to, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};

struct CuptiMemsetRecord {
  std::int32_t kind = kCuptiMemset;
  std::uint32_t value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};

struct CuptiOverheadRecord {
  std::int32_t kind = kCuptiOverhead;
  std::int32_t what, object;
  std::uint32_t object_id[3];
  std::uint64_t start, end;
};

struct CuptiExternalRecord {
  std::int32_t kind = kCuptiExternal;
  std::int32_t of;
  std::uint64_t external;
  std::uint32_t correlation;
};

struct CuptiCallRecord {
  std::int32_t kind = kCuptiDriverCall;
  std::uint32_t call;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, result;
};

// What the driver's calls that launch are numbered: cuLaunchKernel, cuLaunchKernelEx and cuGraphLaunch, each also as its variant
// for a stream of each thread.
inline constexpr std::uint32_t kCuptiLaunch[] = {307, 442}, kCuptiLaunchEx[] = {652, 653}, kCuptiGraphLaunch[] = {514, 515};
inline constexpr std::int32_t kCuptiCustom0 = 3;       // an external correlation of the caller's own
inline constexpr std::uint32_t kCuptiFlushForced = 1;  // also buffers that are not full
inline constexpr std::int32_t kCuptiBufferBytes = 0;   // the attribute
inline constexpr CuptiCode kCuptiNoMoreRecords = 12, kCuptiOtherProfiler = 39;

struct CuptiSubscription {
  std::size_t size = sizeof(CuptiSubscription);
  const char* name = nullptr;
  char* other = nullptr;  // filled: the name of the profiler that is attached
  std::size_t other_bytes = 0;
};

using CuptiCallback = void (*)(void*, std::int32_t, std::uint32_t, const void*);
using CuptiGiveBuffer = void (*)(std::uint8_t** data, std::size_t* bytes, std::size_t* most_records);
using CuptiTakeBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* data, std::size_t bytes, std::size_t filled);

struct CuptiActivityFunctions {
  CuptiCode (*subscribe)(void** subscriber, CuptiCallback, void*);
  CuptiCode (*subscribe_v2)(void** subscriber, CuptiCallback, void*, CuptiSubscription*);
  CuptiCode (*unsubscribe)(void* subscriber);
  CuptiCode (*callbacks)(CuptiGiveBuffer, CuptiTakeBuffer);
  CuptiCode (*attribute)(std::int32_t attribute, std::size_t* bytes, void* value);
  CuptiCode (*enable)(std::int32_t kind);
  CuptiCode (*disable)(std::int32_t kind);
  CuptiCode (*enable_v2)(void* subscriber, std::int32_t kind, void* config);  // from 13.2 on, which may lack the former
  CuptiCode (*disable_v2)(void* subscriber, std::int32_t kind, void* config);
  CuptiCode (*driver_call)(std::uint32_t call, std::uint8_t enable);
  CuptiCode (*push)(std::int32_t kind, std::uint64_t id);
  CuptiCode (*pop)(std::int32_t kind, std::uint64_t* last);
  CuptiCode (*flush)(std::uint32_t flag);
  CuptiCode (*next)(std::uint8_t* data, std::size_t bytes, void** record);
  CuptiCode (*dropped)(void* context, std::uint32_t stream, std::size_t* count);
  CuptiCode (*time)(std::uint64_t* ns);
};

}  // namespace fuselab::cuda::abi
