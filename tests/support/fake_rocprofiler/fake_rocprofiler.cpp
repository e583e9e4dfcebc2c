// SPDX-License-Identifier: Apache-2.0
// A library that looks like rocprofiler-sdk 1.0 with one GPU, gfx942 at 0000:c3:00.0. ROCm's runtime tells it of its start and of
// each launch, as the fake HIP library does; a kernel runs for 2 µs behind 500 ns of idle time, and a copy follows the last one.
// $FAKE_ROCPROFILER says what goes wrong: busy (another tool configured it), taken (another tool has the service), old (the kernel
// driver is), denied, crash, hang, version (it is 2.0.0), late (the tool is initialised when ROCm starts), lost (five records are
// dropped), untimed, silent (no record comes), slow (the third flush delivers), short (records of an older version), elsewhere (the
// GPU is at another place), limit (three counters in a pass), failing (a configuration fails), uncounted (no count comes).
#include "tests/support/fake_rocprofiler/fake_rocprofiler.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

using namespace fuselab::hip::abi;

namespace {

RocprofTool* tool = nullptr;
bool has_begun = false, is_beginning = false, hip_has_started = false;
std::uint64_t contexts = 0, now = 1'000'000, pushed = 0, dispatches = 0;
bool is_tracing = false;
RocprofTakeRecords take_records = nullptr;
RocprofTakeCall take_call = nullptr;
void *records_data = nullptr, *call_data = nullptr;
std::vector<RocprofKernelRecord> kernels;
std::vector<RocprofCopyRecord> copies;
std::map<const void*, std::uint64_t> symbols;
int flushes = 0;
std::uint64_t lost = 0;

void misbehave() {
  if (is_told("crash")) std::raise(SIGSEGV);
  if (is_told("hang")) std::this_thread::sleep_for(std::chrono::hours(1));
}

void initialise() {
  if (tool == nullptr || has_begun) return;
  has_begun = is_beginning = true;
  tool->initialize([] {}, tool->data);
  is_beginning = false;
}

void name_kernel(const void* function, const char* name) {
  const auto [found, is_new] = symbols.try_emplace(function, symbols.size() + 100);
  if (!is_new || take_call == nullptr) return;
  RocprofSymbol symbol;
  symbol.size = sizeof symbol + 16;  // of the real one, which has more
  symbol.kernel = found->second;
  symbol.name = name;
  symbol.group_bytes = 1024;
  symbol.registers = 40;
  symbol.accumulators = 24;
  RocprofCall call;
  call.kind = kRocprofCodeObject;
  call.operation = kRocprofKernelSymbol;
  call.phase = kRocprofLoad;
  call.payload = &symbol;
  std::uint64_t user = 0;
  take_call(call, &user, call_data);
}

void launched(const void* function, const char* name, const unsigned* grid, const unsigned* block, unsigned shared) {
  name_kernel(function, name);
  RocprofKernelRecord record;
  record.work.size = is_told("short") ? 32 : sizeof record;
  record.work.kind = kRocprofKernelRecord;
  record.work.correlation.external = pushed;
  record.work.start = is_told("untimed") ? 0 : now + 500;
  record.work.end = is_told("untimed") ? 0 : now + 2500;
  RocprofDispatch& dispatch = record.dispatch;
  dispatch.size = sizeof dispatch;
  dispatch.agent = kGpu;
  dispatch.queue = 7;
  dispatch.kernel = symbols[function];
  dispatch.id = ++dispatches;
  dispatch.private_bytes = 16;
  dispatch.group_bytes = 1024 + shared;
  for (int i = 0; i < 3; ++i) {
    dispatch.group[i] = block[i];
    dispatch.grid[i] = grid[i] * block[i];
  }
  count_dispatch(dispatch, now + 500, now + 2500);
  now += 2500;
  if (!is_tracing || is_told("silent")) return;
  kernels.push_back(record);
  if (is_told("lost")) lost = 5;
}

void deliver() {
  std::vector<RocprofHeader> headers;
  for (RocprofKernelRecord& each : kernels) headers.push_back({kRocprofTracing, kRocprofKernelRecord, &each});
  for (RocprofCopyRecord& each : copies) headers.push_back({kRocprofTracing, kRocprofCopyRecord, &each});
  headers.push_back({3, 1, nullptr});  // of another category
  std::vector<RocprofHeader*> pointers;
  for (RocprofHeader& each : headers) pointers.push_back(&each);
  take_records(kTracingContext, kBuffer, pointers.data(), pointers.size(), records_data, lost);
  lost = 0;
  kernels.clear();
  copies.clear();
}

}  // namespace

bool is_told(const char* trouble) {
  const char* const told = std::getenv("FAKE_ROCPROFILER");
  return told != nullptr && std::strcmp(told, trouble) == 0;
}

bool is_initialising() {
  return is_beginning;
}

