// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields/fields.h"

namespace fuselab {

// One counted or derived figure. Without a value there is a reason: what a machine cannot count is no zero.
struct Metric {
  std::string name;  // of the vocabulary (vocabulary.h), which also has unit and formula
  std::optional<double> value;
  std::string reason;        // why there is no value
  std::string source;        // "perf_event: PERF_COUNT_SW_TASK_CLOCK", "static: objdump"
  double counted_share = 1;  // of the time during which the event was counted
  bool scaled = false;       // the event took turns with others and its count was extrapolated from that share
};

constexpr auto fields_of(const Metric*) {
  using fields::field;
  return fields::list<Metric>(field("name", &Metric::name), field("value", &Metric::value), field("reason", &Metric::reason),
                              field("source", &Metric::source), field("counted_share", &Metric::counted_share),
                              field("scaled", &Metric::scaled));
}

// What is known of one kernel of a plan before it runs: reported by its compiler or by the driver that loaded it, and what follows.
struct KernelReport {
  int step = 0;
  std::string kernel;           // its entry
  std::string target;           // that it was compiled for
  std::vector<Metric> metrics;  // static_* of the vocabulary
  std::string limited_by;  // of its blocks on a multiprocessor: "registers", "shared memory", "threads", "blocks"; empty: unknown
  std::string text;        // what that limits, and what less would allow
};

constexpr auto fields_of(const KernelReport*) {
  using fields::field;
  using Report = KernelReport;
  return fields::list<Report>(field("step", &Report::step), field("kernel", &Report::kernel), field("target", &Report::target),
                              field("metrics", &Report::metrics), field("limited_by", &Report::limited_by),
                              field("text", &Report::text));
}

// A part of the machine code and how often it was found running: see CounterSet::hits.
struct CodeHit {
  int step = 0;              // of the plan
  std::int64_t address = 0;  // of the instruction in the binary, as a disassembler names it
  std::int64_t hits = 0;
  std::string function = {};  // that a GPU's address counts from; empty: the address is the binary's
};

constexpr auto fields_of(const CodeHit*) {
  using fields::field;
  return fields::list<CodeHit>(field("step", &CodeHit::step), field("address", &CodeHit::address), field("hits", &CodeHit::hits),
                               field("function", &CodeHit::function));
}

// The counters of one plan's launches, all of them launched beside the timings and never within one.
struct CounterSet {
  std::string rung;                      // of the ladder: "top-down", "generic", "software"; empty where nothing could be counted
  std::vector<std::string> passed_over;  // the rungs above it, each with its reason
  std::vector<Metric> metrics;           // per launch of the plan, except for ratios
  int launches = 0;
  int threads = 0;     // of the process that were counted
  double wall_ns = 0;  // of all launches, as counted
  // The median of a launch in blocks of launches without and with counters, in turns in the same process: the collector's overhead.
  double plain_ns = 0, counted_ns = 0;
  // Where the processor was found every sampling period. Empty: see `why_no_hits`.
  std::vector<CodeHit> hits;
  std::int64_t samples = 0;  // in the whole process, of which `hits` are those in the plan's kernels
  std::string why_no_hits;
  double sampled_ns = 0;              // as plain_ns, with sampling
  std::vector<KernelReport> kernels;  // what the driver reports of the kernels that it loaded
  int extra_launches = 0;             // all that were made for this, counted or not, and their time
  double extra_ns = 0;

  const Metric* find(std::string_view name) const {
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
    return found == metrics.end() ? nullptr : &*found;
  }
  std::optional<double> value(std::string_view name) const {
    const Metric* const metric = find(name);
    return metric == nullptr ? std::nullopt : metric->value;
  }
};

constexpr auto fields_of(const CounterSet*) {
  using fields::field;
  using Set = CounterSet;
  return fields::list<Set>(field("rung", &Set::rung), field("passed_over", &Set::passed_over), field("metrics", &Set::metrics),
                           field("launches", &Set::launches), field("threads", &Set::threads), field("wall_ns", &Set::wall_ns),
                           field("plain_ns", &Set::plain_ns), field("counted_ns", &Set::counted_ns), field("hits", &Set::hits),
                           field("samples", &Set::samples), field("why_no_hits", &Set::why_no_hits),
                           field("sampled_ns", &Set::sampled_ns), field("kernels", &Set::kernels),
                           field("extra_launches", &Set::extra_launches), field("extra_ns", &Set::extra_ns));
}

}  // namespace fuselab
