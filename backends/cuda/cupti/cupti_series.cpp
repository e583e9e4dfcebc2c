// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_series.h"

#include <algorithm>
#include <cmath>

#include "backends/cuda/abi/cupti_sampling_abi.h"
#include "backends/cuda/cupti/cupti_planner.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr double kLeastInterval = 5'000, kMostInterval = 1e6;  // ns
constexpr double kWantedSamples = 200;
constexpr int kMostRuns = 64;
constexpr std::uint32_t kMostSamples = 4096;
constexpr std::size_t kBufferBytes = std::size_t{64} << 20;

Result<CuptiSeriesFunctions> series_functions_of(const CuptiLibrary& library) {
  CuptiSeriesFunctions calls{};
  const loading::Symbol needed[] = {{"cuptiPmSamplingGetCounterAvailability", slot_of(calls.availability)},
                                    {"cuptiPmSamplingEnable", slot_of(calls.enable)},
                                    {"cuptiPmSamplingDisable", slot_of(calls.disable)},
                                    {"cuptiPmSamplingGetCounterDataSize", slot_of(calls.data_size)},
                                    {"cuptiPmSamplingCounterDataImageInitialize", slot_of(calls.begin_data)},
                                    {"cuptiPmSamplingSetConfig", slot_of(calls.configure)},
                                    {"cuptiPmSamplingStart", slot_of(calls.start)},
                                    {"cuptiPmSamplingStop", slot_of(calls.stop)},
                                    {"cuptiPmSamplingDecodeData", slot_of(calls.decode)},
                                    {"cuptiPmSamplingGetCounterDataInfo", slot_of(calls.info)},
                                    {"cuptiPmSamplingCounterDataGetSampleInfo", slot_of(calls.sample)}};
  FL_TRY_VOID(loading::resolve(library.opened(), needed));
  return calls;
}

// The sampler of a device, ended with the scope.
class Sampler {
 public:
  explicit Sampler(const CuptiSeriesFunctions& calls) : calls_(calls) {}
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler() {
    if (object_.series != nullptr) calls_.disable(&object_);
  }
  Status begin(std::size_t device) {
    CuptiSeriesEnable enabled;
    enabled.device = device;
    FL_TRY_VOID(check_cupti(calls_.enable(&enabled), "the sampler of counters"));
    object_.series = enabled.series;
    return {};
  }
  CuptiSeries* asked() { return &object_; }
  void* get() const { return object_.series; }

 private:
  const CuptiSeriesFunctions& calls_;
  CuptiSeries object_;
};

class Series {
 public:
  Series(const CuptiDevice& device, const CuptiSeriesFunctions& calls) : device_(device), calls_(calls) {}

  Result<DeviceSeries> run(std::span<const Launch> sequence, double run_ns) {
    FL_TRY_VOID(plan());
    const CuptiChip chip(device_.library, name_, availability_, kCuptiCounterSampler);
    if (!chip.is_open()) return Error{ErrorCode::kUnsupported, "CUPTI does not open the chip " + name_};
    for (const auto& [metric, counter] : planned_) counters_.push_back(counter);
    FL_TRY(const std::vector<std::uint8_t> image, chip.image_of(counters_));
    made_.profiler = device_.library.name() + ", PM sampling";
    const double run_time = std::max(run_ns, 1.0);
    made_.runs = static_cast<int>(std::clamp(std::ceil(kWantedSamples / 4 * kLeastInterval / run_time), 1.0, double{kMostRuns}));
    made_.interval_ns = std::clamp(std::round(made_.runs * run_time / kWantedSamples), kLeastInterval, kMostInterval);
    FL_TRY_VOID(sample(image, sequence));
    FL_TRY_VOID(read(chip));
    return std::move(made_);
  }

 private:
  Status plan() {
    FL_TRY(name_, device_.library.start(device_.ordinal));
    CuptiSeriesAvailability available;
    available.device = static_cast<std::size_t>(device_.ordinal);
    FL_TRY(availability_, availability_of(calls_.availability, available, "what may be sampled"));
    FL_TRY(planned_, series_of(device_.library, name_, availability_));
    if (planned_.empty()) return Error{ErrorCode::kUnavailable, "CUPTI samples no counter of the chip " + name_};
    return {};
  }

