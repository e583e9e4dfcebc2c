// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_activity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "backends/cuda/abi/cupti_activity_abi.h"
#include "core/platform/system/clock.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

// A buffer of records. CUPTI's own threads and the program's fill and return such, at any time: they pass through a list without
// locks, which the recording alone empties.
struct alignas(16) Block {
  Block* next = nullptr;
  void* context = nullptr;
  std::uint32_t stream = 0;
  std::size_t filled = 0;

  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(this + 1); }
};
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr int kMostBlocks = 64;  // what comes then is dropped, and counted
std::atomic<Block*> returned_blocks{nullptr};
std::atomic<int> given_blocks{0};

void give_block(std::uint8_t** data, std::size_t* bytes, std::size_t* most_records) {
  *data = nullptr;
  *bytes = *most_records = 0;
  void* const memory = given_blocks.fetch_add(1) < kMostBlocks
                           ? ::operator new (sizeof(Block) + kBlockBytes, std::align_val_t{alignof(Block)}, std::nothrow)
                           : nullptr;
  if (memory == nullptr) {
    given_blocks.fetch_sub(1);
    return;
  }
  *data = (new (memory) Block)->data();
  *bytes = kBlockBytes;
}

void take_block(void* context, std::uint32_t stream, std::uint8_t* data, std::size_t /*bytes*/, std::size_t filled) {
  if (data == nullptr) return;
  Block* const block = reinterpret_cast<Block*>(data) - 1;
  block->context = context;
  block->stream = stream;
  block->filled = filled;
  block->next = returned_blocks.load();
  while (!returned_blocks.compare_exchange_weak(block->next, block)) {
  }
}

void ignore_callback(void*, std::int32_t, std::uint32_t, const void*) {}

struct CodeName {
  std::int32_t code;
  const char* name;
};
// Source: cupti_activity.h, CUpti_ActivityMemcpyKind and CUpti_ActivityOverheadKind.
constexpr CodeName kCopies[] = {{1, "host to device"}, {2, "device to host"}, {8, "device to device"}, {10, "device to another"}};
constexpr CodeName kOverheads[] = {{1, "compiling in the driver"},        {1 << 16, "emptying CUPTI's buffers"},
                                   {2 << 16, "CUPTI's instrumentation"},  {3 << 16, "CUPTI's resources"},
                                   {4 << 16, "loading a module"},         {5 << 16, "loading a function"},
                                   {6 << 16, "a full queue of launches"}, {7 << 16, "giving CUPTI a buffer"}};

std::string name_of(std::span<const CodeName> names, std::int32_t code, const char* other) {
  const auto found = std::ranges::find(names, code, &CodeName::code);
  return found == names.end() ? other : found->name;
}

bool is_one_of(std::span<const std::uint32_t> calls, std::uint32_t call) {
  return std::ranges::find(calls, call) != calls.end();
}

