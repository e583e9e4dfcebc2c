// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What Fuselab uses of rocprofiler-sdk, declared by hand (decision 0008). Values and layouts of version 1, fwd.h, registration.h,
// agent.h, buffer.h, buffer_tracing.h, callback_tracing.h, counters.h and dispatch_counting_service.h. Identifiers are structures
// of one 64-bit number, which the calling convention passes as that number. Every record begins with its size: newer versions
// append.
namespace fuselab::hip::abi {

using RocprofCode = std::int32_t;
inline constexpr RocprofCode kRocprofSuccess = 0, kRocprofBusy = 14, kRocprofLocked = 16, kRocprofTooMany = 38;
inline constexpr std::uint32_t kRocprofMajor = 1;  // versions are 10,000 × major + 100 × minor + patch

inline constexpr std::uint32_t kRocprofTracing = 1;                                // category of a record
inline constexpr std::int32_t kRocprofCopyRecord = 10, kRocprofKernelRecord = 11;  // kinds of buffered records
inline constexpr std::int32_t kRocprofCodeObject = 10, kRocprofKernelSymbol = 2;   // kind of calls back, and its operation
inline constexpr std::int32_t kRocprofLoad = 1;                                    // phase
inline constexpr std::int32_t kRocprofLossless = 2;                                // a full buffer waits
inline constexpr std::int32_t kRocprofAgents = 1, kRocprofCounterInfo = 1;         // versions of structures
inline constexpr std::int32_t kRocprofGpu = 2;                                     // type of an agent

struct RocprofAgent {
  std::uint64_t size = 0;
  std::uint64_t id = 0;
  std::int32_t type = 0;
  std::uint32_t cpu_cores = 0;
  std::uint32_t simds = 0;
  std::uint32_t unread[10] = {};
  std::uint32_t xccs = 0;
  std::uint32_t compute_units = 0;
  std::uint32_t unread2[8] = {};
  std::uint32_t place = 0;   // bus, 5 bits of device, 3 of function
  std::uint32_t domain = 0;  // of PCI
  std::uint32_t unread3[33] = {};
  const char* name = nullptr;  // "gfx942"
  const char* unread4[3] = {};
  std::uint32_t unread5[8] = {};
};
static_assert(sizeof(RocprofAgent) == 312 && offsetof(RocprofAgent, simds) == 24 && offsetof(RocprofAgent, xccs) == 68 &&
              offsetof(RocprofAgent, place) == 108 && offsetof(RocprofAgent, name) == 248);

struct RocprofDispatch {
  std::uint64_t size = 0;
  std::uint64_t agent = 0, queue = 0, kernel = 0, id = 0;
  std::uint32_t private_bytes = 0, group_bytes = 0;  // of a work-item, of a work-group
  std::uint32_t group[3] = {}, grid[3] = {};         // in work-items
  std::uint8_t reserved[56] = {};
};
static_assert(sizeof(RocprofDispatch) == 128 && offsetof(RocprofDispatch, grid) == 60);

struct RocprofCorrelation {
  std::uint64_t internal = 0, external = 0;
};

// A buffered record of a kernel or a copy: both begin so.
struct RocprofWork {
  std::uint64_t size = 0;
  std::int32_t kind = 0, operation = 0;  // of a copy: its direction
  RocprofCorrelation correlation;
  std::uint64_t thread = 0, start = 0, end = 0;  // ns
};
struct RocprofKernelRecord {
  RocprofWork work;
  RocprofDispatch dispatch;
};
static_assert(sizeof(RocprofKernelRecord) == 184);
struct RocprofCopyRecord {
  RocprofWork work;
  std::uint64_t to_agent = 0, from_agent = 0, bytes = 0;
};
static_assert(sizeof(RocprofCopyRecord) == 80);

struct RocprofHeader {
  std::uint32_t category = 0, kind = 0;
  void* payload = nullptr;
};

struct RocprofSymbol {
  std::uint64_t size = 0;
  std::uint64_t kernel = 0, code_object = 0;
  const char* name = nullptr;
  std::uint64_t object = 0;
  std::uint32_t argument_bytes = 0, argument_alignment = 0, group_bytes = 0, private_bytes = 0;
  std::uint32_t scalar_registers = 0, registers = 0, accumulators = 0;
};
static_assert(sizeof(RocprofSymbol) == 72 && offsetof(RocprofSymbol, registers) == 60);

struct RocprofCall {
  std::uint64_t context = 0, thread = 0;
  std::uint64_t correlation[3] = {};
  std::int32_t kind = 0, operation = 0, phase = 0;
  void* payload = nullptr;
};
static_assert(sizeof(RocprofCall) == 64);

struct RocprofCounted {
  std::uint64_t size = 0;
  RocprofCorrelation correlation;
  std::uint64_t start = 0, end = 0;  // ns
  RocprofDispatch dispatch;
};
static_assert(sizeof(RocprofCounted) == 168);
// One counter of one part of the device: an instance.
struct RocprofValue {
  std::uint64_t instance = 0;
  double value = 0;
  std::uint64_t dispatch = 0, user = 0, agent = 0;
};
struct RocprofCounterInfo {
  std::uint64_t id = 0;
  const char* name = nullptr;
  const char* description = nullptr;
  const char* block = nullptr;
  const char* expression = nullptr;
  std::uint64_t flags = 0;
};

struct RocprofTool {
  std::size_t size = sizeof(RocprofTool);
  int (*initialize)(void (*end)(), void* data) = nullptr;  // end takes the client, whose layout differs between versions
  void (*finalize)(void* data) = nullptr;
  void* data = nullptr;
};
using RocprofConfigure = RocprofTool* (*)(std::uint32_t version, const char* words, std::uint32_t priority, void* client);
using RocprofTakeRecords = void (*)(std::uint64_t context, std::uint64_t buffer, RocprofHeader** records, std::size_t count,
                                    void* data, std::uint64_t dropped);
using RocprofTakeCall = void (*)(RocprofCall call, std::uint64_t* user, void* data);
using RocprofTakeAgents = RocprofCode (*)(std::int32_t version, const void** agents, std::size_t count, void* data);
using RocprofTakeCounters = RocprofCode (*)(std::uint64_t agent, std::uint64_t* counters, std::size_t count, void* data);
using RocprofChoose = void (*)(RocprofCounted dispatch, std::uint64_t* config, std::uint64_t* user, void* data);
using RocprofTakeCounts = void (*)(RocprofCounted dispatch, RocprofValue* values, std::size_t count, std::uint64_t user,
                                   void* data);

struct RocprofFunctions {
  RocprofCode (*configure)(RocprofConfigure);
  RocprofCode (*create_context)(std::uint64_t* context);
  RocprofCode (*start)(std::uint64_t context);
  RocprofCode (*stop)(std::uint64_t context);
  RocprofCode (*create_buffer)(std::uint64_t context, std::size_t bytes, std::size_t watermark, std::int32_t policy,
                               RocprofTakeRecords, void* data, std::uint64_t* buffer);
  RocprofCode (*flush)(std::uint64_t buffer);
  RocprofCode (*trace)(std::uint64_t context, std::int32_t kind, const std::int32_t* operations, std::size_t count,
                       std::uint64_t buffer);
  RocprofCode (*call_back)(std::uint64_t context, std::int32_t kind, const std::int32_t* operations, std::size_t count,
                           RocprofTakeCall, void* data);
  RocprofCode (*thread_id)(std::uint64_t* thread);
  RocprofCode (*push)(std::uint64_t context, std::uint64_t thread, std::uint64_t id);
  RocprofCode (*pop)(std::uint64_t context, std::uint64_t thread, std::uint64_t* id);
  RocprofCode (*time)(std::uint64_t* ns);
  RocprofCode (*agents)(std::int32_t version, RocprofTakeAgents, std::size_t bytes, void* data);
  RocprofCode (*counters)(std::uint64_t agent, RocprofTakeCounters, void* data);
  RocprofCode (*counter_info)(std::uint64_t counter, std::int32_t version, void* info);
  RocprofCode (*create_config)(std::uint64_t agent, std::uint64_t* counters, std::size_t count, std::uint64_t* config);
  RocprofCode (*count)(std::uint64_t context, RocprofChoose, void* choose_data, RocprofTakeCounts, void* take_data);
  RocprofCode (*counter_of)(std::uint64_t instance, std::uint64_t* counter);
};

}  // namespace fuselab::hip::abi