  Status sample(const std::vector<std::uint8_t>& image, std::span<const Launch> sequence) {
    Sampler sampler(calls_);
    FL_TRY_VOID(sampler.begin(static_cast<std::size_t>(device_.ordinal)));
    std::vector<const char*> names;
    for (const std::string& counter : counters_) names.push_back(counter.c_str());
    CuptiSeriesDataSize size;
    size.series = sampler.get();
    size.names = names.data();
    size.count = names.size();
    size.most_samples = kMostSamples;
    FL_TRY_VOID(check_cupti(calls_.data_size(&size), "the size of the samples"));
    data_.resize(size.bytes);
    CuptiSeriesData first;
    first.series = sampler.get();
    first.bytes = data_.size();
    first.data = data_.data();
    FL_TRY_VOID(check_cupti(calls_.begin_data(&first), "memory of the samples"));
    CuptiSeriesConfig config;
    config.series = sampler.get();
    config.image_bytes = image.size();
    config.image = image.data();
    config.buffer_bytes = kBufferBytes;
    config.interval = static_cast<std::uint64_t>(made_.interval_ns);
    // Turing and GA100 sample by cycles of a clock that varies; about one a nanosecond.
    if (name_.starts_with("TU") || name_ == "GA100") config.trigger = kCuptiByCycles;
    FL_TRY_VOID(check_cupti(calls_.configure(&config), "configuring the sampler"));
    FL_TRY_VOID(check_cupti(calls_.start(sampler.asked()), "starting the sampler"));
    Status ran;
    for (int run = 0; run < made_.runs; ++run) {
      for (const Launch& launch : sequence) {
        if (ran.ok()) ran = launch.executable->enqueue(launch.arguments);
      }
    }
    const Status waited = device_.synchronize();
    const Status stopped = check_cupti(calls_.stop(sampler.asked()), "stopping the sampler");
    for (const Status& each : {ran, waited, stopped}) FL_TRY_VOID(each);
    CuptiSeriesDecode decode;
    decode.series = sampler.get();
    decode.data = data_.data();
    decode.bytes = data_.size();
    FL_TRY_VOID(check_cupti(calls_.decode(&decode), "reading the samples"));
    made_.overflowed = decode.overflow != 0 || decode.stopped_by == kCuptiDataFull;
    return times(sampler);
  }

  Status times(const Sampler& sampler) {
    CuptiSeriesInfo info;
    info.data = data_.data();
    info.bytes = data_.size();
    FL_TRY_VOID(check_cupti(calls_.info(&info), "the number of samples"));
    std::uint64_t origin = 0;
    for (std::size_t index = 0; index < info.completed; ++index) {
      CuptiSeriesSample asked;
      asked.series = sampler.get();
      asked.data = data_.data();
      asked.bytes = data_.size();
      asked.index = index;
      FL_TRY_VOID(check_cupti(calls_.sample(&asked), "the time of a sample"));
      if (index == 0) origin = asked.start;
      made_.starts_ns.push_back(static_cast<double>(static_cast<std::int64_t>(asked.start - origin)));
    }
    if (made_.starts_ns.empty())
      made_.why_not = "CUPTI completed no sample: the plan is shorter than an interval of " +
                      std::to_string(static_cast<int>(made_.interval_ns)) + " ns";
    return {};
  }

  Status read(const CuptiChip& chip) {
    for (const auto& [metric, counter] : planned_) made_.rows.push_back({metric, "CUPTI: " + counter, {}, {}});
    for (std::size_t index = 0; index < made_.starts_ns.size(); ++index) {
      FL_TRY(const std::vector<double> values, chip.values_of(counters_, data_, index, "the values of a sample"));
      for (std::size_t row = 0; row < values.size(); ++row) take(made_.rows[row], values[row]);
    }
    if (!made_.starts_ns.empty()) std::ranges::for_each(made_.rows, settle);
    return {};
  }

  // A share of active cycles is not defined in an interval that has none, as before the first launch: nothing worked there.
  static void take(SeriesRow& row, double value) {
    const auto counter = std::ranges::find(nvidia_counters(), row.name, &NvidiaCounter::metric);
    row.values.push_back(std::isfinite(value) ? value * counter->scale : std::nan(""));
  }

  static void settle(SeriesRow& row) {
    if (std::ranges::none_of(row.values, [](double value) { return std::isfinite(value); })) {
      row.values.clear();
      row.reason = kCountedNothing;
    }
    for (double& value : row.values) value = std::isfinite(value) ? value : 0;
  }

  const CuptiDevice& device_;
  const CuptiSeriesFunctions& calls_;
  std::string name_;
  std::vector<std::uint8_t> availability_, data_;
  std::vector<NvidiaPlan::Named> planned_;
  std::vector<std::string> counters_;
  DeviceSeries made_;
};

}  // namespace

Result<DeviceSeries> sample_series(const CuptiDevice& device, std::span<const Launch> sequence, double run_ns) {
  FL_TRY_VOID(device.library.counts());
  FL_TRY(const CuptiSeriesFunctions calls, series_functions_of(device.library));
  return Series(device, calls).run(sequence, run_ns);
}

}  // namespace fuselab::cuda
