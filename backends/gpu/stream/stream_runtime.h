// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backends/gpu/buffer_table.h"
#include "backends/gpu/stream/ceiling_probes.h"
#include "backends/gpu/stream/device_memory.h"
#include "backends/gpu/stream/sequence_timer.h"
#include "backends/gpu/stream/stream_work.h"
#include "backends/sensors/device_sensors.h"
#include "core/backend/counter_collector.h"
#include "core/backend/device_monitor.h"
#include "core/backend/device_runtime.h"
#include "core/backend/device_tracer.h"

namespace fuselab::gpu::stream {

// Makes the collector of an opened device's counters, with its context current in the calling thread. Asked before the first
// counting; what fails then is why nothing is counted.
using OpenCounters = std::function<Result<std::unique_ptr<CounterCollector>>(abi::Context context, int ordinal,
                                                                             std::function<Status()> synchronize)>;

// Makes what records an opened device over time, in the same way.
using OpenTracer =
    std::function<Result<std::unique_ptr<DeviceTracer>>(abi::Context context, int ordinal, std::function<Status()> synchronize)>;

// An opened device. Buffers lie between zones of a pattern, which synchronize() and release() check; timed work runs as
// replayed graphs between device events. A kernel's fault makes the device useless to the process: `on_lost` is called, and by
// default ends it. Used by the thread that opened it.
class StreamRuntime final : public DeviceRuntime,
                            public CacheControl,
                            public CeilingProbe,
                            public TimerProbe,
                            public DeviceMonitor,
                            public CounterCollector,
                            public DeviceTracer {
 public:
  // `compiler` makes the ceiling probes and must outlive the runtime. Without a loader, the vendor's modules are loaded; without
  // `counters` nothing is counted, without `tracer` nothing is recorded.
  static Result<std::unique_ptr<DeviceRuntime>> open(std::shared_ptr<const Driver> driver, DeviceInfo info, Compiler& compiler,
                                                     OnLost on_lost = end_process, WorkLoader loader = {},
                                                     OpenCounters counters = {}, OpenTracer tracer = {});
  ~StreamRuntime() override;

  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override;
  Status release(const Buffer& buffer) override;
  Status upload(const Buffer& to, std::span<const std::byte> from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override;
  Status synchronize() override;
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override;

  Status flush_caches() override;

  Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) override;
  Result<std::vector<Ceiling>> measure_flops(double seconds) override;
  Result<std::vector<Timing>> time_nothing(int times) override;

  Result<CounterPasses> plan_passes(std::span<const std::string> metrics) override;
  Result<std::vector<Metric>> collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) override;

  Result<DeviceTrace> trace(std::span<const Launch> sequence, int runs) override;
  Result<DeviceSeries> sample_counters(std::span<const Launch> sequence, double run_ns) override;
  Result<DeviceSamples> sample_code(std::span<const Launch> sequence, std::span<const SampledCode> code) override;

  Result<DeviceState> state() override;
  std::string driver_version() override;

  // These are for executables.
  Result<abi::DevicePointer> address_of(const Buffer& buffer);
  Status copy_out(std::span<std::byte> to, abi::DevicePointer from) { return copy_to_host(*context_, *staging_, to, from); }
  void forget(std::uint64_t executable) { timer_->forget(executable); }
  void ran() { buffers_.set_checked(false); }

 private:
  StreamRuntime(DeviceInfo info, Compiler& compiler, WorkLoader loader, OpenCounters counters, OpenTracer tracer)
      : info_(std::move(info)),
        compiler_(compiler),
        loader_(std::move(loader)),
        open_counters_(std::move(counters)),
        open_tracer_(std::move(tracer)),
        sensors_(info_) {}
  auto is_intact() {
    return [this](const DeviceMemory& memory) { return memory.intact(*staging_); };
  }
  void note_free_memory();
  // Keeps the device busy until its clocks have risen: those of an idle device take a moment.
  Status wake();
  Status fill_evictor();
  Result<CeilingProbes*> probes();
  Result<CounterCollector*> counters();
  Result<DeviceTracer*> tracer();
  // Returns what was recorded; fails where a kernel wrote beside a buffer meanwhile.
  template <typename Recorded>
  Result<Recorded> checked(Result<Recorded> recorded);

  DeviceInfo info_;
  Compiler& compiler_;
  WorkLoader loader_;
  OpenCounters open_counters_;
  OpenTracer open_tracer_;
  std::unique_ptr<DeviceContext> context_;  // outlives all that follows
  std::unique_ptr<SequenceTimer> timer_;
  std::optional<PinnedMemory> staging_;
  BufferTable<DeviceMemory> buffers_;
  std::optional<DeviceMemory> evictor_;
  unsigned evictions_ = 0;
  double last_busy_ns_ = 0;
  std::unique_ptr<CeilingProbes> probes_;
  std::unique_ptr<CounterCollector> counters_;
  std::unique_ptr<DeviceTracer> tracer_;
  sensors::DeviceSensors sensors_;
};

}  // namespace fuselab::gpu::stream