Result<CuptiActivityFunctions> activity_of(const CuptiLibrary& library) {
  const loading::OpenedLibrary& opened = library.opened();
  CuptiActivityFunctions calls{};
  const loading::Symbol needed[] = {{"cuptiUnsubscribe", slot_of(calls.unsubscribe)},
                                    {"cuptiActivityRegisterCallbacks", slot_of(calls.callbacks)},
                                    {"cuptiActivitySetAttribute", slot_of(calls.attribute)},
                                    {"cuptiActivityPushExternalCorrelationId", slot_of(calls.push)},
                                    {"cuptiActivityPopExternalCorrelationId", slot_of(calls.pop)},
                                    {"cuptiActivityFlushAll", slot_of(calls.flush)},
                                    {"cuptiActivityGetNextRecord", slot_of(calls.next)},
                                    {"cuptiActivityGetNumDroppedRecords", slot_of(calls.dropped)},
                                    {"cuptiGetTimestamp", slot_of(calls.time)}};
  FL_TRY_VOID(loading::resolve(opened, needed));
  const loading::Symbol either[] = {{"cuptiSubscribe", slot_of(calls.subscribe)},
                                    {"cuptiSubscribe_v2", slot_of(calls.subscribe_v2)},
                                    {"cuptiActivityEnable", slot_of(calls.enable)},
                                    {"cuptiActivityDisable", slot_of(calls.disable)},
                                    {"cuptiActivityEnable_v2", slot_of(calls.enable_v2)},
                                    {"cuptiActivityDisable_v2", slot_of(calls.disable_v2)},
                                    {"cuptiActivityEnableDriverApi", slot_of(calls.driver_call)}};
  for (const loading::Symbol& each : either) *each.slot = opened.symbol(each.name);
  if (calls.subscribe == nullptr && calls.subscribe_v2 == nullptr)
    return Error{ErrorCode::kUnavailable, opened.path + " has no function cuptiSubscribe, nor its second version"};
  if ((calls.enable == nullptr || calls.disable == nullptr) && (calls.enable_v2 == nullptr || calls.disable_v2 == nullptr))
    return Error{ErrorCode::kUnavailable, opened.path + " has no function cuptiActivityEnable, nor its second version"};
  return calls;
}

// Spans and what joins them, as the records tell them.
class Records {
 public:
  Records(const CuptiActivityFunctions& calls, std::uint64_t origin, int steps) : calls_(calls), origin_(origin), steps_(steps) {}

  Status take(Block& block) {
    void* record = nullptr;
    CuptiCode code = kCuptiSuccess;
    while ((code = calls_.next(block.data(), block.filled, &record)) == kCuptiSuccess) take(record);
    if (code != kCuptiNoMoreRecords) FL_TRY_VOID(check_cupti(code, "reading a record"));
    return {};
  }

  void finish(DeviceTrace& trace) {
    for (const auto& [index, correlation] : correlations_) {
      const auto found = externals_.find(correlation);
      if (found == externals_.end() || found->second == 0) continue;
      DeviceSpan& span = spans_[index];
      span.run = static_cast<int>((found->second - 1) / static_cast<std::uint64_t>(steps_));
      span.step = static_cast<int>((found->second - 1) % static_cast<std::uint64_t>(steps_));
    }
    std::ranges::stable_sort(spans_, {}, &DeviceSpan::start_ns);
    trace.spans = std::move(spans_);
    trace.untimed = untimed_;
  }

 private:
  template <typename Record>
  const Record& as(const void* record) {
    return *static_cast<const Record*>(record);
  }

  void take(const void* record) {
    switch (*static_cast<const std::int32_t*>(record)) {
      case kCuptiKernel: return take_kernel(as<CuptiKernelRecord>(record));
      case kCuptiMemcpy: return take_copy(as<CuptiMemcpyRecord>(record));
      case kCuptiMemset: return take_memset(as<CuptiMemsetRecord>(record));
      case kCuptiDriverCall: return take_call(as<CuptiCallRecord>(record));
      case kCuptiOverhead: {
        const auto& overhead = as<CuptiOverheadRecord>(record);
        add("overhead", name_of(kOverheads, overhead.what, "overhead of another kind"), overhead.start, overhead.end);
        return;
      }
      case kCuptiExternal: {
        const auto& external = as<CuptiExternalRecord>(record);
        if (external.of == kCuptiCustom0) externals_[external.correlation] = external.external;
        return;
      }
      default: return;
    }
  }

