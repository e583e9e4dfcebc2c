// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/ceiling_probes.h"

#include <algorithm>

namespace fuselab::gpu::stream {
namespace {

constexpr int kWarmUps = 2;
constexpr std::int64_t kElement = 16;  // bytes that one thread moves at a time
constexpr std::int64_t kGranule = 256;
constexpr unsigned kBlockSizes[] = {256, 512, 1024};
constexpr unsigned kRateThreads = 256, kRateBlocksPerSm = 8;
constexpr std::size_t kHostCopy = std::size_t{64} << 20;

unsigned blocks_for(std::int64_t count, std::int64_t each) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + each - 1) / each, 1, std::int64_t{1} << 30));
}

std::int64_t limit_of(const DeviceInfo& info, const char* name, std::int64_t otherwise) {
  const auto found = info.target.limits.find(name);
  return found == info.target.limits.end() ? otherwise : found->second;
}

}  // namespace

Result<LoadedModule*> CeilingProbes::module(const std::string& text, const std::string& entry) {
  if (const auto known = modules_.find(text); known != modules_.end()) return &known->second;
  if (const Availability usable = compiler_.probe(); !usable.usable) return Error{ErrorCode::kUnavailable, usable.reason};
  SourceModule source;
  source.language = context_.vendor().language;
  source.text = text;
  source.entry = entry;
  FL_TRY(const KernelBinary binary, compiler_.compile(source, info_.target, OptimizationLevel::kO2, {}));
  FL_TRY(LoadedModule loaded, LoadedModule::load(context_, binary));
  return &modules_.emplace(text, std::move(loaded)).first->second;
}

Result<Rate> CeilingProbes::sample(double amount, double seconds, std::uint64_t key, const std::function<Status()>& enqueue) {
  auto rate = sample_rate(amount, seconds, kWarmUps, [&](std::int64_t repetitions) {
    return timer_.time({{key}, 1, enqueue}, static_cast<int>(repetitions));
  });
  timer_.forget(key);
  return rate;
}

Result<Rate> CeilingProbes::sample_eagerly(double amount, double seconds, const std::function<Status()>& enqueue) {
  return sample_rate(amount, seconds, kWarmUps,
                     [&](std::int64_t repetitions) { return timer_.time_eagerly(enqueue, static_cast<int>(repetitions)); });
}

// The better of one pass of as many blocks as there is work for and of blocks that stay.
Result<Rate> CeilingProbes::stream_rate(LoadedModule& module, const StreamProbe& probe, const StreamMix& mix, Streams& streams,
                                        unsigned threads, double seconds) {
  FL_TRY(const abi::Function function, module.function(probe.name()));
  std::vector<abi::DevicePointer> addresses;
  for (const DeviceMemory& array : streams.arrays) addresses.push_back(array.address());
  addresses.push_back(streams.sink.address());
  long long count = mix.each / kElement;
  std::vector<void*> arguments;
  for (abi::DevicePointer& address : addresses) arguments.push_back(&address);
  arguments.push_back(&count);

  LaunchShape shape;
  shape.block[0] = threads;
  const unsigned passing = blocks_for(count, std::int64_t{threads} * probe.unroll);
  const auto staying = static_cast<unsigned>(info_.compute_units.value_or(1) *
                                             std::max<std::int64_t>(1, limit_of(info_, "max_threads_per_sm", 1024) / threads));
  Rate best;
  for (const unsigned blocks : {passing, std::min(passing, staying)}) {
    if (blocks == shape.grid[0] && best.summary.count > 0) break;  // there are no more
    shape.grid[0] = blocks;
    FL_TRY(const Rate rate, sample(mix.bytes(), seconds / 2, reinterpret_cast<std::uintptr_t>(&shape),
                                   [&] { return launch(context_, function, shape, arguments); }));
    best = std::max(best, rate);
  }
  return best;
}

Result<Rate> CeilingProbes::copy_rate(const StreamMix& mix, Streams& streams, double seconds) {
  return sample(2.0 * static_cast<double>(mix.each), seconds, reinterpret_cast<std::uintptr_t>(&streams), [&] {
    return context_.check(context_.calls().copy_on_device(streams.arrays.back().address(), streams.arrays.front().address(),
                                                          static_cast<std::size_t>(mix.each), context_.stream()),
                          "copying on the device");
  });
}

