// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_planner.h"

#include "backends/cuda/abi/cupti_sampling_abi.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr std::string_view kWholeTime = "device_time";  // of a launch: no series

class Planning {
 public:
  Planning(const CuptiLibrary& library, const std::string& chip, const std::vector<std::uint8_t>& availability)
      : library_(library), availability_(availability) {
    plan_.chip = chip;
  }

  Result<NvidiaPlan> run() {
    for (const NvidiaCounter& counter : nvidia_counters()) FL_TRY_VOID(take(counter));
    // A device asks for its series by itself, with what may be sampled on it. Volta has none.
    if (availability_.empty()) {
      if (auto series = series_of(library_, plan_.chip); series.ok()) plan_.series = std::move(series).value();
    }
    return std::move(plan_);
  }

 private:
  Status take(const NvidiaCounter& counter) {
    const std::string metric(counter.metric);
    std::string name;
    std::size_t alone = 0;
    for (const std::string_view each : counter.names) {
      if (each.empty() || alone == 1) continue;
      FL_TRY(const std::size_t passes, passes_of({std::string(each)}));
      if (passes > 0 && (alone == 0 || passes < alone)) {
        alone = passes;
        name = each;
      }
    }
    if (alone == 1) return put(metric, name);
    plan_.refused.emplace_back(
        metric, alone == 0 ? "this chip has no such counter" : "it takes " + std::to_string(alone) + " launches by itself");
    return {};
  }

  Status put(const std::string& metric, const std::string& name) {
    for (auto& pass : plan_.passes) {
      std::vector<std::string> names = {name};
      for (const auto& [held, counter] : pass) names.push_back(counter);
      FL_TRY(const std::size_t passes, passes_of(names));
      if (passes != 1) continue;
      pass.emplace_back(metric, name);
      return {};
    }
    plan_.passes.push_back({{metric, name}});
    return {};
  }

  // Returns the launches that these counters take together; 0 where the chip lacks one of them.
  Result<std::size_t> passes_of(const std::vector<std::string>& names) const {
    const CuptiChip chip(library_, plan_.chip, availability_);
    if (!chip.is_open()) return Error{ErrorCode::kUnsupported, "CUPTI does not open the chip " + plan_.chip};
    return chip.passes_of(names);
  }

  const CuptiLibrary& library_;
  const std::vector<std::uint8_t>& availability_;
  NvidiaPlan plan_;
};

}  // namespace

Result<std::vector<std::string>> chips_of(const CuptiLibrary& library) {
  CuptiHostChips asked;
  FL_TRY_VOID(check_cupti(library.host().chips(&asked), "the list of chips"));
  return std::vector<std::string>(asked.names, asked.names + asked.count);
}

Result<NvidiaPlan> plan_of(const CuptiLibrary& library, const std::string& chip, const std::vector<std::uint8_t>& availability) {
  return Planning(library, chip, availability).run();
}

Result<std::vector<NvidiaPlan::Named>> series_of(const CuptiLibrary& library, const std::string& chip,
                                                 const std::vector<std::uint8_t>& availability) {
  std::vector<NvidiaPlan::Named> taken;
  for (const NvidiaCounter& counter : nvidia_counters()) {
    for (const std::string_view each : counter.names) {
      if (each.empty() || counter.metric == kWholeTime) continue;
      const CuptiChip opened(library, chip, availability, kCuptiCounterSampler);
      if (!opened.is_open()) return Error{ErrorCode::kUnsupported, "CUPTI does not open the chip " + chip + " for sampling"};
      std::vector<std::string> names = {std::string(each)};
      for (const auto& [metric, name] : taken) names.push_back(name);
      FL_TRY(const std::size_t passes, opened.passes_of(names));
      if (passes != 1) continue;
      taken.emplace_back(counter.metric, each);
      break;
    }
  }
  return taken;
}

}  // namespace fuselab::cuda