  void take_kernel(const CuptiKernelRecord& kernel) {
    DeviceSpan* const span =
        add("kernel", kernel.name == nullptr ? "" : kernel.name, kernel.start, kernel.end, kernel.correlation, kernel.stream);
    if (span == nullptr) return;
    span->grid.assign(std::begin(kernel.grid), std::end(kernel.grid));
    span->block.assign(std::begin(kernel.block), std::end(kernel.block));
    span->registers = kernel.registers;
    span->static_shared = kernel.static_shared;
    span->dynamic_shared = kernel.dynamic_shared;
    span->local = kernel.local;
  }
  void take_copy(const CuptiMemcpyRecord& copy) {
    DeviceSpan* const span =
        add("copy", name_of(kCopies, copy.copy, "between other places"), copy.start, copy.end, copy.correlation, copy.stream);
    if (span != nullptr) span->bytes = static_cast<std::int64_t>(copy.bytes);
  }
  void take_memset(const CuptiMemsetRecord& set) {
    DeviceSpan* const span = add("memset", "memset", set.start, set.end, set.correlation, set.stream);
    if (span != nullptr) span->bytes = static_cast<std::int64_t>(set.bytes);
  }
  void take_call(const CuptiCallRecord& call) {
    const char* const name = is_one_of(kCuptiLaunch, call.call)        ? "cuLaunchKernel"
                             : is_one_of(kCuptiLaunchEx, call.call)    ? "cuLaunchKernelEx"
                             : is_one_of(kCuptiGraphLaunch, call.call) ? "cuGraphLaunch"
                                                                       : nullptr;
    if (name != nullptr) add("launch", name, call.start, call.end, call.correlation);
  }

  // Returns null for a record without a time.
  DeviceSpan* add(const char* kind, std::string label, std::uint64_t start, std::uint64_t end, std::uint32_t correlation = 0,
                  std::uint32_t stream = 0) {
    if (start == 0 || end < start) {
      ++untimed_;
      return nullptr;
    }
    if (correlation != 0) correlations_.emplace_back(spans_.size(), correlation);
    DeviceSpan& span = spans_.emplace_back();
    span.kind = kind;
    span.label = std::move(label);
    span.start_ns = static_cast<double>(static_cast<std::int64_t>(start - origin_));
    span.duration_ns = static_cast<double>(end - start);
    span.stream = stream;
    return &span;
  }

  const CuptiActivityFunctions& calls_;
  std::uint64_t origin_;
  int steps_;
  std::vector<DeviceSpan> spans_;
  std::vector<std::pair<std::size_t, std::uint32_t>> correlations_;  // of spans
  std::map<std::uint32_t, std::uint64_t> externals_;                 // by correlation
  std::int64_t untimed_ = 0;
};

