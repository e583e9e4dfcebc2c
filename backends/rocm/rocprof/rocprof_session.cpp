// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/rocprof/rocprof_session.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace fuselab::hip {
namespace {

using namespace abi;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

RocprofSession* attached = nullptr;  // that the library configures: its call has no other way to it

std::string rocprof_version(std::uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

template <typename Record>
const Record* read_as(const void* payload) {
  const auto* const record = static_cast<const Record*>(payload);
  std::uint64_t size = 0;
  if (payload != nullptr) size = *static_cast<const std::uint64_t*>(payload);
  return size >= sizeof(Record) ? record : nullptr;
}

}  // namespace

Result<std::shared_ptr<RocprofSession>> RocprofSession::attach(const loading::Surroundings& surroundings,
                                                               std::chrono::milliseconds patience) {
  FL_TRY(RocprofLibrary library, RocprofLibrary::open(surroundings));
  std::shared_ptr<RocprofSession> session(new RocprofSession(patience));
  session->library_ = std::move(library);
  ::setenv("ROCPROFILER_REGISTER_LIBRARY", session->library_.path().c_str(), 0);  // ROCm tells this file of its functions
  attached = session.get();
  FL_TRY_VOID(check_rocprof(session->calls().configure(configure), "attaching"));
  FL_TRY_VOID(session->known_version());
  return session;
}

RocprofSession::~RocprofSession() {
  if (attached == this) attached = nullptr;
}

std::string RocprofSession::name() const {
  return "rocprofiler-sdk " + rocprof_version(version_);
}

// Its layout differs between versions, so that the client is left as it is: a name would be for logs alone.
RocprofTool* RocprofSession::configure(std::uint32_t version, const char*, std::uint32_t, void* /*client*/) {
  RocprofSession* const session = attached;
  if (session == nullptr) return nullptr;
  session->version_ = version;
  if (version / 10000 != kRocprofMajor) return nullptr;
  session->tool_.data = session;
  // Now, or when ROCm's runtime starts: that differs between versions.
  session->tool_.initialize = [](void (*)(), void* data) { return static_cast<RocprofSession*>(data)->begin().ok() ? 0 : -1; };
  return &session->tool_;
}

Status RocprofSession::begin() {
  was_begun_ = true;
  const RocprofFunctions& call = calls();
  const auto take_call = [](RocprofCall told, std::uint64_t*, void* data) { static_cast<RocprofSession*>(data)->take(told); };
  const auto take_records = [](std::uint64_t, std::uint64_t, RocprofHeader** records, std::size_t count, void* data,
                               std::uint64_t dropped) {
    auto* const session = static_cast<RocprofSession*>(data);
    for (std::size_t i = 0; i < count; ++i) session->take(*records[i]);
    const std::scoped_lock lock(session->mutex_);
    session->recorded_.dropped += static_cast<std::int64_t>(dropped);
  };
  const auto choose = [](RocprofCounted, std::uint64_t* config, std::uint64_t*, void* data) {
    auto* const session = static_cast<RocprofSession*>(data);
    const std::scoped_lock lock(session->mutex_);
    *config = session->config_;
    ++session->chosen_;
  };
  const auto take_counts = [](RocprofCounted dispatch, RocprofValue* values, std::size_t count, std::uint64_t, void* data) {
    static_cast<RocprofSession*>(data)->take(values, count, dispatch);
  };

  // Each has a context of its own: only what is asked for is on.
  names_ = [&]() -> Status {
    FL_TRY_VOID(check_rocprof(call.create_context(&naming_), "a context"));
    FL_TRY_VOID(check_rocprof(call.call_back(naming_, kRocprofCodeObject, nullptr, 0, take_call, this), "names of kernels"));
    return check_rocprof(call.start(naming_), "names of kernels");
  }();
  traces_ = [&]() -> Status {
    FL_TRY_VOID(check_rocprof(call.create_context(&tracing_), "a context"));
    FL_TRY_VOID(check_rocprof(
        call.create_buffer(tracing_, kBufferBytes, kBufferBytes / 2, kRocprofLossless, take_records, this, &buffer_), "a buffer"));
    FL_TRY_VOID(check_rocprof(call.trace(tracing_, kRocprofKernelRecord, nullptr, 0, buffer_), "recording kernels"));
    return check_rocprof(call.trace(tracing_, kRocprofCopyRecord, nullptr, 0, buffer_), "recording copies");
  }();
  counts_ = [&]() -> Status {
    FL_TRY_VOID(check_rocprof(call.create_context(&counting_), "a context"));
    return check_rocprof(call.count(counting_, choose, this, take_counts, this), "counting");
  }();
  return traces_.ok() || counts_.ok() ? Status() : traces_;
}

void RocprofSession::take(const RocprofCall& call) {
  if (call.kind != kRocprofCodeObject || call.operation != kRocprofKernelSymbol || call.phase != kRocprofLoad) return;
  const auto* const symbol = read_as<RocprofSymbol>(call.payload);
  if (symbol == nullptr) return;
  LoadedKernel kernel;
  kernel.name = symbol->name == nullptr ? "" : symbol->name;
  if (kernel.name.ends_with(".kd")) kernel.name.resize(kernel.name.size() - 3);  // of its descriptor
  kernel.registers = static_cast<int>(symbol->registers + symbol->accumulators);
  kernel.group_bytes = symbol->group_bytes;
  const std::scoped_lock lock(mutex_);
  kernels_[symbol->kernel] = std::move(kernel);
}

void RocprofSession::take(const RocprofHeader& header) {
  if (header.category != kRocprofTracing) return;
  const auto* const work = read_as<RocprofWork>(header.payload);
  if (work == nullptr) return;
  DeviceWork made{work->correlation.external, work->start, work->end, 0, 0, {}};
  if (const auto* const kernel = read_as<RocprofKernelRecord>(header.payload);
      kernel != nullptr && work->kind == kRocprofKernelRecord) {
    made.dispatch = kernel->dispatch;
  } else if (const auto* const copy = read_as<RocprofCopyRecord>(header.payload);
             copy != nullptr && work->kind == kRocprofCopyRecord) {
    made.copy = work->operation;
    made.bytes = static_cast<std::int64_t>(copy->bytes);
  } else {
    return;
  }
  const std::scoped_lock lock(mutex_);
  recorded_.work.push_back(made);
  if (made.id != 0) joined_.insert(made.id);
}

void RocprofSession::take(const RocprofValue* values, std::size_t count, const RocprofCounted& dispatch) {
  std::map<std::uint64_t, AmdCount> found;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t counter = 0;
    if (calls().counter_of(values[i].instance, &counter) != kRocprofSuccess) continue;
    AmdCount& sum = found[counter];
    sum.sum += values[i].value;
    sum.largest = std::max(sum.largest, values[i].value);
  }
  const std::scoped_lock lock(mutex_);
  for (const auto& [counter, sum] : found) {
    counted_.counters[counter].sum += sum.sum;
    counted_.counters[counter].largest += sum.largest;
  }
  counted_.device_ns += static_cast<double>(dispatch.end - dispatch.start);
  ++counted_.kernels;
}

