// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/kernel_report.h"

#include "core/base/formatted.h"
#include "core/kernel/launch_prediction.h"

namespace fuselab::profile {
namespace {

constexpr std::pair<const char*, const char*> kReported[] = {{"static_registers", "registers"},
                                                             {"static_accumulators", "accumulators"},
                                                             {"static_scalar_registers", "scalar_registers"},
                                                             {"static_spill_stores", "spill_bytes"},
                                                             {"static_spill_loads", "spill_load_bytes"},
                                                             {"static_stack", "stack_bytes"},
                                                             {"static_code", "code_bytes"}};

void add(const char* name, std::int64_t value, const std::string& source, KernelReport& report) {
  report.metrics.push_back({name, static_cast<double>(value), "", source, 1, false});
}

std::string occupancy_words(const LaunchPrediction& prediction) {
  return formatted("%.0f %% of its warps", 100 * prediction.occupancy());
}

// What shares registers among wavefronts is called so by AMD.
const char* unit_of(const Target& target) {
  if (target.arch != "hip") return "multiprocessor";
  constexpr std::int64_t kOfCdna = 64;
  const auto wavefront = target.limits.find("warp");
  return wavefront != target.limits.end() && wavefront->second == kOfCdna ? "compute unit" : "work-group processor";
}

std::string limit_words(const LaunchDemand& demand, const LaunchPrediction& prediction, const Target& target,
                        bool has_warp_groups) {
  std::string text = formatted("%s: %lld %s of %lld threads %s on a %s, %s, limited by %s", target.id.c_str(),
                               static_cast<long long>(prediction.blocks), prediction.blocks == 1 ? "block" : "blocks",
                               static_cast<long long>(demand.threads), prediction.blocks == 1 ? "fits" : "fit", unit_of(target),
                               occupancy_words(prediction).c_str(), prediction.limited_by.c_str());
  if (has_warp_groups) return text + "; it multiplies matrices by warp groups, of which one block is normal";
  if (const auto step = next_register_step(demand, target)) {
    const std::int64_t fewer = demand.resources.at("registers") - step->registers;
    text += formatted("; %lld %s fewer (%lld a thread) let %lld in, %s", static_cast<long long>(fewer),
                      fewer == 1 ? "register" : "registers", static_cast<long long>(step->registers),
                      static_cast<long long>(step->then.blocks), occupancy_words(step->then).c_str());
  }
  return text;
}

}  // namespace

KernelReport report_of(const CompiledKernel& kernel, int step, const Target& target, bool has_warp_groups) {
  KernelReport report;
  report.step = step;
  report.kernel = kernel.abi.entry;
  report.target = kernel.identity.target;
  const std::string compiler = kernel.identity.compiler + " " + kernel.identity.compiler_version;
  const auto& resources = kernel.resources;
  for (const auto& [metric, name] : kReported) {
    if (const auto known = resources.find(name); known != resources.end()) add(metric, known->second, compiler, report);
  }
  const auto demand = launch_demand(kernel.abi, resources);
  if (resources.count("registers") == 0 || !demand.ok()) return report;
  const auto declared = resources.find("shared_bytes");
  add("static_shared", demand.value().dynamic_shared_bytes + (declared == resources.end() ? 0 : declared->second), compiler,
      report);
  add("static_threads", demand.value().threads, "the launch", report);
  const LaunchPrediction prediction = predict_launch(demand.value(), target);
  if (!prediction.launches.yes) report.text = "it would not launch: " + prediction.launches.why_not;
  if (prediction.blocks == 0) return report;
  add("static_blocks", prediction.blocks, "derived", report);
  report.metrics.push_back({"static_occupancy", prediction.occupancy(), "", "derived", 1, false});
  report.limited_by = prediction.limited_by;
  report.text = limit_words(demand.value(), prediction, target, has_warp_groups);
  return report;
}

}  // namespace fuselab::profile
