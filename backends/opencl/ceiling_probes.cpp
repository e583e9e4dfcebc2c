// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/ceiling_probes.h"

#include <algorithm>
#include <iterator>

#include "backends/opencl/ceiling_kernels.h"
#include "backends/opencl/queue_timer.h"
#include "core/measure/statistics.h"
#include "core/platform/clock.h"

namespace fuselab::opencl {
namespace {

constexpr int kFewestSamples = 7;
constexpr double kShortestSample = 300'000;  // ns
constexpr std::int64_t kMostRepetitions = 4096;
constexpr std::int64_t kGranule = 1024;
constexpr std::size_t kGroupSizes[] = {64, 256};
constexpr std::size_t kStayingGroups = 8;  // per compute unit
constexpr std::size_t kRateGroup = 64;
constexpr std::size_t kHostCopy = std::size_t{64} << 20;
constexpr abi::Bool kQueuedOnly = 0;
constexpr const char* kOptions = "-cl-std=CL1.2";

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

Status set_memory(const LoadedKernel& kernel, std::size_t index, abi::Memory memory) {
  return kernel.set_argument(index, sizeof(void*), static_cast<const void*>(&memory));
}

}  // namespace

// What one measurement gave: its summary, in amounts per second.
struct CeilingProbes::Rate {
  Summary summary;
  Ceiling row(std::string kind, int reads, int writes, Bytes footprint, std::size_t threads) const {
    return {std::move(kind),           reads,       writes,         false,          footprint,
            static_cast<int>(threads), summary.p90, summary.median, summary.maximum};
  }
  bool operator<(const Rate& other) const { return summary.p90 < other.summary.p90; }
};

// The arrays of one mix.
struct CeilingProbes::Streams {
  int reads, writes;
  std::int64_t each;  // bytes
  std::vector<DeviceMemory> arrays;
  DeviceMemory sink;

  static Result<Streams> create(OpenClContext& context, int reads, int writes, Bytes footprint) {
    FL_TRY(DeviceMemory sink, DeviceMemory::create(context, {kGranule}, Access::kWritten));
    Streams streams{
        reads, writes, std::max(kGranule, footprint.count / (reads + writes) / kGranule * kGranule), {}, std::move(sink)};
    for (int i = 0; i < reads + writes; ++i) {
      FL_TRY(DeviceMemory memory, DeviceMemory::create(context, {streams.each}, i < reads ? Access::kRead : Access::kWritten));
      FL_TRY_VOID(memory.fill(0x3f800000U + static_cast<unsigned>(i)));
      streams.arrays.push_back(std::move(memory));
    }
    return streams;
  }
  double bytes() const { return static_cast<double>(each) * static_cast<double>(arrays.size()); }
};

std::size_t CeilingProbes::units() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, info_.compute_units.value_or(1)));
}

Result<const BuiltProgram*> CeilingProbes::program(const std::string& text) {
  if (auto const known = programs_.find(text); known != programs_.end()) return &known->second;
  FL_TRY(BuiltProgram built, BuiltProgram::of_source(context_, text, kOptions));
  return &programs_.emplace(text, std::move(built)).first->second;
}

Result<CeilingProbes::Rate> CeilingProbes::sample(double amount, double seconds, TimingSource clock, const Queue& queue) {
  const auto measure = [&](std::int64_t repetitions) {
    return time_queued(context_, clock, repetitions, [&](std::int64_t, abi::Event* event) { return queue(event); });
  };
  // The first launch of a group size may compile once more.
  double warm = 1e18;
  for (int i = 0; i < 3; ++i) {
    FL_TRY(Timing const once, measure(1));
    warm = std::min(warm, std::max(once.duration.count, 100.0));
  }
  auto const repetitions = std::clamp(static_cast<std::int64_t>(kShortestSample / warm), std::int64_t{1}, kMostRepetitions);
  std::vector<double> rates;
  double const until = platform::monotonic_now().count + seconds * 1e9;
  while (rates.size() < kFewestSamples || platform::monotonic_now().count < until) {
    FL_TRY(Timing const all, measure(repetitions));
    rates.push_back(amount * static_cast<double>(repetitions) / (std::max(all.duration.count, 1.0) * 1e-9));
  }
  return Rate{summarize(rates)};
}

