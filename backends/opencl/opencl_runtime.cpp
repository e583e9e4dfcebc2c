// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_runtime.h"

#include <algorithm>
#include <set>

#include "backends/opencl/opencl_executable.h"
#include "backends/opencl/queue_timer.h"
#include "backends/sensors/device_sensors.h"
#include "core/backend/last_cache.h"

namespace fuselab::opencl {
namespace {

constexpr std::int64_t kDefaultCache = std::int64_t{64} << 20;
constexpr std::size_t kEvictorGroup = 64;

// Every compute unit takes part, because the caches next to it are its own: each work-item writes one line.
constexpr const char* kEvictorText = R"(
__kernel void evict(__global uint* lines) {
  lines[get_global_id(0) * 16] += 1;
}
)";

class MonitoredRuntime final : public OpenClRuntime, public DeviceMonitor {
 public:
  explicit MonitoredRuntime(const DeviceInfo& info) : OpenClRuntime(info), sensors_(info) {}
  Result<DeviceState> state() override { return sensors_.state(); }
  std::string driver_version() override { return sensors_.driver_version(); }

 private:
  sensors::DeviceSensors sensors_;
};

}  // namespace

struct OpenClRuntime::Evictor {
  BuiltProgram program;
  LoadedKernel kernel;
  DeviceMemory memory;
  std::size_t groups;
};

void OpenClRuntime::EvictorDeleter::operator()(Evictor* evictor) const {
  delete evictor;
}

// A processor's work is timed like the cpu backend's, so that the two compare: handing the work over lies inside both.
TimingSource clock_of(const DeviceInfo& info) {
  return info.type == "cpu" ? TimingSource::kHostWall : TimingSource::kDeviceEvents;
}

Result<std::unique_ptr<DeviceRuntime>> OpenClRuntime::open(std::shared_ptr<const OpenClLibrary> library, const OpenClDevice& device,
                                                           OnLost on_lost) {
  const bool monitored = sensors::are_read_of(device.info);
  std::unique_ptr<OpenClRuntime> runtime(monitored ? new MonitoredRuntime(device.info) : new OpenClRuntime(device.info));
  FL_TRY(runtime->context_, OpenClContext::open(std::move(library), device.handle, device.info.id, std::move(on_lost)));
  return std::unique_ptr<DeviceRuntime>(std::move(runtime));
}

// Drivers promise no more than this, and some take memory only when it is used, too late to say no.
Status OpenClRuntime::room_for(Bytes size) const {
  const auto most = info_.target.limits.find("max_allocation_bytes");
  if (most != info_.target.limits.end() && size.count > most->second) {
    return Error{ErrorCode::kOutOfMemory,
                 info_.id + " gives no buffer of " + format_bytes(size) + ", only up to " + format_bytes({most->second})};
  }
  if (info_.total_memory_bytes && buffers_.bytes() > *info_.total_memory_bytes - size.count) {
    return Error{ErrorCode::kOutOfMemory, info_.id + " has " + format_bytes({*info_.total_memory_bytes}) + ", " +
                                              format_bytes({buffers_.bytes()}) + " of it in use: no room for " +
                                              format_bytes(size)};
  }
  return {};
}

Result<Buffer> OpenClRuntime::allocate(Bytes size, BufferRole role) {
  FL_TRY_VOID(room_for(size));
  FL_TRY(DeviceMemory memory, DeviceMemory::create(*context_, size, gpu::access_of(role)));
  return buffers_.add(std::move(memory), role);
}

Status OpenClRuntime::release(const Buffer& buffer) {
  return buffers_.remove(buffer, &DeviceMemory::intact);
}

Result<abi::Memory> OpenClRuntime::memory_of(const Buffer& buffer) {
  FL_TRY(const auto place, buffers_.find(buffer, info_.id));
  return place.memory.part(place.offset, buffer.size.count);
}

Status OpenClRuntime::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(const auto place, buffers_.find_for_upload(to, from, info_.id));
  return place.memory.write(place.offset, from);
}

Status OpenClRuntime::download(std::span<std::byte> to, const Buffer& from) {
  FL_TRY(const auto place, buffers_.find_for_download(to, from, info_.id));
  return place.memory.read(to, place.offset);
}

