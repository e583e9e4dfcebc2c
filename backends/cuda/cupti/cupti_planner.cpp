// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cupti/cupti_planner.h"

#include <algorithm>

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr std::string_view kSonames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr std::string_view kFolders[] = {"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
                                         "/opt/cuda/extras/CUPTI/lib64"};
constexpr std::string_view kWheelFolders[] = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib"};

template <typename F>
void** slot(F& function) {
  return reinterpret_cast<void**>(&function);
}

// The library's object for one chip, given back with the scope.
class Host {
 public:
  Host(const CuptiHostFunctions& calls, const std::string& chip) : calls_(calls) {
    CuptiHostInitialize asked;
    asked.chip = chip.c_str();
    if (calls_.initialize(&asked) == kCuptiSuccess) host_ = asked.host;
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    CuptiHostDeinitialize done;
    done.host = host_;
    if (host_ != nullptr) calls_.deinitialize(&done);
  }
  void* get() const { return host_; }

 private:
  const CuptiHostFunctions& calls_;
  void* host_ = nullptr;
};

Error failed(const std::string& what, CuptiCode code) {
  return {ErrorCode::kUnsupported, "CUPTI: " + what + ": code " + std::to_string(code)};
}

}  // namespace

Result<CuptiPlanner> CuptiPlanner::open(const loading::Surroundings& surroundings) {
  CuptiPlanner planner;
  const loading::VendorLibrary wanted{"CUPTI", kSonames, kFolders, kWheelFolders};
  FL_TRY(planner.opened_, loading::open_vendor_library(wanted, surroundings));
  const loading::Symbol symbols[] = {{"cuptiGetVersion", slot(planner.calls_.version)},
                                     {"cuptiProfilerHostInitialize", slot(planner.calls_.initialize)},
                                     {"cuptiProfilerHostDeinitialize", slot(planner.calls_.deinitialize)},
                                     {"cuptiProfilerHostGetSupportedChips", slot(planner.calls_.chips)},
                                     {"cuptiProfilerHostConfigAddMetrics", slot(planner.calls_.add_metrics)},
                                     {"cuptiProfilerHostGetConfigImageSize", slot(planner.calls_.image_size)},
                                     {"cuptiProfilerHostGetConfigImage", slot(planner.calls_.image)},
                                     {"cuptiProfilerHostGetNumOfPasses", slot(planner.calls_.passes)}};
  FL_TRY_VOID(loading::resolve(planner.opened_, symbols));
  const CuptiCode code = planner.calls_.version(&planner.version_);
  if (code != kCuptiSuccess)
    return Error{ErrorCode::kUnavailable, planner.opened_.path + " answers nothing without a GPU's driver (code " +
                                              std::to_string(code) + "); CUPTI 13.0 and 13.1 do"};
  return planner;
}

Result<std::vector<std::string>> CuptiPlanner::chips() const {
  CuptiHostChips asked;
  if (const CuptiCode code = calls_.chips(&asked); code != kCuptiSuccess) return failed("the list of chips", code);
  return std::vector<std::string>(asked.names, asked.names + asked.count);
}

Result<std::size_t> CuptiPlanner::passes_of(const std::string& chip, const std::vector<std::string>& names) const {
  const Host host(calls_, chip);
  if (host.get() == nullptr) return Error{ErrorCode::kUnsupported, "CUPTI does not open the chip " + chip};
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  CuptiHostAddMetrics added;
  added.host = host.get();
  added.names = texts.data();
  added.count = texts.size();
  if (calls_.add_metrics(&added) != kCuptiSuccess) return std::size_t{0};
  CuptiHostImageSize size;
  size.host = host.get();
  if (const CuptiCode code = calls_.image_size(&size); code != kCuptiSuccess) return failed("the size of a plan", code);
  std::vector<std::uint8_t> bytes(size.bytes);
  CuptiHostImage image;
  image.host = host.get();
  image.bytes = bytes.size();
  image.image = bytes.data();
  if (const CuptiCode code = calls_.image(&image); code != kCuptiSuccess) return failed("a plan", code);
  CuptiHostPasses passes;
  passes.bytes = bytes.size();
  passes.image = bytes.data();
  if (const CuptiCode code = calls_.passes(&passes); code != kCuptiSuccess) return failed("the passes of a plan", code);
  return passes.passes;
}

Result<NvidiaPlan> CuptiPlanner::plan(const std::string& chip) const {
  NvidiaPlan plan;
  plan.chip = chip;
  for (const NvidiaCounter& counter : nvidia_counters()) {
    const std::string metric(counter.metric);
    std::string name;
    std::size_t alone = 0;
    for (const std::string_view each : counter.names) {
      if (each.empty() || alone == 1) continue;
      FL_TRY(const std::size_t passes, passes_of(chip, {std::string(each)}));
      if (passes > 0 && (alone == 0 || passes < alone)) {
        alone = passes;
        name = each;
      }
    }
    if (alone == 0) {
      plan.refused.emplace_back(metric, "this chip has no such counter");
    } else if (alone > 1) {
      plan.refused.emplace_back(metric, "it takes " + std::to_string(alone) + " launches by itself");
    } else {
      FL_TRY_VOID(put(plan, metric, name));
    }
  }
  return plan;
}

Status CuptiPlanner::put(NvidiaPlan& plan, const std::string& metric, const std::string& name) const {
  for (auto& pass : plan.passes) {
    std::vector<std::string> names = {name};
    for (const auto& [held, counter] : pass) names.push_back(counter);
    FL_TRY(const std::size_t passes, passes_of(plan.chip, names));
    if (passes != 1) continue;
    pass.emplace_back(metric, name);
    return {};
  }
  plan.passes.push_back({{metric, name}});
  return {};
}

}  // namespace fuselab::cuda
