// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/launch_prediction.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/units.h"

namespace fuselab {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kPartitions = 4;  // of a multiprocessor, each with its own registers

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

class Limits {
 public:
  explicit Limits(const Target& target) : target_(target) {}

  std::int64_t operator()(const char* name, std::int64_t otherwise = kUnlimited) const {
    const auto found = target_.limits.find(name);
    return found == target_.limits.end() ? otherwise : found->second;
  }
  // Registers of a warp come in units of so many.
  std::int64_t register_unit() const { return (*this)("register_unit", 256); }
  std::int64_t shared_unit() const { return (*this)("shared_unit", target_.id < "sm_80" && target_.id.size() == 5 ? 256 : 128); }

 private:
  const Target& target_;
};

std::int64_t known(const ResourceUsage& resources, const char* name) {
  const auto found = resources.find(name);
  return found == resources.end() ? 0 : std::max<std::int64_t>(0, found->second);
}

std::string kibibytes(std::int64_t bytes) {
  return format_bytes({bytes});
}

// Tells how many blocks fit beside each other by one resource.
struct Room {
  const char* resource;
  std::int64_t blocks;
};

Room by_threads(std::int64_t warps, const Limits& limits) {
  const std::int64_t most = limits("max_threads_per_sm");
  return {"threads", most == kUnlimited ? kUnlimited : most / limits("warp", 32) / warps};
}

Room by_registers(std::int64_t warps, std::int64_t registers, const Limits& limits) {
  const std::int64_t all = limits("registers_per_sm");
  if (registers == 0 || all == kUnlimited) return {"registers", kUnlimited};
  const std::int64_t per_warp = rounded_up(registers * limits("warp", 32), limits.register_unit());
  return {"registers", all / kPartitions / per_warp * kPartitions / warps};
}

Room by_shared(std::int64_t bytes, const Limits& limits) {
  const std::int64_t all = limits("shared_per_sm_bytes");
  const std::int64_t each = rounded_up(bytes + limits("shared_reserved_bytes", 0), limits.shared_unit());
  return {"shared memory", each == 0 || all == kUnlimited ? kUnlimited : all / each};
}

std::optional<std::string> why_impossible(const LaunchDemand& demand, std::int64_t warps, const Target& target,
                                          const Limits& limits) {
  const std::int64_t registers = known(demand.resources, "registers");
  if (demand.threads < 1) return "a block needs at least one thread";
  if (demand.threads > limits("max_threads")) {
    return "the block has " + std::to_string(demand.threads) + " threads, " + target.id + " allows " +
           std::to_string(limits("max_threads"));
  }
  const std::int64_t bounds = known(demand.resources, "max_threads");
  if (bounds > 0 && demand.threads > bounds) {
    return "the block has " + std::to_string(demand.threads) + " threads, the kernel was compiled for at most " +
           std::to_string(bounds);
  }
  const std::int64_t per_warp = rounded_up(registers * limits("warp", 32), limits.register_unit());
  const std::int64_t per_block = per_warp * rounded_up(warps, kPartitions);
  if (registers > limits("registers_per_thread") || per_block > limits("registers_per_block")) {
    return "a block of " + std::to_string(demand.threads) + " threads with " + std::to_string(registers) +
           " registers each needs more registers than " + target.id + " has";
  }
  const std::int64_t shared = known(demand.resources, "shared_bytes") + demand.dynamic_shared_bytes;
  const std::int64_t most_static = limits("shared_bytes");
  if (known(demand.resources, "shared_bytes") > most_static) {
    return "the kernel needs " + kibibytes(known(demand.resources, "shared_bytes")) + " of static shared memory, " + target.id +
           " allows " + kibibytes(most_static);
  }
  const std::int64_t most_shared = limits("shared_optin_bytes", most_static);
  if (shared > most_shared) {
    return "a block needs " + kibibytes(shared) + " of shared memory, " + target.id + " has " + kibibytes(most_shared);
  }
  return std::nullopt;
}

}  // namespace

Result<LaunchDemand> launch_demand(const KernelAbi& abi, ResourceUsage resources) {
  LaunchDemand demand;
  demand.resources = std::move(resources);
  for (const DimFormula* const axis : {&abi.block_x, &abi.block_y, &abi.block_z}) {
    FL_TRY(const std::int64_t extent, axis->evaluate({}));
    demand.threads *= extent;
  }
  FL_TRY(const std::int64_t shared, abi.shared_bytes.evaluate({}));
  demand.dynamic_shared_bytes = std::max<std::int64_t>(0, shared - known(demand.resources, "shared_bytes"));
  return demand;
}

LaunchPrediction predict_launch(const LaunchDemand& demand, const Target& target) {
  const Limits limits(target);
  const std::int64_t warp = limits("warp", 32);
  const std::int64_t warps = std::max<std::int64_t>(1, (demand.threads + warp - 1) / warp);
  LaunchPrediction prediction;
  const std::int64_t most_threads = limits("max_threads_per_sm");
  prediction.most_warps = most_threads == kUnlimited ? 0 : most_threads / warp;
  if (const auto reason = why_impossible(demand, warps, target, limits)) {
    prediction.launches = Support::no(*reason);
    return prediction;
  }
  const std::int64_t shared = known(demand.resources, "shared_bytes") + demand.dynamic_shared_bytes;
  const Room rooms[] = {by_threads(warps, limits),
                        by_registers(warps, known(demand.resources, "registers"), limits),
                        by_shared(shared, limits),
                        {"blocks", limits("max_blocks_per_sm")}};
  const auto least = std::min_element(std::begin(rooms), std::end(rooms), [](auto& a, auto& b) { return a.blocks < b.blocks; });
  if (least->blocks == kUnlimited) return prediction;
  prediction.blocks = least->blocks;
  prediction.warps = prediction.blocks * warps;
  prediction.limited_by = least->resource;
  if (prediction.blocks == 0) {
    prediction.launches =
        Support::no(std::string("not one block fits a multiprocessor of ") + target.id + ": too much " + least->resource);
  }
  return prediction;
}

std::optional<RegisterStep> next_register_step(const LaunchDemand& demand, const Target& target) {
  const LaunchPrediction now = predict_launch(demand, target);
  if (now.limited_by != "registers") return std::nullopt;
  LaunchDemand fewer = demand;
  for (std::int64_t& registers = fewer.resources["registers"]; --registers > 0;) {
    LaunchPrediction then = predict_launch(fewer, target);
    if (then.blocks > now.blocks) return RegisterStep{registers, std::move(then)};
  }
  return std::nullopt;
}

}  // namespace fuselab