Result<std::unique_ptr<Executable>> OpenClRuntime::load(const CompiledKernel& kernel) {
  FL_TRY(std::unique_ptr<OpenClExecutable> executable, OpenClExecutable::load(*this, kernel));
  return std::unique_ptr<Executable>(std::move(executable));
}

Status OpenClRuntime::synchronize() {
  FL_TRY_VOID(context_->finish("running a kernel"));
  if (buffers_.checked()) return {};
  buffers_.set_checked(true);  // damage is told once
  return buffers_.check(&DeviceMemory::intact);
}

Result<Timing> OpenClRuntime::time(std::span<const Launch> sequence, int repetitions) {
  if (repetitions < 1) return invalid_argument("what is timed runs at least once");
  if (sequence.empty()) return invalid_argument("nothing is to be timed");
  std::set<const Executable*> kernels;
  std::vector<std::vector<abi::Memory>> places;
  for (const Launch& step : sequence) {
    auto& executable = static_cast<OpenClExecutable&>(*step.executable);
    FL_TRY(std::vector<abi::Memory> located, executable.locate(step.arguments));
    FL_TRY_VOID(executable.bind(located));
    places.push_back(std::move(located));
    kernels.insert(step.executable);
  }
  // A kernel that stands in the sequence twice has one set of arguments at a time.
  const bool bound = kernels.size() == sequence.size();
  const auto steps = static_cast<std::int64_t>(sequence.size());
  return time_queued(*context_, clock_of(info_), steps * repetitions, [&](std::int64_t index, abi::Event* event) -> Status {
    const auto step = static_cast<std::size_t>(index % steps);
    auto& executable = static_cast<OpenClExecutable&>(*sequence[step].executable);
    if (!bound) FL_TRY_VOID(executable.bind(places[step]));
    return executable.launch(event);
  });
}

Result<std::vector<Timing>> OpenClRuntime::time_nothing(int times) {
  if (clock_of(info_) == TimingSource::kDeviceEvents)
    return Error{ErrorCode::kUnsupported, "OpenCL's events time launches, never nothing"};
  std::vector<Timing> timings;
  for (int i = 0; i < times; ++i) {
    FL_TRY(const Timing timing, time_queued(*context_, TimingSource::kHostWall, 0, nullptr));
    timings.push_back(timing);
  }
  return timings;
}

CeilingProbes& OpenClRuntime::probes() {
  if (probes_ == nullptr) probes_ = std::make_unique<CeilingProbes>(*context_, info_, clock_of(info_));
  return *probes_;
}

Result<std::vector<Ceiling>> OpenClRuntime::measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) {
  return probes().streams(read_streams, write_streams, footprint, seconds);
}

Result<std::vector<Ceiling>> OpenClRuntime::measure_flops(double seconds) {
  return probes().rates(seconds);
}

Status OpenClRuntime::make_evictor() {
  const std::int64_t cache = last_cache_bytes(info_);
  constexpr std::int64_t kBytesOfGroup = 64 * kEvictorGroup;
  const std::int64_t groups = 4 * (cache > 0 ? cache : kDefaultCache) / kBytesOfGroup;
  FL_TRY(DeviceMemory memory, DeviceMemory::create(*context_, {groups * kBytesOfGroup}, Access::kWritten));
  FL_TRY_VOID(memory.fill(0));
  FL_TRY(BuiltProgram program, BuiltProgram::of_source(*context_, kEvictorText, ""));
  FL_TRY(LoadedKernel kernel, LoadedKernel::load(program, "evict"));
  FL_TRY(const abi::Memory lines, memory.part(0, memory.size().count));
  FL_TRY_VOID(kernel.set_argument(0, sizeof(void*), static_cast<const void*>(&lines)));
  evictor_.reset(new Evictor{std::move(program), std::move(kernel), std::move(memory), static_cast<std::size_t>(groups)});
  return {};
}

Status OpenClRuntime::flush_caches() {
  if (evictor_ == nullptr) FL_TRY_VOID(make_evictor());
  FL_TRY_VOID(evictor_->kernel.launch({{evictor_->groups, 1, 1}, {kEvictorGroup, 1, 1}}));
  // A caller that looks into the host's caches when this returns must not find them half full; timings wait for the queue in any
  // case.
  return clock_of(info_) == TimingSource::kHostWall ? context_->finish("emptying the caches") : Status();
}

}  // namespace fuselab::opencl
