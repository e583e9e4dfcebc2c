// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/ceiling_probes.h"

#include <algorithm>
#include <iterator>

#include "backends/opencl/ceiling_kernels.h"
#include "backends/opencl/queue_timer.h"

namespace fuselab::opencl {
namespace {

constexpr int kWarmUps = 3;  // the first launch of a group size may compile once more
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

std::size_t CeilingProbes::units() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, info_.compute_units.value_or(1)));
}

Result<const BuiltProgram*> CeilingProbes::program(const std::string& text) {
  if (const auto known = programs_.find(text); known != programs_.end()) return &known->second;
  FL_TRY(BuiltProgram built, BuiltProgram::of_source(context_, text, kOptions));
  return &programs_.emplace(text, std::move(built)).first->second;
}

Result<gpu::Rate> CeilingProbes::sample(double amount, double seconds, TimingSource clock, const Queue& queue) {
  return gpu::sample_rate(amount, seconds, kWarmUps, [&](std::int64_t repetitions) -> Result<Nanoseconds> {
    FL_TRY(const Timing all,
           time_queued(context_, clock, repetitions, [&](std::int64_t, abi::Event* event) { return queue(event); }));
    return all.duration;
  });
}

// The better of one pass of as many groups as there is work for and of groups that stay.
Result<gpu::Rate> CeilingProbes::stream_rate(const BuiltProgram& program, int width, const gpu::StreamMix& mix, Streams& streams,
                                             std::size_t group, double seconds) {
  FL_TRY(const LoadedKernel kernel, LoadedKernel::load(program, "stream_" + std::to_string(width)));
  std::size_t argument = 0;
  for (DeviceMemory& array : streams.arrays) {
    FL_TRY(const abi::Memory lines, array.part(0, mix.each));
    FL_TRY_VOID(set_memory(kernel, argument++, lines));
  }
  FL_TRY(const abi::Memory sink, streams.sink.part(0, kGranule));
  FL_TRY_VOID(set_memory(kernel, argument++, sink));
  const std::int64_t count = mix.each / (std::int64_t{4} * width);
  FL_TRY_VOID(kernel.set_argument(argument, sizeof count, &count));
  const auto passing = static_cast<std::size_t>(ceil_div(count, static_cast<std::int64_t>(group)));
  const std::size_t staying = units() * kStayingGroups;
  Rate best;
  for (const std::size_t groups : {passing, std::min(passing, staying)}) {
    if (groups == passing && best.summary.count > 0) break;  // there are no more
    FL_TRY(const Rate rate, sample(mix.bytes(), seconds / 2, clock_, [&](abi::Event* event) {
             return kernel.launch({{groups, 1, 1}, {group, 1, 1}}, event);
           }));
    best = std::max(best, rate);
  }
  return best;
}

Result<gpu::Rate> CeilingProbes::copy_rate(const gpu::StreamMix& mix, Streams& streams, double seconds) {
  FL_TRY(const abi::Memory from, streams.arrays.front().part(0, mix.each));
  FL_TRY(const abi::Memory to, streams.arrays.back().part(0, mix.each));
  return sample(2.0 * static_cast<double>(mix.each), seconds, clock_, [&](abi::Event* event) {
    return context_.check(
        context_.calls().copy(context_.queue(), from, to, 0, 0, static_cast<std::size_t>(mix.each), 0, nullptr, event),
        "copying on the device");
  });
}

Result<std::vector<Ceiling>> CeilingProbes::streams(int reads, int writes, Bytes footprint, double seconds) {
  FL_TRY(const auto mix, gpu::StreamMix::create(reads, writes, footprint, kMostProbeStreams, kGranule));
  FL_TRY(Streams arrays, Streams::create(mix, kGranule, [this](Bytes size) { return memory(size); }));
  FL_TRY(const BuiltProgram* const kernels, program(stream_probe_text(mix.reads, mix.writes)));
  std::vector<gpu::StreamRow> rows;
  for (const std::size_t group : kGroupSizes) {
    gpu::StreamRow& row = rows.emplace_back(gpu::StreamRow{group, false, {}});
    for (const int width : kStreamWidths) {
      row.variants.push_back([&, width, group](double share) { return stream_rate(*kernels, width, mix, arrays, group, share); });
    }
  }
  return gpu::measure_stream_rows(mix, rows, seconds, [&](double share) { return copy_rate(mix, arrays, share); });
}

