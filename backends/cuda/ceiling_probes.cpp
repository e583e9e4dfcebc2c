// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/ceiling_probes.h"

#include <algorithm>
#include <iterator>

#include "core/measure/statistics.h"
#include "core/platform/clock.h"

namespace fuselab::cuda {
namespace {

constexpr int kFewestSamples = 7;
constexpr double kShortestSample = 300'000;  // ns
constexpr int kMostRepetitions = 4096;
constexpr std::int64_t kElement = 16;  // bytes that one thread moves at a time
constexpr std::int64_t kGranule = 256;
constexpr unsigned kBlockSizes[] = {256, 512, 1024};
constexpr unsigned kRateThreads = 256, kRateBlocksPerSm = 8;
constexpr std::size_t kHostCopy = std::size_t{64} << 20;

unsigned blocks_for(std::int64_t count, std::int64_t each) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((count + each - 1) / each, 1, std::int64_t{1} << 30));
}

std::int64_t limit_of(const DeviceInfo& info, const char* name, std::int64_t otherwise) {
  auto const found = info.target.limits.find(name);
  return found == info.target.limits.end() ? otherwise : found->second;
}

}  // namespace

// What one measurement gave: its summary, in amounts per second.
struct CeilingProbes::Rate {
  Summary summary;
  Ceiling row(std::string kind, int reads, int writes, bool evict, Bytes footprint, int threads) const {
    return {std::move(kind), reads, writes, evict, footprint, threads, summary.p90, summary.median, summary.maximum};
  }
  bool operator<(const Rate& other) const { return summary.p90 < other.summary.p90; }
};

// The arrays of one mix.
struct CeilingProbes::Streams {
  int reads, writes;
  std::int64_t each;  // bytes
  std::vector<DeviceMemory> arrays;
  DeviceMemory sink;

  static Result<Streams> create(CudaContext& context, int reads, int writes, Bytes footprint) {
    FL_TRY(DeviceMemory sink, DeviceMemory::create(context, {kGranule}, Access::kWritten));
    Streams streams{
        reads, writes, std::max(kGranule, footprint.count / (reads + writes) / kGranule * kGranule), {}, std::move(sink)};
    for (int i = 0; i < reads + writes; ++i) {
      FL_TRY(DeviceMemory memory, DeviceMemory::create(context, {streams.each}, Access::kWritten));
      FL_TRY_VOID(context.check(context.calls().fill_32(memory.address(), 0x3f800000U + static_cast<unsigned>(i),
                                                        static_cast<std::size_t>(streams.each) / 4, context.stream()),
                                "filling a stream"));
      streams.arrays.push_back(std::move(memory));
    }
    return streams;
  }
  double bytes() const { return static_cast<double>(each) * static_cast<double>(arrays.size()); }
  std::int64_t elements() const { return each / kElement; }
};

Result<LoadedCubin*> CeilingProbes::module(const std::string& text, const std::string& entry) {
  if (auto const known = modules_.find(text); known != modules_.end()) return &known->second;
  if (Availability const usable = compiler_.probe(); !usable.usable) return Error{ErrorCode::kUnavailable, usable.reason};
  SourceModule source;
  source.language = "cuda";
  source.text = text;
  source.entry = entry;
  FL_TRY(KernelBinary const binary, compiler_.compile(source, info_.target, OptimizationLevel::kO2, {}));
  FL_TRY(LoadedCubin loaded, LoadedCubin::load(context_, binary));
  return &modules_.emplace(text, std::move(loaded)).first->second;
}

Result<CeilingProbes::Rate> CeilingProbes::sample(double amount, double seconds, const Measure& measure) const {
  double warm = 1e18;
  for (int i = 0; i < 2; ++i) {
    FL_TRY(Nanoseconds const once, measure(1));
    warm = std::min(warm, std::max(once.count, 100.0));
  }
  int const repetitions = std::clamp(static_cast<int>(kShortestSample / warm), 1, kMostRepetitions);
  std::vector<double> rates;
  double const until = platform::monotonic_now().count + seconds * 1e9;
  while (rates.size() < kFewestSamples || platform::monotonic_now().count < until) {
    FL_TRY(Nanoseconds const all, measure(repetitions));
    rates.push_back(amount * repetitions / (std::max(all.count, 1.0) * 1e-9));
  }
  return Rate{summarize(rates)};
}

