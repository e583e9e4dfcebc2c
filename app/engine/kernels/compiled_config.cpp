// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/compiled_config.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/words.h"
#include "core/kernel/launch_prediction.h"

namespace fuselab::engine {
namespace {

std::optional<std::int64_t> known(const std::map<std::string, std::int64_t>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string counts_below(const ResourceUsage& resources, const std::string& prefix) {
  std::string words;
  for (auto each = resources.lower_bound(prefix); each != resources.end() && each->first.starts_with(prefix); ++each)
    words += (words.empty() ? "" : ", ") + std::to_string(each->second) + " " + each->first.substr(prefix.size());
  return words;
}

std::optional<VendorEstimate> estimate_of(const KernelBinary& binary) {
  const auto number = [&](const char* name) {
    const auto found = binary.metadata.find(name);
    return found == binary.metadata.end() ? 0.0 : std::strtod(found->second.c_str(), nullptr);
  };
  const auto source = binary.metadata.find("estimate.source");
  const double seconds = number("estimate.seconds");
  if (source == binary.metadata.end() || !(seconds > 0) || !std::isfinite(seconds)) return std::nullopt;
  return VendorEstimate{source->second, {seconds * 1e9}, number("estimate.operations"), number("estimate.bytes")};
}

// Takes "kernel.NAME.FIELD" out of a program's resources.
std::map<std::string, ResourceUsage> taken_kernels(ResourceUsage& resources) {
  constexpr std::string_view kPrefix = "kernel.";
  std::map<std::string, ResourceUsage> kernels;
  for (auto each = resources.lower_bound(std::string(kPrefix)); each != resources.end() && each->first.starts_with(kPrefix);
       each = resources.erase(each)) {
    const std::size_t dot = each->first.rfind('.');
    if (dot <= kPrefix.size()) continue;
    kernels[each->first.substr(kPrefix.size(), dot - kPrefix.size())][each->first.substr(dot + 1)] = each->second;
  }
  return kernels;
}

}  // namespace

std::string call_words(const ResourceUsage& resources) {
  return counts_below(resources, "calls.");
}

std::string fusion_words(const ResourceUsage& resources) {
  const auto all = known(resources, "fusions"), kernels = known(resources, "kernels");
  if (!all && !kernels) return "";
  const std::string calls = call_words(resources);
  const std::string kinds = all ? counts_below(resources, "fusions.") : *kernels > 0 ? counted(*kernels, "kernel") : std::string();
  return (kinds.empty() ? "none" : kinds) + (calls.empty() ? "" : "; calls " + calls);
}

std::optional<Bytes> program_memory(const ResourceUsage& resources) {
  if (!known(resources, "temporary_bytes")) return std::nullopt;
  Bytes sum;
  for (const char* const part : {"argument_bytes", "output_bytes", "temporary_bytes", "code_bytes"})
    sum.count += known(resources, part).value_or(0);
  return sum;
}

void predict(CompiledConfig& row, const KernelAbi& abi, const Target& target, const std::string& limited_by) {
  const std::int64_t spills = known(row.resources, "spill_bytes").value_or(0);
  if (spills > 0) row.problem = "spills " + std::to_string(spills) + " bytes";
  const auto memory = program_memory(row.resources);
  if (const auto room = known(target.limits, "memory_bytes"); room && memory && memory->count > *room)
    row.problem = "needs " + format_bytes(*memory) + " of memory, a device has " + format_bytes({*room});
  if (!known(target.limits, "max_threads_per_sm")) return;  // no GPU
  const auto demand = launch_demand(abi, row.resources);
  if (!demand.ok()) return;
  if (demand.value().dynamic_shared_bytes > 0) row.resources["shared_bytes"] += demand.value().dynamic_shared_bytes;
  for (const FollowingLaunch& after : abi.after) {
    const auto shared = after.shared_bytes.evaluate({});
    if (shared.ok() && shared.value() > 0) row.resources["shared_bytes"] = std::max(row.resources["shared_bytes"], shared.value());
  }
  LaunchPrediction prediction = predict_launch(demand.value(), target);
  // The compiler has said which kernel of a module has the least room.
  if (const auto warps = known(row.resources, "warps_per_sm"); warps && !abi.after.empty()) {
    prediction.launches = {};
    prediction.warps = *warps;
    prediction.limited_by = limited_by;
  }
  row.launches = prediction.launches.yes;
  if (!row.launches) row.problem = "would not launch: " + prediction.launches.why_not;
  if (known(row.resources, "registers").value_or(0) == 0) return;
  row.occupancy = prediction.occupancy();
  row.limited_by = prediction.limited_by;
}

CompiledConfig compiled_config(const LaunchConfig& config, const Result<CompiledKernel>& made, const Target& target) {
  CompiledConfig row;
  row.config = config;
  if (!made.ok()) {
    row.failure = made.error().message;
    return row;
  }
  const CompiledKernel& kernel = made.value();
  row.resources = kernel.resources;
  row.kernels = taken_kernels(row.resources);
  row.compile_time = kernel.metrics.compile_time;
  row.estimate = estimate_of(kernel.binary);
  const auto word = [&](const char* name) {
    const auto found = kernel.binary.metadata.find(name);
    return found == kernel.binary.metadata.end() ? std::string() : found->second;
  };
  row.compiler = word("compiler") + " " + word("version");
  predict(row, kernel.abi, target, word("occupancy_limit"));
  return row;
}

}  // namespace fuselab::engine