// The best of the widths: which of them a device likes is not the question.
Result<gpu::Rate> CeilingProbes::arithmetic_rate(const std::string& type, double seconds) {
  FL_TRY(const BuiltProgram* const kernels, program(rate_probe_text(type)));
  FL_TRY(DeviceMemory sink, memory({kGranule}));
  FL_TRY_VOID(sink.fill(0x3f800000U));
  FL_TRY(const abi::Memory lines, sink.part(0, kGranule));
  const std::size_t groups = units() * kStayingGroups;
  Rate best;
  for (const int width : kRateWidths) {
    FL_TRY(const LoadedKernel kernel, LoadedKernel::load(*kernels, "rate_" + std::to_string(width)));
    FL_TRY_VOID(set_memory(kernel, 0, lines));
    const double flops = kRateFlops * width * static_cast<double>(groups * kRateGroup);
    FL_TRY(const Rate rate, sample(flops, seconds / static_cast<double>(std::size(kRateWidths)), clock_, [&](abi::Event* event) {
             return kernel.launch({{groups, 1, 1}, {kRateGroup, 1, 1}}, event);
           }));
    best = std::max(best, rate);
  }
  return best;
}

Result<gpu::Rate> CeilingProbes::launch_rate(double seconds) {
  FL_TRY(const BuiltProgram* const kernels, program(rate_probe_text("float")));
  FL_TRY(DeviceMemory sink, memory({kGranule}));
  FL_TRY(const abi::Memory lines, sink.part(0, kGranule));
  FL_TRY(const LoadedKernel kernel, LoadedKernel::load(*kernels, "nothing"));
  FL_TRY_VOID(set_memory(kernel, 0, lines));
  return sample(1, seconds, clock_, [&](abi::Event* event) { return kernel.launch({}, event); });
}

// Measures by the host's clock, from and to memory that any program has.
Result<gpu::Rate> CeilingProbes::host_copy_rate(bool to_device, double seconds) {
  std::vector<std::byte> host(kHostCopy, std::byte{1});
  FL_TRY(DeviceMemory device, memory({static_cast<std::int64_t>(kHostCopy)}));
  FL_TRY(const abi::Memory lines, device.part(0, static_cast<std::int64_t>(kHostCopy)));
  const auto& calls = context_.calls();
  return sample(static_cast<double>(kHostCopy), seconds, TimingSource::kHostWall, [&](abi::Event* event) {
    return context_.check(to_device
                              ? calls.write(context_.queue(), lines, kQueuedOnly, 0, kHostCopy, host.data(), 0, nullptr, event)
                              : calls.read(context_.queue(), lines, kQueuedOnly, 0, kHostCopy, host.data(), 0, nullptr, event),
                          "copying between host and device");
  });
}

Result<std::vector<Ceiling>> CeilingProbes::rates(double seconds) {
  const auto doubles = info_.target.limits.find("f64");
  const bool has_doubles = doubles != info_.target.limits.end() && doubles->second != 0;
  const double share = seconds / (2 + (has_doubles ? 1 : 0) + (info_.unified_memory ? 0 : 2));
  std::vector<Ceiling> rows;
  FL_TRY(const Rate singles, arithmetic_rate("float", share));
  rows.push_back(singles.row("flops", 0, 0, false, {0}, kRateGroup));
  if (has_doubles) {
    FL_TRY(const Rate rate, arithmetic_rate("double", share));
    rows.push_back(rate.row("flops-f64", 0, 0, false, {0}, kRateGroup));
  }
  FL_TRY(const Rate launches, launch_rate(share));
  rows.push_back(launches.row("launch", 0, 0, false, {0}, 1));
  if (info_.unified_memory) return rows;
  FL_TRY(const auto copies, gpu::measure_host_copies({static_cast<std::int64_t>(kHostCopy)},
                                                     [&](bool to_device) { return host_copy_rate(to_device, share); }));
  rows.insert(rows.end(), copies.begin(), copies.end());
  return rows;
}

}  // namespace fuselab::opencl