Result<std::vector<Ceiling>> CeilingProbes::streams(int reads, int writes, Bytes footprint, double seconds) {
  FL_TRY(const auto mix, StreamMix::create(reads, writes, footprint, kMostProbeStreams, kGranule));
  FL_TRY(Streams arrays, Streams::create(mix, kGranule, [this](Bytes size) { return memory(size); }));
  const Result<LoadedModule*> kernels =
      module(stream_probe_text(context_.vendor().prelude, mix.reads, mix.writes), kStreamProbes[0].name());
  if (!kernels.ok() && !mix.copies()) return kernels.error().within("without a compiler only copies can be measured");
  std::vector<StreamRow> rows;
  for (const bool evicts : {false, true}) {
    if (!kernels.ok() || (evicts && mix.writes == 0)) break;
    for (const unsigned threads : kBlockSizes) {
      StreamRow& row = rows.emplace_back(StreamRow{threads, evicts, {}});
      for (const StreamProbe& probe : kStreamProbes) {
        if (probe.evict_first != evicts) continue;
        row.variants.push_back(
            [&, threads](double share) { return stream_rate(*kernels.value(), probe, mix, arrays, threads, share); });
      }
    }
  }
  return measure_stream_rows(mix, rows, seconds, [&](double share) { return copy_rate(mix, arrays, share); });
}

Result<Rate> CeilingProbes::launch_rate(abi::Function function, const LaunchShape& shape, double amount, double seconds,
                                        bool eager) {
  FL_TRY(const DeviceMemory sink, memory({kGranule}));
  abi::DevicePointer address = sink.address();
  const auto enqueue = [&] { return launch(context_, function, shape, {&address}); };
  return eager ? sample_eagerly(amount, seconds, enqueue)
               : sample(amount, seconds, reinterpret_cast<std::uintptr_t>(&address), enqueue);
}

Result<Rate> CeilingProbes::host_copy_rate(bool to_device, double seconds) {
  FL_TRY(PinnedMemory host, PinnedMemory::create(context_, kHostCopy));
  FL_TRY(DeviceMemory device, memory({static_cast<std::int64_t>(kHostCopy)}));
  const auto& calls = context_.calls();
  return sample_eagerly(static_cast<double>(kHostCopy), seconds, [&] {
    return context_.check(to_device ? calls.copy_to_device(device.address(), host.data(), kHostCopy, context_.stream())
                                    : calls.copy_to_host(host.data(), device.address(), kHostCopy, context_.stream()),
                          "copying between host and device");
  });
}

Result<std::vector<Ceiling>> CeilingProbes::rates(double seconds) {
  FL_TRY(LoadedModule* const kernels, module(rate_probe_text(context_.vendor().prelude), "rate_f32"));
  const double share = seconds / 6;
  LaunchShape full;
  full.block[0] = kRateThreads;
  full.grid[0] = static_cast<unsigned>(info_.compute_units.value_or(1)) * kRateBlocksPerSm;
  const double flops = kRateFlops * kRateThreads * full.grid[0];
  std::vector<Ceiling> rows;
  constexpr std::pair<const char*, const char*> kArithmetic[] = {{"flops", "rate_f32"}, {"flops-f64", "rate_f64"}};
  for (const auto& [kind, name] : kArithmetic) {
    FL_TRY(const abi::Function function, kernels->function(name));
    FL_TRY(const Rate rate, launch_rate(function, full, flops, share, false));
    rows.push_back(rate.row(kind, 0, 0, false, {0}, kRateThreads));
  }
  FL_TRY(const abi::Function nothing, kernels->function("nothing"));
  for (const bool eager : {false, true}) {
    FL_TRY(const Rate rate, launch_rate(nothing, {}, 1, share, eager));
    rows.push_back(rate.row(eager ? "launch-eager" : "launch", 0, 0, false, {0}, 1));
  }
  FL_TRY(const auto copies, measure_host_copies({static_cast<std::int64_t>(kHostCopy)},
                                                [&](bool to_device) { return host_copy_rate(to_device, share); }));
  rows.insert(rows.end(), copies.begin(), copies.end());
  return rows;
}

}  // namespace fuselab::gpu::stream