// The better of one pass of as many groups as there is work for and of groups that stay.
Result<CeilingProbes::Rate> CeilingProbes::stream_rate(const BuiltProgram& program, int width, Streams& streams, std::size_t group,
                                                       double seconds) {
  FL_TRY(LoadedKernel const kernel, LoadedKernel::load(program, "stream_" + std::to_string(width)));
  std::size_t argument = 0;
  for (DeviceMemory& array : streams.arrays) {
    FL_TRY(abi::Memory const memory, array.part(0, streams.each));
    FL_TRY_VOID(set_memory(kernel, argument++, memory));
  }
  FL_TRY(abi::Memory const sink, streams.sink.part(0, kGranule));
  FL_TRY_VOID(set_memory(kernel, argument++, sink));
  std::int64_t const count = streams.each / (std::int64_t{4} * width);
  FL_TRY_VOID(kernel.set_argument(argument, sizeof count, &count));
  auto const passing = static_cast<std::size_t>(ceil_div(count, static_cast<std::int64_t>(group)));
  std::size_t const staying = units() * kStayingGroups;
  Rate best;
  for (std::size_t const groups : {passing, std::min(passing, staying)}) {
    if (groups == passing && best.summary.count > 0) break;  // there are no more
    FL_TRY(Rate const rate,
           sample(streams.bytes(), seconds / 2, clock_, [&](abi::Event* event) { return kernel.launch(groups, group, event); }));
    best = std::max(best, rate);
  }
  return best;
}

Result<CeilingProbes::Rate> CeilingProbes::copy_rate(Streams& streams, double seconds) {
  FL_TRY(abi::Memory const from, streams.arrays.front().part(0, streams.each));
  FL_TRY(abi::Memory const to, streams.arrays.back().part(0, streams.each));
  return sample(2.0 * static_cast<double>(streams.each), seconds, clock_, [&](abi::Event* event) {
    return context_.check(
        context_.calls().copy(context_.queue(), from, to, 0, 0, static_cast<std::size_t>(streams.each), 0, nullptr, event),
        "copying on the device");
  });
}

Result<std::vector<Ceiling>> CeilingProbes::streams(int reads, int writes, Bytes footprint, double seconds) {
  if (reads < 0 || writes < 0 || reads + writes == 0) return invalid_argument("a stream mix needs at least one stream");
  reads = std::min(reads, kMostProbeStreams);
  writes = std::min(writes, kMostProbeStreams);
  FL_TRY(Streams arrays, Streams::create(context_, reads, writes, footprint));
  FL_TRY(const BuiltProgram* const kernels, program(stream_probe_text(reads, writes)));
  double const share = seconds / static_cast<double>(std::size(kGroupSizes) * std::size(kStreamWidths) + 1);
  std::vector<Ceiling> rows;
  std::vector<Rate> rates;
  for (std::size_t const group : kGroupSizes) {
    Rate best;
    for (int const width : kStreamWidths) {
      FL_TRY(Rate const rate, stream_rate(*kernels, width, arrays, group, share));
      best = std::max(best, rate);
    }
    rates.push_back(best);
    rows.push_back(best.row("stream", reads, writes, footprint, group));
  }
  if (reads == 0 || writes == 0) return rows;
  // A ceiling that a copy by the driver beats is none: the best row takes its rate.
  FL_TRY(Rate const copied, copy_rate(arrays, share));
  auto const best = static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
  if (rates[best] < copied) {
    rows[best] = copied.row("stream", reads, writes, footprint, static_cast<std::size_t>(rows[best].threads));
  }
  return rows;
}