// The better of one pass of as many blocks as there is work for and of blocks that stay.
Result<CeilingProbes::Rate> CeilingProbes::stream_rate(LoadedCubin& module, const StreamProbe& probe, Streams& streams,
                                                       unsigned threads, double seconds) {
  FL_TRY(abi::Function const function, module.function(probe.name()));
  std::vector<abi::DevicePointer> addresses;
  for (const DeviceMemory& array : streams.arrays) addresses.push_back(array.address());
  addresses.push_back(streams.sink.address());
  long long count = streams.elements();
  std::vector<void*> arguments;
  for (abi::DevicePointer& address : addresses) arguments.push_back(&address);
  arguments.push_back(&count);

  LaunchShape shape;
  shape.block[0] = threads;
  unsigned const passing = blocks_for(count, std::int64_t{threads} * probe.unroll);
  auto const staying = static_cast<unsigned>(info_.compute_units.value_or(1) *
                                             std::max<std::int64_t>(1, limit_of(info_, "max_threads_per_sm", 1024) / threads));
  Rate best;
  for (unsigned const blocks : {passing, std::min(passing, staying)}) {
    if (blocks == shape.grid[0] && best.summary.count > 0) break;  // there are no more
    shape.grid[0] = blocks;
    auto const enqueue = [&] { return launch(context_, function, shape, arguments); };
    auto const key = reinterpret_cast<std::uintptr_t>(&shape);
    auto const rate = sample(streams.bytes(), seconds / 2, [&](int repetitions) {
      return timer_.time({{key}, 1, enqueue}, repetitions);
    });
    timer_.forget(key);
    if (!rate.ok()) return rate.error();
    best = std::max(best, rate.value());
  }
  return best;
}

Result<CeilingProbes::Rate> CeilingProbes::copy_rate(Streams& streams, double seconds) {
  auto const enqueue = [&] {
    return context_.check(context_.calls().copy_on_device(streams.arrays.back().address(), streams.arrays.front().address(),
                                                          static_cast<std::size_t>(streams.each), context_.stream()),
                          "copying on the device");
  };
  auto const key = reinterpret_cast<std::uintptr_t>(&streams);
  auto rate = sample(2.0 * static_cast<double>(streams.each), seconds, [&](int repetitions) {
    return timer_.time({{key}, 1, enqueue}, repetitions);
  });
  timer_.forget(key);
  return rate;
}

Result<std::vector<Ceiling>> CeilingProbes::streams(int reads, int writes, Bytes footprint, double seconds) {
  if (reads < 0 || writes < 0 || reads + writes == 0) return invalid_argument("a stream mix needs at least one stream");
  reads = std::min(reads, kMostProbeStreams);
  writes = std::min(writes, kMostProbeStreams);
  bool const witnessed = reads > 0 && writes > 0;
  FL_TRY(Streams arrays, Streams::create(context_, reads, writes, footprint));
  Result<LoadedCubin*> const kernels = module(stream_probe_text(reads, writes), kStreamProbes[0].name());
  if (!kernels.ok() && !witnessed) return kernels.error().within("without a compiler only copies can be measured");
  int const kinds = !kernels.ok() ? 0 : writes > 0 ? 2 : 1;
  double const share = seconds / (static_cast<double>(2 * kinds) * std::size(kBlockSizes) + 1);
  std::vector<Ceiling> rows;
  std::vector<Rate> rates;
  for (int kind = 0; kind < kinds; ++kind) {
    for (unsigned const threads : kBlockSizes) {
      Rate best;
      for (const StreamProbe& probe : kStreamProbes) {
        if (probe.evict_first != (kind == 1)) continue;
        FL_TRY(Rate const rate, stream_rate(*kernels.value(), probe, arrays, threads, share));
        best = std::max(best, rate);
      }
      rates.push_back(best);
      rows.push_back(best.row("stream", reads, writes, kind == 1, footprint, static_cast<int>(threads)));
    }
  }
  if (!witnessed) return rows;
  // A ceiling that a copy by the driver beats is none: the best row takes its rate.
  FL_TRY(Rate const copied, copy_rate(arrays, share));
  if (rows.empty()) return std::vector<Ceiling>{copied.row("stream", reads, writes, false, footprint, 1)};
  auto const best = static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
  if (rates[best] < copied) {
    rows[best] = copied.row("stream", reads, writes, rows[best].nontemporal, footprint, rows[best].threads);
  }
  return rows;
}

