// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/launch_notes.h"

#include <algorithm>
#include <utility>

#include "core/kernel/launch_prediction.h"

namespace fuselab {
namespace {

Result<LaunchPrediction> predicted(const KernelAbi& abi, const ResourceUsage& resources, const Target& target) {
  FL_TRY(const LaunchDemand demand, launch_demand(abi, resources));
  LaunchPrediction prediction = predict_launch(demand, target);
  if (!prediction.launches.yes) return Error{ErrorCode::kUnsupported, "it would not launch: " + prediction.launches.why_not};
  return prediction;
}

// A kernel that follows is judged by its own resources. What it spills adds to the whole, and of the rest the most counts: the
// first of two kernels may only lay operands out.
Status note_following(const FollowingLaunch& after, const ResourcesOf& resources_of, const Target& target, ResourceUsage& whole,
                      LaunchPrediction& least) {
  FL_TRY(ResourceUsage own, resources_of(after.entry));
  own.erase("code_bytes");
  KernelAbi abi;
  abi.block_x = after.block_x;
  abi.shared_bytes = after.shared_bytes;
  FL_TRY(LaunchPrediction prediction, predicted(abi, own, target));
  if (least.warps == 0 || (prediction.warps > 0 && prediction.warps < least.warps)) least = std::move(prediction);
  for (const auto& [name, value] : own) {
    const auto known = whole.find(name);
    if (known == whole.end())
      whole[name] = value;
    else if (name == "spill_bytes")
      known->second += value;
    else
      known->second = name == "max_threads" ? std::min(known->second, value) : std::max(known->second, value);
  }
  return {};
}

}  // namespace

Status note_launch(const SourceModule& source, const Target& target, const ResourcesOf& resources_of, KernelBinary& binary) {
  FL_TRY(ResourceUsage resources, resources_of(source.entry));
  FL_TRY(LaunchPrediction prediction, predicted(source.abi, resources, target));
  for (const FollowingLaunch& each : source.abi.after) {
    if (const Status launches = note_following(each, resources_of, target, resources, prediction); !launches.ok())
      return launches.error().within("the kernel " + each.entry + ", which follows");
  }
  if (prediction.blocks > 0) {
    resources["blocks_per_sm"] = prediction.blocks;
    resources["warps_per_sm"] = prediction.warps;
    binary.metadata["occupancy_limit"] = prediction.limited_by;
  }
  for (const auto& [name, value] : resources) binary.metadata["resource." + name] = std::to_string(value);
  return {};
}

}  // namespace fuselab
