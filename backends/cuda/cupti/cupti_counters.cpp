// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_counters.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "backends/cuda/cupti/cupti_planner.h"
#include "backends/gpu/planned_passes.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

// The range profiler of a context, ended with the scope: nothing that is launched later is counted.
class Ranges {
 public:
  Ranges(const CuptiDeviceFunctions& calls, void* object) : calls_(calls) { object_.ranges = object; }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;
  ~Ranges() { calls_.disable(&object_); }
  void* get() const { return object_.ranges; }
  CuptiRanges* asked() { return &object_; }

 private:
  const CuptiDeviceFunctions& calls_;
  CuptiRanges object_;
};

class CuptiCounters final : public CounterCollector {
 public:
  CuptiCounters(CuptiLibrary library, void* context, std::function<Status()> synchronize)
      : library_(std::move(library)), context_(context), synchronize_(std::move(synchronize)) {}

  Status begin(int ordinal) {
    FL_TRY_VOID(library_.counts());
    FL_TRY(const std::string name, library_.start(ordinal));
    CuptiAvailability available;
    available.context = context_;
    FL_TRY(availability_, availability_of(library_.device().availability, available, "what may be counted"));
    FL_TRY(plan_, plan_of(library_, name, availability_));
    return {};
  }

  Result<CounterPasses> plan_passes(std::span<const std::string> metrics) override {
    return gpu::planned_passes(plan_, metrics, "CUPTI");
  }

  Result<std::vector<Metric>> collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) override {
    std::vector<std::string> counters;
    for (const std::string& metric : pass) {
      const std::string* const counter = gpu::planned_counter(plan_, metric);
      if (counter == nullptr) return invalid_argument("CUPTI has no counter of '" + metric + "'");
      counters.push_back(*counter);
    }
    const CuptiChip chip(library_, plan_.chip, availability_);
    if (!chip.is_open()) return Error{ErrorCode::kUnsupported, "CUPTI does not open the chip " + plan_.chip};
    FL_TRY(const std::vector<std::uint8_t> image, chip.image_of(counters));
    if (image.empty()) return Error{ErrorCode::kUnsupported, "CUPTI no longer knows one of this pass's counters"};
    FL_TRY(const std::vector<std::uint8_t> data, counted(counters, image, sequence));
    return evaluated(chip, pass, counters, data);
  }

 private:
  // Runs the sequence once within a range and returns what was counted.
  Result<std::vector<std::uint8_t>> counted(const std::vector<std::string>& counters, const std::vector<std::uint8_t>& image,
                                            std::span<const Launch> sequence) {
    const CuptiDeviceFunctions& calls = library_.device();
    CuptiRangesEnable enabled;
    enabled.context = context_;
    FL_TRY_VOID(check_cupti(calls.enable(&enabled), "the range profiler"));
    Ranges ranges(calls, enabled.ranges);
    std::vector<const char*> names;
    for (const std::string& counter : counters) names.push_back(counter.c_str());
    CuptiRangesDataSize size;
    size.ranges = ranges.get();
    size.names = names.data();
    size.count = names.size();
    FL_TRY_VOID(check_cupti(calls.data_size(&size), "the size of what is counted"));
    std::vector<std::uint8_t> data(size.bytes);
    CuptiRangesData first;
    first.ranges = ranges.get();
    first.bytes = data.size();
    first.data = data.data();
    FL_TRY_VOID(check_cupti(calls.begin_data(&first), "memory of what is counted"));
    CuptiRangesConfig config;
    config.ranges = ranges.get();
    config.image_bytes = image.size();
    config.image = image.data();
    config.data_bytes = data.size();
    config.data = data.data();
    FL_TRY_VOID(check_cupti(calls.configure(&config), "configuring a pass"));
    FL_TRY_VOID(check_cupti(calls.start(ranges.asked()), "starting a pass"));
    CuptiRangesPush push;
    push.ranges = ranges.get();
    push.name = "plan";
    FL_TRY_VOID(check_cupti(calls.push(&push), "beginning a range"));
    Status ran;
    for (const Launch& launch : sequence) {
      if (ran.ok()) ran = launch.executable->enqueue(launch.arguments);
    }
    const Status popped = check_cupti(calls.pop(ranges.asked()), "ending a range");
    if (ran.ok()) ran = synchronize_();
    CuptiRangesStop stop;
    stop.ranges = ranges.get();
    const Status stopped = check_cupti(calls.stop(&stop), "ending a pass");
    for (const Status& each : {ran, popped, stopped}) FL_TRY_VOID(each);
    if (stop.is_done == 0) return Error{ErrorCode::kLaunchFailed, "CUPTI wants more launches for a pass than it planned"};
    CuptiRangesDecode decode;
    decode.ranges = ranges.get();
    FL_TRY_VOID(check_cupti(calls.decode(&decode), "reading what was counted"));
    if (decode.dropped > 0) return Error{ErrorCode::kLaunchFailed, "CUPTI dropped the range that was counted"};
    return data;
  }

  static Result<std::vector<Metric>> evaluated(const CuptiChip& chip, const std::vector<std::string>& pass,
                                               const std::vector<std::string>& counters, const std::vector<std::uint8_t>& data) {
    FL_TRY(const std::vector<double> values, chip.values_of(counters, data, 0, "the values of a pass"));
    std::vector<Metric> metrics;
    for (std::size_t i = 0; i < pass.size(); ++i) {
      Metric& metric = metrics.emplace_back();
      metric.name = pass[i];
      metric.source = "CUPTI: " + counters[i];
      const auto counter = std::ranges::find(nvidia_counters(), pass[i], &NvidiaCounter::metric);
      if (std::isfinite(values[i]) && counter != nvidia_counters().end())
        metric.value = values[i] * counter->scale;
      else
        metric.reason = kCountedNothing;
    }
    return metrics;
  }

  CuptiLibrary library_;
  void* context_;
  std::function<Status()> synchronize_;
  std::vector<std::uint8_t> availability_;
  NvidiaPlan plan_;
};

}  // namespace

Result<std::unique_ptr<CounterCollector>> open_cupti_counters(const loading::Surroundings& surroundings, void* context, int ordinal,
                                                              std::function<Status()> synchronize) {
  FL_TRY(CuptiLibrary library, CuptiLibrary::open(surroundings));
  auto counters = std::make_unique<CuptiCounters>(std::move(library), context, std::move(synchronize));
  FL_TRY_VOID(counters->begin(ordinal));
  return std::unique_ptr<CounterCollector>(std::move(counters));
}

}  // namespace fuselab::cuda