// The best of the widths: which of them a device likes is not the question.
Result<CeilingProbes::Rate> CeilingProbes::arithmetic_rate(const std::string& type, double seconds) {
  FL_TRY(const BuiltProgram* const kernels, program(rate_probe_text(type)));
  FL_TRY(DeviceMemory sink, DeviceMemory::create(context_, {kGranule}, Access::kWritten));
  FL_TRY_VOID(sink.fill(0x3f800000U));
  FL_TRY(abi::Memory const memory, sink.part(0, kGranule));
  std::size_t const groups = units() * kStayingGroups;
  Rate best;
  for (int const width : kRateWidths) {
    FL_TRY(LoadedKernel const kernel, LoadedKernel::load(*kernels, "rate_" + std::to_string(width)));
    FL_TRY_VOID(set_memory(kernel, 0, memory));
    double const flops = kRateFlops * width * static_cast<double>(groups * kRateGroup);
    FL_TRY(Rate const rate, sample(flops, seconds / static_cast<double>(std::size(kRateWidths)), clock_,
                                   [&](abi::Event* event) { return kernel.launch(groups, kRateGroup, event); }));
    best = std::max(best, rate);
  }
  return best;
}

Result<CeilingProbes::Rate> CeilingProbes::launch_rate(double seconds) {
  FL_TRY(const BuiltProgram* const kernels, program(rate_probe_text("float")));
  FL_TRY(DeviceMemory sink, DeviceMemory::create(context_, {kGranule}, Access::kWritten));
  FL_TRY(abi::Memory const memory, sink.part(0, kGranule));
  FL_TRY(LoadedKernel const kernel, LoadedKernel::load(*kernels, "nothing"));
  FL_TRY_VOID(set_memory(kernel, 0, memory));
  return sample(1, seconds, clock_, [&](abi::Event* event) { return kernel.launch(1, 1, event); });
}

// By the host's clock, from and to memory that any program has.
Result<CeilingProbes::Rate> CeilingProbes::host_copy_rate(bool to_device, double seconds) {
  std::vector<std::byte> host(kHostCopy, std::byte{1});
  FL_TRY(DeviceMemory device, DeviceMemory::create(context_, {static_cast<std::int64_t>(kHostCopy)}, Access::kWritten));
  FL_TRY(abi::Memory const memory, device.part(0, static_cast<std::int64_t>(kHostCopy)));
  auto const& calls = context_.calls();
  return sample(static_cast<double>(kHostCopy), seconds, TimingSource::kHostWall, [&](abi::Event* event) {
    return context_.check(to_device
                              ? calls.write(context_.queue(), memory, kQueuedOnly, 0, kHostCopy, host.data(), 0, nullptr, event)
                              : calls.read(context_.queue(), memory, kQueuedOnly, 0, kHostCopy, host.data(), 0, nullptr, event),
                          "copying between host and device");
  });
}

Result<std::vector<Ceiling>> CeilingProbes::rates(double seconds) {
  auto const doubles = info_.target.limits.find("f64");
  bool const has_doubles = doubles != info_.target.limits.end() && doubles->second != 0;
  double const share = seconds / (2 + (has_doubles ? 1 : 0) + (info_.unified_memory ? 0 : 2));
  std::vector<Ceiling> rows;
  FL_TRY(Rate const singles, arithmetic_rate("float", share));
  rows.push_back(singles.row("flops", 0, 0, {0}, kRateGroup));
  if (has_doubles) {
    FL_TRY(Rate const rate, arithmetic_rate("double", share));
    rows.push_back(rate.row("flops-f64", 0, 0, {0}, kRateGroup));
  }
  FL_TRY(Rate const launches, launch_rate(share));
  rows.push_back(launches.row("launch", 0, 0, {0}, 1));
  if (info_.unified_memory) return rows;
  for (bool const to_device : {true, false}) {
    FL_TRY(Rate const rate, host_copy_rate(to_device, share));
    rows.push_back(rate.row(to_device ? "host-to-device" : "device-to-host", to_device ? 0 : 1, to_device ? 1 : 0,
                            {static_cast<std::int64_t>(kHostCopy)}, 1));
  }
  return rows;
}

}  // namespace fuselab::opencl
