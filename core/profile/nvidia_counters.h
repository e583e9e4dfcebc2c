// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/profile/counter_plan.h"

// How NVIDIA's GPUs count the metrics of the vocabulary: the counters' names, and the passes that all of them take on each chip.
// Source of the names: "CUPTI, Metrics" of CUDA 13.0; which chip knows them, its library says.
namespace fuselab {

struct NvidiaCounter {
  std::string_view metric;                // of the vocabulary: "device_occupancy"
  double scale;                           // by which the counter's value becomes the metric's
  std::array<std::string_view, 3> names;  // the first that a chip knows counts; empty ones stand last
};
// In the order in which passes are filled.
std::span<const NvidiaCounter> nvidia_counters();

// The chip is CUPTI's name of it: "GH100".
using NvidiaPlan = CounterPlan;

// The plans of CUPTI 13.0 for the chips that it opens without a GPU, sorted by chip.
const std::vector<NvidiaPlan>& nvidia_plans();
// Returns null for a chip that is none of them.
const NvidiaPlan* find_nvidia_plan(std::string_view chip);

// Returns the chip of a target: "GH100" for sm_90 and sm_90a; empty where several differ or none is known.
std::string_view nvidia_chip_of(std::string_view target);

// Write plans as text, a line for each pass of chips that are alike, and read them, sorted by chip. Reading fails with kCorrupt,
// naming the line.
std::string nvidia_plans_text(std::span<const NvidiaPlan> plans);
Result<std::vector<NvidiaPlan>> read_nvidia_plans(std::string_view text);

}  // namespace fuselab