// A subscription with its kinds of records, ended with the scope.
class Recording {
 public:
  explicit Recording(const CuptiActivityFunctions& calls) : calls_(calls) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    end();
    while (Block* const block = taken()) release(block);
  }

  Status begin() {
    std::array<char, 64> other{};
    CuptiSubscription asked;
    asked.name = "fuselab";
    asked.other = other.data();
    asked.other_bytes = other.size();
    // The second version names the profiler that is attached already.
    const CuptiCode code = calls_.subscribe_v2 != nullptr ? calls_.subscribe_v2(&subscriber_, ignore_callback, nullptr, &asked)
                                                          : calls_.subscribe(&subscriber_, ignore_callback, nullptr);
    if (code == kCuptiOtherProfiler && other.front() != '\0')
      return Error{ErrorCode::kUnavailable,
                   "CUPTI, attaching: another profiler is attached, " + std::string(other.data(), ::strnlen(other.data(), 64))};
    FL_TRY_VOID(check_cupti(code, "attaching"));
    is_attached_ = is_recording_ = true;
    std::size_t bytes = kBlockBytes, size = sizeof bytes;
    calls_.attribute(kCuptiBufferBytes, &size, &bytes);  // without effect on contexts that are there already
    FL_TRY_VOID(check_cupti(calls_.callbacks(give_block, take_block), "giving buffers"));
    for (const std::int32_t kind : {kCuptiExternal, kCuptiKernel, kCuptiMemcpy, kCuptiMemset, kCuptiOverhead})
      FL_TRY_VOID(check_cupti(enable(kind), "recording kind " + std::to_string(kind)));
    if (calls_.driver_call == nullptr) return check_cupti(enable(kCuptiDriverCall), "recording calls");
    for (const auto& pair : {kCuptiLaunch, kCuptiLaunchEx, kCuptiGraphLaunch}) {
      for (const std::uint32_t call : std::span(pair, 2)) calls_.driver_call(call, 1);  // older drivers lack some
    }
    return {};
  }

  // Delivers what was recorded, and ends. Nothing of this process may be under way.
  Status finish(Records& records, std::int64_t& dropped) {
    FL_TRY_VOID(deliver(records, dropped));
    disable();
    FL_TRY_VOID(deliver(records, dropped));  // what was recorded until then
    end();
    return {};
  }

 private:
  // Records are read while the subscription lasts.
  Status deliver(Records& records, std::int64_t& dropped) {
    FL_TRY_VOID(check_cupti(calls_.flush(kCuptiFlushForced), "delivering records"));
    count_dropped(nullptr, 0, dropped);
    while (Block* const block = taken()) {
      const Status read = records.take(*block);
      count_dropped(block->context, block->stream, dropped);
      release(block);
      FL_TRY_VOID(read);
    }
    return {};
  }
  static Block* taken() {
    Block* block = returned_blocks.load();
    while (block != nullptr && !returned_blocks.compare_exchange_weak(block, block->next)) {
    }
    return block;
  }
  static void release(Block* block) {
    block->~Block();
    ::operator delete (block, std::align_val_t{alignof(Block)});
    given_blocks.fetch_sub(1);
  }
  CuptiCode enable(std::int32_t kind) {
    return calls_.enable != nullptr ? calls_.enable(kind) : calls_.enable_v2(subscriber_, kind, nullptr);
  }
  void end() {
    disable();
    if (std::exchange(is_attached_, false)) calls_.unsubscribe(subscriber_);
  }
  void disable() {
    if (!std::exchange(is_recording_, false)) return;
    for (const std::int32_t kind : {kCuptiDriverCall, kCuptiExternal, kCuptiKernel, kCuptiMemcpy, kCuptiMemset, kCuptiOverhead}) {
      if (calls_.disable != nullptr)
        calls_.disable(kind);
      else
        calls_.disable_v2(subscriber_, kind, nullptr);
    }
  }
  void count_dropped(void* context, std::uint32_t stream, std::int64_t& dropped) {
    std::size_t count = 0;  // since the last question about this queue
    if (calls_.dropped(context, stream, &count) == kCuptiSuccess) dropped += static_cast<std::int64_t>(count);
  }

  const CuptiActivityFunctions& calls_;
  void* subscriber_ = nullptr;
  bool is_attached_ = false, is_recording_ = false;
};

}  // namespace

Result<DeviceTrace> record_activity(const CuptiDevice& device, std::span<const Launch> sequence, int runs) {
  FL_TRY(const CuptiActivityFunctions calls, activity_of(device.library));
  Recording recording(calls);
  FL_TRY_VOID(recording.begin());
  DeviceTrace trace;
  trace.profiler = device.library.name() + ", activity records";
  trace.runs = runs;
  std::uint64_t origin = 0;
  FL_TRY_VOID(check_cupti(calls.time(&origin), "the time"));
  trace.origin_ns = platform::monotonic_now().count;
  Status ran;
  std::uint64_t id = 0;
  for (int run = 0; run < runs && ran.ok(); ++run) {
    for (const Launch& launch : sequence) {
      const CuptiCode pushed = calls.push(kCuptiCustom0, ++id);
      if (ran.ok()) ran = launch.executable->enqueue(launch.arguments);
      std::uint64_t last = 0;
      if (pushed == kCuptiSuccess) calls.pop(kCuptiCustom0, &last);
    }
    const Status waited = device.synchronize();
    if (ran.ok()) ran = waited;
  }
  Records records(calls, origin, static_cast<int>(sequence.size()));
  const Status finished = recording.finish(records, trace.dropped);
  FL_TRY_VOID(ran);
  FL_TRY_VOID(finished);
  records.finish(trace);
  return trace;
}

}  // namespace fuselab::cuda
