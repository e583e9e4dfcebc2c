// SPDX-License-Identifier: Apache-2.0
// The stand-in's activity records: each pair of push and pop is a launch of one kernel, which runs for 2 µs behind 500 ns of idle
// time. All are written at the flush, into as many of the caller's buffers as they fill, by a thread of the library's. $FAKE_CUPTI
// says what goes wrong: attached, crash, hang, lost (five records are dropped), untimed, many (20,000 kernels a launch), unjoined,
// late (a copy ends behind the first flush). Without a subscriber no record is read.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "backends/cuda/abi/cupti_activity_abi.h"
#include "tests/support/fake_cupti/fake_cupti.h"

using namespace fuselab::cuda::abi;

namespace {

CuptiGiveBuffer give = nullptr;
CuptiTakeBuffer take = nullptr;
std::vector<std::vector<std::uint8_t>> records;
std::uint64_t now = 1'000'000, pushed = 0;
std::uint32_t correlation = 0;
std::size_t lost = 0;
int kinds = 0;
bool is_subscribed = false;

constexpr std::size_t kKernelBytes = 216;  // of CUPTI 13.0; longer than what a reader knows

std::size_t size_of(std::int32_t kind) {
  switch (kind) {
    case kCuptiKernel: return kKernelBytes;
    case kCuptiMemcpy: return 96;
    case kCuptiMemset: return 88;
    case kCuptiOverhead: return 56;
    case kCuptiExternal: return 24;
    default: return 40;
  }
}

template <typename Record>
void add(const Record& record) {
  std::vector<std::uint8_t> bytes(std::max(sizeof record, size_of(record.kind)));
  std::memcpy(bytes.data(), &record, sizeof record);
  bytes.resize(size_of(record.kind));
  records.push_back(std::move(bytes));
}

void add_kernel() {
  CuptiKernelRecord kernel{};
  kernel.kind = kCuptiKernel;
  kernel.registers = 40;
  kernel.start = is_told("untimed") ? 0 : now + 500;
  kernel.end = is_told("untimed") ? 0 : now + 2500;
  now += 2500;
  kernel.stream = 7;
  for (int i = 0; i < 3; ++i) kernel.grid[i] = kernel.block[i] = 1;
  kernel.grid[0] = 64;
  kernel.block[0] = 256;
  kernel.static_shared = 1024;
  kernel.dynamic_shared = 2048;
  kernel.local = 16;
  kernel.correlation = correlation;
  kernel.name = "fake_kernel";
  add(kernel);
}

void add_copy() {
  CuptiMemcpyRecord copy{};
  copy.kind = kCuptiMemcpy;
  copy.copy = 2;
  copy.bytes = 8192;
  copy.start = now + 1200;
  copy.end = now + 1700;
  copy.stream = 8;
  add(copy);
}

// At the first flush, as some are always under way.
void add_rest() {
  CuptiMemsetRecord set{};
  set.kind = kCuptiMemset;
  set.bytes = 4096;
  set.start = now + 1000;
  set.end = now + 1100;
  set.stream = 7;
  add(set);
  add_copy();
  CuptiOverheadRecord overhead{};
  overhead.kind = kCuptiOverhead;
  overhead.what = 1 << 16;
  overhead.start = now + 1800;
  overhead.end = now + 1850;
  add(overhead);
  now += 2000;
  if (is_told("lost")) lost = 5;
}

CuptiCode subscribed() {
  is_subscribed = true;
  return note("subscribe");
}

void deliver() {
  std::size_t next = 0;
  while (next < records.size()) {
    std::uint8_t* data = nullptr;
    std::size_t bytes = 0, most = 1;
    give(&data, &bytes, &most);
    if (data == nullptr || most != 0 || reinterpret_cast<std::uintptr_t>(data) % 8 != 0) {
      lost += records.size() - next;
      break;
    }
    std::size_t filled = 0;
    for (; next < records.size() && filled + records[next].size() <= bytes; ++next) {
      std::memcpy(data + filled, records[next].data(), records[next].size());
      filled += records[next].size();
    }
    take(&kinds, 7, data, bytes, filled);
  }
  records.clear();
}

}  // namespace

FAKE_API int fake_cupti_kinds() {
  return kinds;
}

