// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/verdict_rules.h"

#include <algorithm>

#include "core/measure/ceilings/ceiling.h"
#include "core/measure/protocol.h"
#include "profiler/verdict/device_rules.h"
#include "profiler/verdict/figure_words.h"
#include "profiler/verdict/loop_passes.h"

namespace fuselab::profile {
namespace {

// A model of a processor may err by so much; where it takes longer than that, it is none of this processor.
constexpr double kModelErrs = 1.25;

double hot_share(const CodeReport& code, const LoopReport& loop) {
  std::int64_t all = 0;
  for (const CodeLine& line : code.code) all += line.hits;
  return all > 0 && loop.hits ? static_cast<double>(*loop.hits) / static_cast<double>(all) : 1;
}

std::string loop_name(const LoopReport& loop) {
  char address[32];
  std::snprintf(address, sizeof address, "%llx", static_cast<unsigned long long>(loop.first));
  return "the loop at " + std::string(address);
}

// Time per byte of a sweep's point.
double per_byte(const SweepPoint& point) {
  return point.bytes > 0 ? point.median_ns / point.bytes : 0;
}

const SweepPoint* smaller_in_cache(const Sweep& sweep, const std::string& level) {
  // What writes past the caches wherever it fits says nothing of nearer data.
  for (const SweepPoint& point : sweep.points) {
    if (&point != &sweep.points.front() && point.median_ns > 0 && point.level != level &&
        point.threads == sweep.points.front().threads)
      return &point;
  }
  return nullptr;
}

// What the sweep says of a level's limit: a smaller piece, which lies nearer, takes less time a byte where the level is the limit.
void ask_sweep(const Facts& facts, const std::string& level, Finding& finding) {
  if (facts.sweep.points.empty() || facts.sweep.points.front().median_ns <= 0) return;
  const SweepPoint& whole = facts.sweep.points.front();
  const SweepPoint* const small = smaller_in_cache(facts.sweep, level);
  // Where a launch is a good part of the smaller time, bytes do not say how that came about.
  if (small == nullptr || facts.standing.launch_ns > 0.3 * small->median_ns) return;
  const double ratio = per_byte(whole) / per_byte(*small);
  const std::string at = "at " + small->what + ", which lies in " + small->level + ", a byte takes " + rounded(100 / ratio, 0) +
                         " % of the time it takes here";
  constexpr double kFaster = 1.25, kSame = 1.1;
  if (ratio > kFaster) {
    finding.evidence.push_back(at + ": nearer data make it faster");
    finding.rests_on.emplace_back("sweep");
    // What a byte takes less there is what the level costs here, whatever streams of a ceiling may reach.
    finding.share = std::max(finding.share, 1 - 1 / ratio);
  } else if (ratio < kSame) {
    finding.evidence.push_back(at + ": nearer data do not make it faster");
    finding.share *= 0.5;
  }
}

std::vector<Finding> traffic(const Facts& facts) {
  std::vector<Finding> findings;
  if (facts.measured_ns <= 0) return findings;
  for (const RooflineLevel& level : facts.standing.levels) {
    if (level.ns <= 0 || (!level.holds_working_set && level.source == "compulsory")) continue;
    // More than all of the time: the level is faster than what could be measured of it, and its share is not known.
    if (!level.holds_working_set && level.share > kMistrustedShare) continue;
    Finding finding;
    finding.bound = level.level == "memory" ? Bound::kMemory : Bound::kCache;
    finding.where = level.level;
    finding.share = std::min(1.0, level.share);
    finding.evidence.push_back(bytes_text(level.bytes) + " (" + level.source + ") through " + level.level + " take " +
                               duration_text(level.ns) + " at the " + rounded(level.bytes_per_second * 1e-9, 1) +
                               " GB/s that streams of this mix reach there: " + percent(level.share) + " of the time");
    finding.rests_on.emplace_back(level.source == "counted" ? "counters" : level.source == "code" ? "code" : "roofline");
    if (level.holds_working_set) ask_sweep(facts, level.level, finding);
    const auto waiting = counted(facts, "topdown_memory_bound");
    if (level.holds_working_set && waiting) {
      finding.evidence.push_back(percent(*waiting) + " of the slots waited for memory");
      finding.rests_on.emplace_back("counters");
      finding.share = std::max(finding.share, *waiting);
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

// What a smaller piece, whose data are near, still takes a byte, and its level does not explain, is execution where the machine
// code can take that long at all.
void ask_sweep_for_execution(const Facts& facts, double predicted_share, Finding& finding) {
  if (facts.sweep.points.empty() || facts.sweep.points.front().median_ns <= 0) return;
  const SweepPoint& whole = facts.sweep.points.front();
  const Standing& standing = facts.standing;
  const auto holder = std::find_if(standing.levels.begin(), standing.levels.end(),
                                   [](const RooflineLevel& level) { return level.holds_working_set; });
  if (holder == standing.levels.end()) return;
  // The last point is the nearest: it waits for data least.
  const SweepPoint* nearest = nullptr;
  for (const SweepPoint& point : facts.sweep.points) {
    if (&point != &whole && point.median_ns > 0 && point.threads == whole.threads && point.level != holder->level) nearest = &point;
  }
  if (nearest == nullptr || standing.launch_ns > 0.3 * nearest->median_ns) return;
  const auto level = std::find_if(standing.levels.begin(), standing.levels.end(),
                                  [&](const RooflineLevel& each) { return each.level == nearest->level; });
  if (level == standing.levels.end() || level->bytes_per_second <= 0) return;
  const double explained = nearest->bytes / level->bytes_per_second * 1e9 + standing.launch_ns;
  const double remains = std::max(0.0, nearest->median_ns - explained) / nearest->bytes / per_byte(whole);
  if (remains < 0.3 || predicted_share < 0.5 * remains) return;
  finding.evidence.push_back("at " + nearest->what + ", which lies in " + nearest->level + ", " + percent(std::min(1.0, remains)) +
                             " of the time remains that neither " + nearest->level + " nor the launch explains");
  finding.rests_on.emplace_back("sweep");
  finding.share = std::max(finding.share, remains);
}

std::vector<Finding> execution(const Facts& facts) {
  if (facts.measured_ns <= 0) return {};
  if (has_device_counts(facts.counters) && is_peak_of_another_unit(facts)) return {};
  Finding finding;
  finding.bound = Bound::kPorts;
  finding.share = facts.standing.compute_share;
  if (facts.standing.compute_share > 0.05) {
    const bool large = facts.standing.flops >= 1e8;
    finding.evidence.push_back(rounded(facts.standing.flops * (large ? 1e-9 : 1e-6), 2) +
                               (large ? " GFLOP take " : " MFLOP take ") + duration_text(facts.standing.compute_ns) +
                               " at the measured peak of " + rounded(facts.standing.peak_flops * 1e-9, 0) +
                               " GFLOP/s: " + percent(facts.standing.compute_share) + " of the time");
    finding.rests_on.emplace_back("roofline");
  }
  if (const auto predicted = predicted_execution(facts)) {
    const LoopPrediction& model = *predicted->loop->prediction;
    const double share = predicted->ns / facts.measured_ns;
    const bool refuted = share > kModelErrs;
    finding.evidence.push_back(loop_name(*predicted->loop) + " takes " + rounded(model.cycles, 1) +
                               " cycles an iteration on a model of " + model.processor +
                               (model.stands_in ? ", which stands in for this CPU," : "") + " without cache misses, in all " +
                               duration_text(predicted->ns) + " (passes from " + predicted->passes_from + "): " + percent(share) +
                               " of the time" + (refuted ? ", which refutes the model" : ""));
    // A model that takes longer than the processor is of another one, and so are its units' names.
    if (!refuted) {
      if (!model.stands_in) finding.rests_on.emplace_back("model of the CPU");
      if (model.is_latency_bound()) {
        finding.bound = Bound::kLatency;
        finding.evidence.push_back("its units alone would allow " + rounded(model.reciprocal_throughput, 1) +
                                   " cycles: results are waited for");
      } else if (!model.stands_in && !model.busiest_resource.empty()) {
        finding.where = model.busiest_resource;
        finding.evidence.push_back(finding.where + " is busy in " + rounded(model.busiest_cycles, 1) + " cycles of them");
      }
      finding.share = std::max(finding.share, share);
    }
    ask_sweep_for_execution(facts, share, finding);
  }
  const LoopReport* const loop = facts.code.hottest();
  if (loop != nullptr && loop->divides + loop->square_roots > 0)
    finding.evidence.push_back("it divides or takes square roots " + std::to_string(loop->divides + loop->square_roots) +
                               " times an iteration, which no unit does in one cycle");
  if (const auto retired = counted(facts, "topdown_retiring")) {
    finding.evidence.push_back(percent(*retired) + " of the slots retired an instruction");
    finding.rests_on.emplace_back("counters");
    finding.share = std::max(finding.share, *retired);
  } else if (const auto rate = counted(facts, "instructions_per_cycle")) {
    finding.evidence.push_back(rounded(*rate, 2) + " instructions a cycle");
    finding.rests_on.emplace_back("counters");
  }
  finding.share = std::min(1.0, finding.share);
  return finding.share > 0 ? std::vector<Finding>{finding} : std::vector<Finding>{};
}

std::vector<Finding> launch(const Facts& facts) {
  const Standing& standing = facts.standing;
  if (facts.measured_ns <= 0 || standing.launch_ns <= 0) return {};
  Finding finding;
  finding.bound = Bound::kLaunch;
  finding.share = std::min(1.0, standing.launch_share);
  finding.evidence.push_back(std::to_string(standing.steps) + (standing.steps == 1 ? " empty launch" : " empty launches") + " on " +
                             std::to_string(standing.threads) + (standing.threads == 1 ? " thread take " : " threads take ") +
                             duration_text(standing.launch_ns) + ": " + percent(standing.launch_share) + " of the time");
  finding.rests_on.emplace_back("roofline");
  return {finding};
}

std::vector<Finding> threads(const Facts& facts) {
  const Standing& standing = facts.standing;
  // A GPU's configuration names the threads of a block, and its schedulers say themselves what is idle.
  if (has_device_counts(facts.counters) || standing.threads >= standing.device_threads || facts.measured_ns <= 0) return {};
  Finding finding;
  finding.bound = Bound::kThreads;
  finding.evidence.push_back("it uses " + std::to_string(standing.threads) + " of " + std::to_string(standing.device_threads) +
                             " CPUs");
  finding.rests_on.emplace_back("code");
  const auto more = std::find_if(facts.sweep.points.begin(), facts.sweep.points.end(),
                                 [&](const SweepPoint& point) { return point.threads > standing.threads && point.median_ns > 0; });
  if (more != facts.sweep.points.end()) {
    const double gain = facts.sweep.points.front().median_ns / more->median_ns;
    finding.evidence.push_back("on " + std::to_string(more->threads) + " threads it takes " + times(1 / gain) + " the time");
    finding.rests_on.emplace_back("sweep");
    finding.share = gain > 1 ? 1 - 1 / gain : 0;
  } else {
    const double idle = 1 - static_cast<double>(standing.threads) / standing.device_threads;
    finding.share = idle * (1 - std::min(1.0, standing.launch_share));
  }
  return {finding};
}

std::vector<Finding> spills(const Facts& facts) {
  const LoopReport* const loop = facts.code.hottest();
  if (loop == nullptr || loop->spill_loads + loop->spill_stores == 0) return {};
  Finding finding;
  finding.bound = Bound::kSpills;
  finding.share = loop->spill_share() * hot_share(facts.code, *loop);
  finding.evidence.push_back(loop_name(*loop) + " stores " + std::to_string(loop->spill_stores) +
                             " registers to the stack and loads " + std::to_string(loop->spill_loads) + " back, of " +
                             std::to_string(loop->instructions) + " instructions");
  finding.rests_on.emplace_back("code");
  return {finding};
}

constexpr Rule kRules[] = {traffic, execution, launch, threads, spills};

}  // namespace

std::span<const Rule> verdict_rules() {
  return kRules;
}

std::optional<PredictedExecution> predicted_execution(const Facts& facts) {
  const LoopReport* const loop = facts.code.hottest();
  const auto clock = facts.counters.value("frequency");
  if (loop == nullptr || !loop->prediction || !clock || *clock <= 0 || facts.standing.threads <= 0) return std::nullopt;
  const auto passes = passes_through(*loop, facts.graph, facts.cost);
  if (!passes) return std::nullopt;
  PredictedExecution predicted;
  predicted.loop = loop;
  predicted.passes_from = passes->from;
  predicted.hot_share = hot_share(facts.code, *loop);
  predicted.ns = passes->passes * loop->prediction->cycles / *clock * 1e9 / facts.standing.threads;
  return predicted;
}

}  // namespace fuselab::profile