LoadedKernel RocprofSession::kernel(std::uint64_t number) const {
  const std::scoped_lock lock(mutex_);
  const auto found = kernels_.find(number);
  return found == kernels_.end() ? LoadedKernel() : found->second;
}

Status RocprofSession::known_version() const {
  if (version_ == 0 || version_ / 10000 == kRocprofMajor) return {};  // 0: it has yet to tell
  return Error{ErrorCode::kUnavailable, library_.path() + " is " + name() + ", and Fuselab knows version 1"};
}

Status RocprofSession::ready() const {
  FL_TRY_VOID(known_version());
  if (was_begun_) return {};
  return Error{ErrorCode::kUnavailable, "rocprofiler-sdk, attaching: ROCm's runtime did not tell it of its start"};
}

Result<RocprofAgent> RocprofSession::agent_at(const std::string& pci) const {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (std::sscanf(pci.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
    return Error{ErrorCode::kUnavailable, "the device does not tell its place on the PCI bus"};
  struct Search {
    unsigned domain, place;
    RocprofAgent found;
  } search{domain, bus << 8 | device << 3 | function, {}};
  const auto take_agents = [](std::int32_t, const void** agents, std::size_t count, void* data) -> RocprofCode {
    auto& wanted = *static_cast<Search*>(data);
    for (std::size_t i = 0; i < count; ++i) {
      const auto* const agent = read_as<RocprofAgent>(agents[i]);
      constexpr unsigned kPlace = 0xffff;  // above it, the number of a partition
      if (agent == nullptr || agent->type != kRocprofGpu || agent->domain != wanted.domain) continue;
      if ((agent->place & kPlace) == wanted.place && wanted.found.size == 0) wanted.found = *agent;
    }
    return kRocprofSuccess;
  };
  FL_TRY_VOID(check_rocprof(calls().agents(kRocprofAgents, take_agents, sizeof(RocprofAgent), &search), "the list of devices"));
  if (search.found.size == 0) return Error{ErrorCode::kUnavailable, "rocprofiler-sdk sees no GPU at " + pci};
  return search.found;
}

// The library learns of the end of a kernel behind the caller.
bool RocprofSession::waited(const std::function<bool()>& is_there) const {
  const auto until = std::chrono::steady_clock::now() + patience_;
  while (!is_there()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

Status RocprofSession::join(std::uint64_t id, const std::function<Status()>& launch) const {
  std::uint64_t thread = 0;
  FL_TRY_VOID(check_rocprof(calls().thread_id(&thread), "the thread's number"));
  FL_TRY_VOID(check_rocprof(calls().push(tracing_, thread, id), "joining launches"));
  const Status launched = launch();
  std::uint64_t last = 0;
  calls().pop(tracing_, thread, &last);
  return launched;
}

Result<RocprofSession::Recorded> RocprofSession::record(const std::function<Status()>& work, std::size_t launches) {
  FL_TRY_VOID(ready());
  FL_TRY_VOID(traces_);
  {
    const std::scoped_lock lock(mutex_);
    recorded_ = {};
    joined_.clear();
  }
  FL_TRY_VOID(check_rocprof(calls().start(tracing_), "starting a recording"));
  const Status worked = work();
  Status flushed;
  const auto is_complete = [&] {
    const RocprofCode code = calls().flush(buffer_);
    flushed = check_rocprof(code == kRocprofBusy ? kRocprofSuccess : code, "delivering records");
    const std::scoped_lock lock(mutex_);
    return !flushed.ok() || joined_.size() >= launches;
  };
  if (worked.ok()) waited(is_complete);
  const Status stopped = check_rocprof(calls().stop(tracing_), "ending a recording");
  calls().flush(buffer_);  // what was recorded until then
  for (const Status& each : {worked, flushed, stopped}) FL_TRY_VOID(each);
  const std::scoped_lock lock(mutex_);
  if (joined_.size() < launches) recorded_.dropped += static_cast<std::int64_t>(launches - joined_.size());
  return std::move(recorded_);
}

Status RocprofSession::counts() const {
  FL_TRY_VOID(ready());
  return counts_;
}

Result<CountedPass> RocprofSession::count(std::uint64_t config, const std::function<Status()>& work) {
  FL_TRY_VOID(counts());
  {
    const std::scoped_lock lock(mutex_);
    config_ = config;
    chosen_ = 0;
    counted_ = {};
  }
  FL_TRY_VOID(check_rocprof(calls().start(counting_), "starting a pass"));
  const Status worked = work();
  const bool is_complete = worked.ok() && waited([&] {
                             const std::scoped_lock lock(mutex_);
                             return counted_.kernels >= chosen_;
                           });
  const Status stopped = check_rocprof(calls().stop(counting_), "ending a pass");
  for (const Status& each : {worked, stopped}) FL_TRY_VOID(each);
  const std::scoped_lock lock(mutex_);
  if (chosen_ == 0) return Error{ErrorCode::kUnavailable, "rocprofiler-sdk saw no kernel of this process"};
  if (!is_complete)
    return Error{ErrorCode::kUnavailable,
                 "rocprofiler-sdk counted " + std::to_string(counted_.kernels) + " of " + std::to_string(chosen_) + " kernels"};
  return std::move(counted_);
}

}  // namespace fuselab::hip