Result<CeilingProbes::Rate> CeilingProbes::launch_rate(abi::Function function, const LaunchShape& shape, double amount,
                                                       double seconds, bool eager) {
  FL_TRY(DeviceMemory const sink, DeviceMemory::create(context_, {kGranule}, Access::kWritten));
  abi::DevicePointer address = sink.address();
  auto const enqueue = [&] { return launch(context_, function, shape, {&address}); };
  auto const key = reinterpret_cast<std::uintptr_t>(&address);
  auto rate = sample(amount, seconds, [&](int repetitions) {
    return eager ? timer_.time_eagerly(enqueue, repetitions) : timer_.time({{key}, 1, enqueue}, repetitions);
  });
  timer_.forget(key);
  return rate;
}

Result<CeilingProbes::Rate> CeilingProbes::host_copy_rate(bool to_device, double seconds) {
  FL_TRY(PinnedMemory host, PinnedMemory::create(context_, kHostCopy));
  FL_TRY(DeviceMemory device, DeviceMemory::create(context_, {static_cast<std::int64_t>(kHostCopy)}, Access::kWritten));
  auto const& calls = context_.calls();
  auto const enqueue = [&] {
    return context_.check(to_device ? calls.copy_to_device(device.address(), host.data(), kHostCopy, context_.stream())
                                    : calls.copy_to_host(host.data(), device.address(), kHostCopy, context_.stream()),
                          "copying between host and device");
  };
  return sample(static_cast<double>(kHostCopy), seconds,
                [&](int repetitions) { return timer_.time_eagerly(enqueue, repetitions); });
}

Result<std::vector<Ceiling>> CeilingProbes::rates(double seconds) {
  FL_TRY(LoadedCubin* const kernels, module(rate_probe_text(), "rate_f32"));
  double const share = seconds / 6;
  LaunchShape full;
  full.block[0] = kRateThreads;
  full.grid[0] = static_cast<unsigned>(info_.compute_units.value_or(1)) * kRateBlocksPerSm;
  double const flops = kRateFlops * kRateThreads * full.grid[0];
  std::vector<Ceiling> rows;
  constexpr std::pair<const char*, const char*> kArithmetic[] = {{"flops", "rate_f32"}, {"flops-f64", "rate_f64"}};
  for (auto const& [kind, name] : kArithmetic) {
    FL_TRY(abi::Function const function, kernels->function(name));
    FL_TRY(Rate const rate, launch_rate(function, full, flops, share, false));
    rows.push_back(rate.row(kind, 0, 0, false, {0}, static_cast<int>(kRateThreads)));
  }
  FL_TRY(abi::Function const nothing, kernels->function("nothing"));
  for (bool const eager : {false, true}) {
    FL_TRY(Rate const rate, launch_rate(nothing, {}, 1, share, eager));
    rows.push_back(rate.row(eager ? "launch-eager" : "launch", 0, 0, false, {0}, 1));
  }
  for (bool const to_device : {true, false}) {
    FL_TRY(Rate const rate, host_copy_rate(to_device, share));
    rows.push_back(rate.row(to_device ? "host-to-device" : "device-to-host", to_device ? 0 : 1, to_device ? 1 : 0, false,
                            {static_cast<std::int64_t>(kHostCopy)}, 1));
  }
  return rows;
}

}  // namespace fuselab::cuda