#ifdef FAKE_FIRST_SUBSCRIBE
FAKE_API CuptiCode cuptiSubscribe(void** subscriber, CuptiCallback callback, void*) {
  if (callback == nullptr) return 1;
  if (is_told("attached")) return kCuptiOtherProfiler;
  *subscriber = &kinds;
  return subscribed();
}
#else
FAKE_API CuptiCode cuptiSubscribe_v2(void** subscriber, CuptiCallback callback, void*, CuptiSubscription* asked) {
  if (callback == nullptr || asked->size != 32 || std::strcmp(asked->name, "fuselab") != 0) return 1;
  if (is_told("attached")) {
    std::strncpy(asked->other, "Nsight Systems", asked->other_bytes);
    return kCuptiOtherProfiler;
  }
  *subscriber = &kinds;
  return subscribed();
}
#endif

FAKE_API CuptiCode cuptiUnsubscribe(void* subscriber) {
  is_subscribed = false;
  return subscriber == &kinds ? note("unsubscribe") : 1;
}

FAKE_API CuptiCode cuptiActivityRegisterCallbacks(CuptiGiveBuffer give_one, CuptiTakeBuffer take_one) {
  give = give_one;
  take = take_one;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiActivitySetAttribute(std::int32_t attribute, std::size_t* bytes, void*) {
  return attribute == kCuptiBufferBytes && *bytes == sizeof(std::size_t) ? kCuptiSuccess : 1;
}

static CuptiCode enable() {
  if (is_told("crash")) std::raise(SIGSEGV);
  if (is_told("hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  ++kinds;
  return kCuptiSuccess;
}

static CuptiCode disable(std::int32_t kind) {
  if (kind != kCuptiDriverCall) --kinds;
  if (kind == kCuptiMemcpy && is_told("late")) add_copy();
  return kCuptiSuccess;
}

#ifdef FAKE_SECOND_VERSION
FAKE_API CuptiCode cuptiActivityEnable_v2(void* subscriber, std::int32_t, void*) {
  return subscriber == &kinds ? enable() : 1;
}

FAKE_API CuptiCode cuptiActivityDisable_v2(void*, std::int32_t kind, void*) {
  return disable(kind);
}
#else
FAKE_API CuptiCode cuptiActivityEnable(std::int32_t) {
  return enable();
}

FAKE_API CuptiCode cuptiActivityDisable(std::int32_t kind) {
  return disable(kind);
}
#endif

FAKE_API CuptiCode cuptiActivityEnableDriverApi(std::uint32_t, std::uint8_t) {
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiActivityPushExternalCorrelationId(std::int32_t kind, std::uint64_t id) {
  pushed = id;
  return kind == kCuptiCustom0 ? kCuptiSuccess : 1;
}

FAKE_API CuptiCode cuptiActivityPopExternalCorrelationId(std::int32_t, std::uint64_t* last) {
  *last = pushed;
  ++correlation;
  CuptiExternalRecord external{};
  external.kind = kCuptiExternal;
  external.of = kCuptiCustom0;
  external.external = pushed;
  external.correlation = correlation;
  if (!is_told("unjoined")) add(external);
  CuptiCallRecord call{};
  call.kind = kCuptiDriverCall;
  call.call = kCuptiLaunch[0];
  call.start = now;
  call.end = now + 300;
  call.correlation = correlation;
  add(call);
  const int kernels = is_told("many") ? 20'000 : 1;
  for (int i = 0; i < kernels; ++i) add_kernel();
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiActivityFlushAll(std::uint32_t flag) {
  if (kinds > 0) add_rest();
  std::thread(deliver).join();
  return flag == kCuptiFlushForced ? kCuptiSuccess : 1;
}

FAKE_API CuptiCode cuptiActivityGetNextRecord(std::uint8_t* data, std::size_t bytes, void** record) {
  constexpr CuptiCode kNotInitialized = 15;
  if (!is_subscribed) return kNotInitialized;
  auto* const last = static_cast<std::uint8_t*>(*record);
  std::uint8_t* next = data;
  if (last != nullptr) {
    std::int32_t kind = 0;
    std::memcpy(&kind, last, sizeof kind);
    next = last + size_of(kind);
  }
  if (next >= data + bytes) return kCuptiNoMoreRecords;
  *record = next;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* count) {
  *count = lost;
  lost = 0;
  return kCuptiSuccess;
}

FAKE_API CuptiCode cuptiGetTimestamp(std::uint64_t* ns) {
  *ns = now;
  return kCuptiSuccess;
}
