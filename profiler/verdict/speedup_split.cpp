// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/speedup_split.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/verdict/figure_words.h"

namespace fuselab::profile {
namespace {

// The bytes that intermediates cost the unfused plan, by the level that holds them between the operator that writes them and the
// one that reads them.
std::map<std::string, double> intermediate_traffic(const Graph& graph, const std::vector<CacheLevel>& levels) {
  std::map<std::string, double> bytes;
  std::map<std::size_t, int> reads;
  for (const Node& node : graph.nodes()) {
    for (const ValueId input : node.inputs) ++reads[static_cast<std::size_t>(input)];
  }
  for (const Node& node : graph.nodes()) {
    if (node.op == Op::kConstant || is_view(node.op)) continue;
    for (const ValueId output : node.outputs) {
      const bool leaves = std::find(graph.outputs().begin(), graph.outputs().end(), output) != graph.outputs().end();
      const auto size = size_of(graph.type(output));
      if (!size.ok()) continue;
      const double count = static_cast<double>(size.value().count);
      // A result of the whole piece is written by both plans; the unfused one reads it again where an operator goes on from it.
      bytes[level_of(levels, size.value()).name] += count * ((leaves ? 0 : 1) + reads[static_cast<std::size_t>(output)]);
    }
  }
  return bytes;
}

double bandwidth_of(const Standing& standing, const std::string& level) {
  double nearest = 0;
  for (const RooflineLevel& row : standing.levels) {
    if (row.bytes_per_second > 0) nearest = row.bytes_per_second;
    if (row.level == level && row.bytes_per_second > 0) return row.bytes_per_second;
  }
  return nearest;
}

void add_traffic(const SplitInput& input, SpeedupSplit& split) {
  auto bytes = intermediate_traffic(input.graph, input.levels);
  double all = 0;
  for (const auto& [level, count] : bytes) all += count;
  // The cost knows what an operator reads in fact (slices, lookups); shares of levels follow the tensors.
  const double saved = static_cast<double>(input.cost.eager().count - input.cost.ideal().count);
  for (const auto& [level, count] : bytes) {
    if (count <= 0 || all <= 0) continue;
    SplitPart part;
    part.what = level == "memory" ? "memory traffic" : level + " traffic";
    part.unit = "B";
    part.amount = saved * count / all;
    const double bandwidth = bandwidth_of(input.standing, level);
    if (bandwidth > 0) {
      part.saved_ns = part.amount / bandwidth * 1e9;
      part.text =
          bytes_text(part.amount) + " of intermediates that lie in " + level + " are not moved: " + duration_text(*part.saved_ns);
    } else {
      part.reason = "the bandwidth of " + level + " is not measured";
      part.text = bytes_text(part.amount) + " of intermediates that lie in " + level + " are not moved";
    }
    split.parts.push_back(std::move(part));
  }
}

void add_launches(const SplitInput& input, SpeedupSplit& split) {
  SplitPart part;
  part.what = "launches";
  part.unit = "launches";
  part.amount = input.operators - 1;  // the fused plan is one launch, whichever of the two is profiled
  const double each = input.standing.steps > 0 ? input.standing.launch_ns / input.standing.steps : 0;
  if (each > 0) {
    part.saved_ns = part.amount * each;
    part.text =
        rounded(part.amount, 0) + (part.amount == 1 ? " launch less: " : " launches less: ") + duration_text(*part.saved_ns);
  } else {
    part.reason = "the time of an empty launch is not measured";
    part.text = rounded(part.amount, 0) + " launches less";
  }
  split.parts.push_back(std::move(part));
}

void add_work(const SplitInput& input, SpeedupSplit& split) {
  SplitPart part;
  part.what = "arithmetic repeated";
  part.unit = "ratio";
  if (input.unfused_work > 0 && input.fused_work > 0) {
    part.amount = input.fused_work / input.unfused_work;
    part.text = "the fused plan executes " + times(part.amount) + " the " + input.work + " of the unfused one";
    part.reason = "how long they take is not predicted";
  } else {
    part.reason = "no counter of FLOPs here; --exact counts the instructions of both plans";
    part.text = "arithmetic repeated: not counted";
  }
  split.parts.push_back(std::move(part));
}

std::string sign(double ns) {
  return (ns < 0 ? "−" : "") + duration_text(std::abs(ns));
}

std::string text_of(const SplitInput& input, const SpeedupSplit& split, double unexplained) {
  std::string text = split.measured >= 1 ? "Fusion gains " : "Fusion loses: it gives ";
  text += times(split.measured) + " [" + rounded(split.low, 2) + ", " + rounded(split.high, 2) + "]";
  text += split.processes > 1 ? " in " + std::to_string(split.processes) + " processes" : " in one block";
  text += "; traffic and launches predict " + times(split.predicted) + ".";
  for (const SplitPart& part : split.parts) {
    if (part.what != "not explained" && !part.text.empty()) text += " " + part.text + ".";
  }
  text += " Not explained: " + sign(unexplained) + " of " + duration_text(split.unfused_ns - split.fused_ns) + ".";
  if (split.measured < 0.95 && input.hottest != nullptr) {
    text += " The fused kernel's hottest loop has " + percent(input.hottest->spill_share()) + " spills and " +
            percent(input.hottest->vector_share()) + " vector instructions.";
  }
  return text;
}

}  // namespace

SpeedupSplit split_speedup(const SplitInput& input) {
  SpeedupSplit split;
  split.unfused_ns = input.unfused_ns;
  split.fused_ns = input.fused_ns;
  split.measured = input.gain;
  split.low = input.low;
  split.high = input.high;
  split.processes = input.processes;
  split.most = input.cost.traffic_bound();
  if (input.operators <= 1) split.why_not = "a single operator: there is nothing to fuse";
  if (input.operators > 1 && (input.unfused_ns <= 0 || input.fused_ns <= 0))
    split.why_not = "the two plans were not measured in one block";
  if (!split.why_not.empty()) return split;
  add_traffic(input, split);
  add_launches(input, split);
  add_work(input, split);
  double saved = 0;
  for (const SplitPart& part : split.parts) saved += part.saved_ns.value_or(0);
  // The fused plan cannot be faster than its own limits, whatever the unfused one wastes.
  double least = input.standing.compute_ns;
  for (const RooflineLevel& level : input.standing.levels) {
    if (level.holds_working_set) least = std::max(least, level.ns);
  }
  const double fused = std::max(input.unfused_ns - saved, std::min(least, input.unfused_ns));
  split.predicted = fused > 0 ? input.unfused_ns / fused : 0;
  SplitPart rest;
  rest.what = "not explained";
  rest.unit = "ns";
  rest.saved_ns = input.unfused_ns - input.fused_ns - (input.unfused_ns - fused);
  rest.amount = *rest.saved_ns;
  rest.text = sign(*rest.saved_ns) + " of the difference";
  split.parts.push_back(rest);
  split.text = text_of(input, split, *rest.saved_ns);
  return split;
}

}  // namespace fuselab::profile