// For tests that attach more than once, through dlsym: the real library is configured once in a process.
FAKE_API void fake_rocprofiler_forget() {
  tool = nullptr;
  has_begun = hip_has_started = is_tracing = false;
  contexts = pushed = lost = 0;
  flushes = 0;
  take_records = nullptr;
  take_call = nullptr;
  kernels.clear();
  copies.clear();
  symbols.clear();
  forget_counting();
}

// What ROCm's runtime calls when it starts: here, to learn what it tells of each launch.
FAKE_API int rocprofiler_set_api_table(const char*, std::uint64_t, std::uint64_t, void** tables, std::uint64_t) {
  hip_has_started = true;
  initialise();
  *tables = reinterpret_cast<void*>(&launched);
  return 0;
}

FAKE_API RocprofCode rocprofiler_force_configure(RocprofConfigure configure) {
  if (is_told("busy") || hip_has_started || tool != nullptr) return kRocprofLocked;
  misbehave();
  setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
  // Size, name and handle in one version, name and handle in another: whoever writes to it guesses.
  const std::array<std::uint64_t, 3> before{24, 0, 1};
  auto client = before;
  tool = configure(is_told("version") ? 20000 : 10000, "1.0.0", 0, client.data());
  if (client != before || (tool != nullptr && tool->size != 32)) return 19;
  if (!is_told("late")) initialise();
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_create_context(std::uint64_t* context) {
  *context = ++contexts;
  return is_initialising() ? kRocprofSuccess : kRocprofLocked;
}

FAKE_API RocprofCode rocprofiler_start_context(std::uint64_t context) {
  if (context == kTracingContext) is_tracing = true;
  if (context == kCountingContext) start_counting(true);
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_stop_context(std::uint64_t context) {
  if (context == kTracingContext) is_tracing = false;
  if (context == kCountingContext) start_counting(false);
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_create_buffer(std::uint64_t context, std::size_t bytes, std::size_t watermark, std::int32_t policy,
                                               RocprofTakeRecords take, void* data, std::uint64_t* buffer) {
  take_records = take;
  records_data = data;
  *buffer = kBuffer;
  return context == kTracingContext && watermark < bytes && policy == kRocprofLossless ? kRocprofSuccess : 19;
}

FAKE_API RocprofCode rocprofiler_flush_buffer(std::uint64_t buffer) {
  if (buffer != kBuffer) return 3;
  if (is_told("slow") && ++flushes < 3) return kRocprofSuccess;
  if (is_tracing && !kernels.empty()) {
    RocprofCopyRecord copy;
    copy.work.size = sizeof copy + 16;  // of the real one, which has more
    copy.work.kind = kRocprofCopyRecord;
    copy.work.operation = 3;
    copy.work.start = now + 1000;
    copy.work.end = now + 1600;
    copy.bytes = 8192;
    now += 2000;
    copies.push_back(copy);
  }
  std::thread(deliver).join();
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_configure_buffer_tracing_service(std::uint64_t context, std::int32_t kind, const std::int32_t*,
                                                                  std::size_t, std::uint64_t buffer) {
  if (!is_initialising()) return kRocprofLocked;
  if (is_told("taken")) return 15;
  if (is_told("old")) return 28;
  const bool is_known = kind == kRocprofKernelRecord || kind == kRocprofCopyRecord;
  return context == kTracingContext && buffer == kBuffer && is_known ? kRocprofSuccess : 4;
}

FAKE_API RocprofCode rocprofiler_configure_callback_tracing_service(std::uint64_t context, std::int32_t kind, const std::int32_t*,
                                                                    std::size_t, RocprofTakeCall take, void* data) {
  if (!is_initialising()) return kRocprofLocked;
  take_call = take;
  call_data = data;
  return context == kNamingContext && kind == kRocprofCodeObject ? kRocprofSuccess : 4;
}

FAKE_API RocprofCode rocprofiler_get_thread_id(std::uint64_t* thread) {
  *thread = 11;
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_push_external_correlation_id(std::uint64_t context, std::uint64_t thread, std::uint64_t id) {
  pushed = id;
  return context == kTracingContext && thread == 11 ? kRocprofSuccess : 2;
}

FAKE_API RocprofCode rocprofiler_pop_external_correlation_id(std::uint64_t, std::uint64_t, std::uint64_t* id) {
  *id = pushed;
  pushed = 0;
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_get_timestamp(std::uint64_t* ns) {
  *ns = now;
  return kRocprofSuccess;
}

FAKE_API RocprofCode rocprofiler_query_available_agents(std::int32_t version, RocprofTakeAgents take, std::size_t bytes,
                                                        void* data) {
  RocprofAgent host, gpu;
  host.size = gpu.size = sizeof gpu;
  host.type = 1;
  gpu.id = kGpu;
  gpu.type = kRocprofGpu;
  gpu.simds = 1216;
  gpu.xccs = 8;
  gpu.compute_units = 304;
  gpu.place = is_told("elsewhere") ? 0x0300 : 0xc300;
  gpu.name = "gfx942";
  const void* agents[] = {&host, &gpu};
  return version == kRocprofAgents && bytes == sizeof gpu ? take(version, agents, 2, data) : 18;
}
