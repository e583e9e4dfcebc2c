// SPDX-License-Identifier: Apache-2.0
#include "app/views/profile_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/base/units.h"
#include "core/graph/graph_text.h"
#include "core/kernel/launch_config.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/profile/vocabulary.h"

namespace fuselab::engine {
namespace {

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string share(double value) {
  return number(100 * value, value < 0.1 ? 1 : 0) + " %";
}

std::string bytes_words(double bytes) {
  return format_bytes({static_cast<std::int64_t>(bytes)});
}

std::string duration(double ns) {
  return format_duration({ns});
}

std::string address_words(std::int64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string large(double value) {
  constexpr std::pair<double, const char*> kUnits[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (const auto& [unit, suffix] : kUnits) {
    if (std::abs(value) >= unit) return number(value / unit, 2) + suffix;
  }
  return number(value, value == std::floor(value) ? 0 : 2);
}

std::string value_words(const Metric& metric) {
  if (!metric.value) return "–";
  const MetricInfo* const info = find_metric(metric.name);
  const std::string_view unit = info == nullptr ? "" : info->unit;
  std::string text;
  if (unit == "ns") {
    text = duration(*metric.value);
  } else if (unit == "ratio") {
    text = number(*metric.value, 2);
  } else if (unit == "B") {
    text = bytes_words(*metric.value);
  } else if (unit == "Hz") {
    text = number(*metric.value * 1e-9, 2) + " GHz";
  } else if (unit == "J") {
    text = number(*metric.value, 6) + " J";
  } else {
    text = large(*metric.value);
  }
  if (metric.scaled) text += " (scaled from " + share(metric.counted_share) + " of the time)";
  return text;
}

std::vector<Metric> all_metrics(const Profile& profile) {
  std::vector<Metric> metrics = profile.counters.metrics;
  metrics.insert(metrics.end(), profile.exact.begin(), profile.exact.end());
  return metrics;
}

std::string title_of(const Metric& metric) {
  const MetricInfo* const info = find_metric(metric.name);
  return info == nullptr ? metric.name : std::string(info->title);
}

// The metrics without a value, those of one reason in a line.
std::vector<std::string> missing_words(const std::vector<Metric>& metrics) {
  std::vector<std::pair<std::string, std::string>> by_reason;  // in the order of the reasons
  for (const Metric& metric : metrics) {
    if (metric.value) continue;
    auto known = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& each) { return each.first == metric.reason; });
    if (known == by_reason.end()) known = by_reason.insert(by_reason.end(), {metric.reason, ""});
    known->second += (known->second.empty() ? "" : ", ") + title_of(metric);
  }
  std::vector<std::string> lines;
  for (const auto& [reason, names] : by_reason) lines.emplace_back(names).append(": ").append(reason);
  return lines;
}

std::int64_t all_hits(const CodeReport& code) {
  std::int64_t hits = 0;
  for (const CodeLine& line : code.code) hits += line.hits;
  return hits;
}

std::string line_words(const LoopReport& loop) {
  std::string text;
  for (const auto& [first, last] : loop.lines) {
    text += (text.empty() ? "" : ",") + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
    constexpr std::size_t kWide = 16;
    if (text.size() > kWide) return text + "…";
  }
  return text;
}

// "fp32 128, shared load 32, …": the kinds that are met most.
std::string mix_words(const std::vector<WorkCount>& mix, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, mix.size()); ++i)
    text += (text.empty() ? "" : ", ") + mix[i].work + " " + std::to_string(mix[i].instructions);
  return mix.size() > most ? text + ", …" : text;
}

int count_of(const std::vector<WorkCount>& mix, std::string_view work) {
  const auto found = std::ranges::find(mix, work, &WorkCount::work);
  return found == mix.end() ? 0 : found->instructions;
}

std::string prediction_words(const LoopReport& loop) {
  if (!loop.prediction) return "–";
  return number(loop.prediction->cycles, 1) + (loop.prediction->is_latency_bound() ? ", latency" : "");
}

}  // namespace

std::string measured_words(const Profile& profile) {
  if (profile.median_ns <= 0) return {};
  std::string text = duration(profile.median_ns);
  if (profile.low_ns > 0) text += " [" + duration(profile.low_ns) + ", " + duration(profile.high_ns) + "]";
  return text;
}

namespace {

// In the words of the field: what the time goes into, and where.
std::string bound_words(const BoundVerdict& verdict) {
  const std::string where = verdict.where.empty() ? "" : " (" + verdict.where + ")";
  switch (verdict.bound) {
    case Bound::kMemory: return "Memory bound (DRAM)";
    case Bound::kCache: return "Cache bound" + where;
    case Bound::kPorts: return "Compute bound" + where;
    case Bound::kLatency: return "Latency bound" + where;
    case Bound::kLaunch: return "Launch bound";
    case Bound::kThreads: return "Bound by too few threads";
    case Bound::kSpills: return "Bound by register spills";
    case Bound::kShared: return "Shared memory bound";
    case Bound::kTensor: return "Compute bound (tensor units)";
    case Bound::kIssue: return "Compute bound (issue slots)";
    case Bound::kOccupancy: return "Bound by occupancy";
    case Bound::kUnclear: break;
  }
  return "No bound found";
}

// "FP32": the type whose peak the arithmetic is held against.
std::string peak_words(const std::string& graph_text) {
  const auto graph = parse_graph(graph_text);
  if (!graph.ok()) return "arithmetic";
  switch (arithmetic_of(graph.value())) {
    case DType::kF32: return "FP32";
    case DType::kF64: return "FP64";
    case DType::kF16: return "FP16";
    case DType::kBF16: return "BF16";
    case DType::kI8: return "INT8";
    default: return "arithmetic";
  }
}

}  // namespace

std::string headline_words(const Profile& profile) {
  if (profile.median_ns <= 0) return {};
  const Standing& standing = profile.standing;
  std::vector<std::string> figures;
  if (standing.peak_flops > 0) figures.push_back(share(standing.compute_share) + " of the " + peak_words(profile.graph) + " peak");
  for (const RooflineLevel& level : standing.levels) {
    if (level.bytes > 0 && level.bytes_per_second > 0)
      figures.push_back((level.level == "memory" ? "DRAM" : level.level) + " " + share(level.share));
  }
  std::string text = bound_words(profile.verdict);
  for (std::size_t i = 0; i < figures.size(); ++i) text += (i == 0 ? ": " : " · ") + figures[i];
  return text;
}

WordTable standing_words(const Profile& profile) {
  const Standing& standing = profile.standing;
  WordTable table{{"limit", "ceiling", "moved or done", "of", "allows", "share of the time"}, {}};
  const bool known = profile.median_ns > 0;
  for (const RooflineLevel& level : standing.levels) {
    const bool measured = level.bytes_per_second > 0, reached = level.bytes > 0;
    table.rows.push_back({level.level + (level.holds_working_set ? " (holds the working set)" : ""),
                          measured ? number(level.bytes_per_second * 1e-9, 1) + " GB/s" : "not measured",
                          reached ? bytes_words(level.bytes) : "nothing: the data stay nearer", level.source,
                          measured && reached ? duration(level.ns) : "–", measured && reached && known ? share(level.share) : "–"});
  }
  if (standing.peak_flops > 0)
    table.rows.push_back({"arithmetic", number(standing.peak_flops * 1e-9, 0) + " GFLOP/s",
                          number(standing.flops * 1e-9, 3) + " GFLOP", "the graph", duration(standing.compute_ns),
                          known ? share(standing.compute_share) : "–"});
  if (standing.launch_ns > 0)
    table.rows.push_back({"launches", duration(standing.launch_ns / std::max(1, standing.steps)) + " each",
                          std::to_string(standing.steps), "the plan", duration(standing.launch_ns),
                          known ? share(standing.launch_share) : "–"});
  return table;
}

namespace {

// The hottest first.
std::vector<const LoopReport*> loops_worth_reading(const CodeReport& code) {
  std::vector<const LoopReport*> order;
  for (const LoopReport& loop : code.loops) {
    if (loop.innermost || loop.hits.value_or(0) > 0) order.push_back(&loop);
  }
  const auto weight = [](const LoopReport* loop) {
    return std::pair(loop->hits.value_or(0), loop->flops + loop->loaded_bytes + loop->stored_bytes);
  };
  std::stable_sort(order.begin(), order.end(), [&](const LoopReport* a, const LoopReport* b) { return weight(a) > weight(b); });
  return order;
}

// A GPU's functions, and the loops in them. All counts are of one thread.
WordTable gpu_loop_words(const CodeReport& code, std::size_t most) {
  constexpr std::size_t kKinds = 5;
  WordTable table{{"code", "lines", "depth", "instr.", "tensor", "FMA", "FLOP", "loads", "stores", "spills", "regs", "mix"}, {}};
  for (const FunctionReport& function : code.functions)
    table.rows.push_back({function.function, "", "", std::to_string(function.instructions),
                          std::to_string(count_of(function.mix, "tensor")), "", "", "", "", "", "",
                          mix_words(function.mix, kKinds)});
  const std::size_t functions = table.rows.size();
  for (const LoopReport* const loop : loops_worth_reading(code)) {
    if (table.rows.size() >= functions + most) break;
    table.rows.push_back({loop->function + " " + address_words(loop->first), line_words(*loop), std::to_string(loop->depth),
                          std::to_string(loop->instructions), std::to_string(count_of(loop->mix, "tensor")),
                          std::to_string(loop->fused_multiply_adds), number(loop->flops, 0),
                          std::to_string(loop->loads) + " (" + std::to_string(loop->loaded_bytes) + " B)",
                          std::to_string(loop->stores) + " (" + std::to_string(loop->stored_bytes) + " B)",
                          std::to_string(loop->spill_stores) + "/" + std::to_string(loop->spill_loads),
                          std::to_string(loop->vector_registers), mix_words(loop->mix, kKinds)});
  }
  return table;
}

}  // namespace

WordTable loop_words(const Profile& profile, std::size_t most) {
  if (!profile.code.functions.empty()) return gpu_loop_words(profile.code, most);
  WordTable table{
      {"loop", "lines", "time", "depth", "instr.", "vector", "FMA", "loads", "stores", "spills", "regs v/g", "flags", "cycles"},
      {}};
  const std::vector<const LoopReport*> order = loops_worth_reading(profile.code);
  const std::int64_t hits = all_hits(profile.code);
  for (const LoopReport* const loop : order) {
    if (table.rows.size() >= most) break;
    std::string flags;
    const auto flag = [&](int count, const char* word) {
      if (count > 0) flags += (flags.empty() ? "" : ", ") + std::to_string(count) + " " + word;
    };
    flag(loop->unaligned, "unaligned");
    flag(loop->nontemporal, "non-temporal");
    flag(loop->divides, "divides");
    flag(loop->square_roots, "roots");
    flag(loop->gathers, "gathers");
    flag(loop->calls, "calls");
    const std::string step = profile.standing.steps > 1 ? std::to_string(loop->step) + ":" : "";
    table.rows.push_back(
        {step + address_words(loop->first), line_words(*loop),
         loop->hits && hits > 0 ? share(static_cast<double>(*loop->hits) / static_cast<double>(hits)) : "–",
         std::to_string(loop->depth), std::to_string(loop->instructions),
         share(loop->vector_share()) + " " + std::to_string(loop->widest_vector_bits) + "b",
         std::to_string(loop->fused_multiply_adds), std::to_string(loop->loads) + " (" + std::to_string(loop->loaded_bytes) + " B)",
         std::to_string(loop->stores) + " (" + std::to_string(loop->stored_bytes) + " B)",
         std::to_string(loop->spill_stores) + "/" + std::to_string(loop->spill_loads),
         std::to_string(loop->vector_registers) + "/" + std::to_string(loop->general_registers), flags, prediction_words(*loop)});
  }
  return table;
}

WordTable metric_words(const Profile& profile) {
  WordTable table{{"metric", "a launch", "normal", "source"}, {}};
  for (const Metric& metric : all_metrics(profile)) {
    const MetricInfo* const info = find_metric(metric.name);
    if (metric.value)
      table.rows.push_back(
          {title_of(metric), value_words(metric), info == nullptr ? "" : std::string(info->normal), metric.source});
  }
  return table;
}

std::vector<std::string> uncounted_words(const Profile& profile) {
  return missing_words(all_metrics(profile));
}

WordTable kernel_words(const Profile& profile) {
  WordTable table{{"kernel", "metric", "value", "normal", "source"}, {}};
  for (const KernelReport& report : profile.kernels) {
    for (const Metric& metric : report.metrics) {
      const MetricInfo* const info = find_metric(metric.name);
      if (metric.value)
        table.rows.push_back({std::to_string(report.step + 1) + ": " + report.kernel, title_of(metric), value_words(metric),
                              info == nullptr ? "" : std::string(info->normal), metric.source});
    }
  }
  return table;
}

std::vector<std::string> kernel_lines(const Profile& profile) {
  std::vector<std::string> lines;
  std::vector<Metric> all;
  for (const KernelReport& report : profile.kernels) {
    if (!report.text.empty()) lines.push_back(report.text);
    if (all.empty()) all = report.metrics;  // what one kernel lacks, all lack
  }
  for (std::string& line : missing_words(all)) lines.push_back(std::move(line));
  return lines;
}

WordTable sweep_words(const Profile& profile) {
  WordTable table{{"size", "threads", "time", "a byte", "lies in"}, {}};
  for (const SweepPoint& point : profile.sweep.points) {
    const bool timed = point.median_ns > 0;
    table.rows.push_back({point.what, std::to_string(point.threads), timed ? duration(point.median_ns) : "–",
                          timed && point.bytes > 0 ? number(point.median_ns / point.bytes * 1e3, 1) + " ps" : "–",
                          timed || point.reason.empty() ? point.level
                          : point.level.empty()         ? point.reason
                                                        : point.level + ": " + point.reason});
  }
  return table;
}

WordTable split_words(const Profile& profile) {
  WordTable table{{"reason", "saves", ""}, {}};
  for (const SplitPart& part : profile.split.parts) {
    const double saved = part.saved_ns.value_or(0);
    table.rows.push_back({part.what, part.saved_ns ? (saved < 0 ? "−" : "") + duration(std::abs(saved)) : "–",
                          part.reason.empty() ? part.text : part.text + " (" + part.reason + ")"});
  }
  return table;
}

namespace {

// Long configurations differ in few parameters: those alone are read.
template <typename Row>
void compare_configs(const std::string& a, const std::string& b, const Row& row) {
  const auto first = LaunchConfig::parse(a), second = LaunchConfig::parse(b);
  if (a == b) return row("configuration", "the same", "the same");
  if (!first.ok() || !second.ok()) return row("configuration", a, b);
  const auto value_in = [](const LaunchConfig& config, const std::string& name) {
    const auto found = config.values().find(name);
    return found == config.values().end() ? "–" : LaunchConfig({*found}).text().substr(name.size() + 1);
  };
  std::set<std::string> names;
  for (const auto* const config : {&first.value(), &second.value()}) {
    for (const auto& [name, value] : config->values()) names.insert(name);
  }
  for (const std::string& name : names) {
    const std::string x = value_in(first.value(), name), y = value_in(second.value(), name);
    if (x != y) row("configuration: " + name, x, y);
  }
}

// What compilers say of both first kernels, and what the instructions of their hottest loops do.
template <typename Row>
void compare_gpu_code(const Profile& a, const Profile& b, const Row& row) {
  if (!a.kernels.empty() && !b.kernels.empty()) {
    for (const Metric& metric : a.kernels.front().metrics) {
      const auto& others = b.kernels.front().metrics;
      const auto other = std::ranges::find(others, metric.name, &Metric::name);
      if (metric.value && other != others.end() && other->value)
        row(title_of(metric), value_words(metric), value_words(*other), *metric.value, *other->value);
    }
  }
  const auto rows = [&](const std::string& of, const std::vector<WorkCount>& x, const std::vector<WorkCount>& y) {
    std::vector<std::string> kinds;
    for (const auto* const mix : {&x, &y}) {
      for (const WorkCount& each : *mix) {
        if (std::ranges::find(kinds, each.work) == kinds.end()) kinds.push_back(each.work);
      }
    }
    for (const std::string& kind : kinds)
      row(of + kind, std::to_string(count_of(x, kind)), std::to_string(count_of(y, kind)), count_of(x, kind), count_of(y, kind));
  };
  const auto whole = [](const Profile& profile) {
    std::map<std::string, int> sums;
    for (const FunctionReport& function : profile.code.functions) {
      for (const WorkCount& each : function.mix) sums[each.work] += each.instructions;
    }
    std::vector<WorkCount> mix;
    for (const auto& [work, count] : sums) mix.push_back({work, count});
    std::ranges::stable_sort(mix, std::greater(), &WorkCount::instructions);
    return mix;
  };
  if (a.code.functions.empty() && b.code.functions.empty()) return;
  rows("instructions: ", whole(a), whole(b));
  const LoopReport none;
  const LoopReport& x = a.code.hottest() == nullptr ? none : *a.code.hottest();
  const LoopReport& y = b.code.hottest() == nullptr ? none : *b.code.hottest();
  row("hottest loop: instructions", std::to_string(x.instructions), std::to_string(y.instructions), x.instructions, y.instructions);
  row("hottest loop: FLOPs of a thread", number(x.flops, 0), number(y.flops, 0), x.flops, y.flops);
  rows("hottest loop: ", x.mix, y.mix);
}

}  // namespace

WordTable compared_words(const Profile& a, const Profile& b) {
  WordTable table{{"", "A", "B", "B / A"}, {}};
  const auto row = [&](const std::string& name, const std::string& first, const std::string& second, double x = 0, double y = 0) {
    table.rows.push_back({name, first, second, x > 0 && y > 0 ? number(y / x, 2) : ""});
  };
  compare_configs(a.config, b.config, row);
  // Compilers of GPUs' kernels report on them, also where no disassembler is found.
  const bool has_functions = !a.code.functions.empty() || !b.code.functions.empty();
  const bool has_loops = !a.code.loops.empty() || !b.code.loops.empty();
  const bool is_gpu_code = has_functions || (!has_loops && !a.kernels.empty() && !b.kernels.empty());
  if (is_gpu_code) compare_gpu_code(a, b, row);
  // Without a device nothing ran, and nothing is known of what follows.
  if (is_gpu_code && a.median_ns <= 0 && b.median_ns <= 0) return table;
  row("time", measured_words(a), measured_words(b), a.median_ns, b.median_ns);
  row("bound", std::string(name_of(a.verdict.bound)) + " " + a.verdict.where,
      std::string(name_of(b.verdict.bound)) + " " + b.verdict.where);
  for (const RooflineLevel& level : a.standing.levels) {
    for (const RooflineLevel& other : b.standing.levels) {
      if (other.level == level.level)
        row("share of " + level.level, share(level.share), share(other.share), level.share, other.share);
    }
  }
  row("share of arithmetic", share(a.standing.compute_share), share(b.standing.compute_share), a.standing.compute_share,
      b.standing.compute_share);
  if (is_gpu_code) return table;
  const LoopReport none;
  const LoopReport& x = a.code.hottest() == nullptr ? none : *a.code.hottest();
  const LoopReport& y = b.code.hottest() == nullptr ? none : *b.code.hottest();
  const auto count = [&](const std::string& name, double first, double second, int digits = 0) {
    row("hottest loop: " + name, number(first, digits), number(second, digits), first, second);
  };
  count("instructions", x.instructions, y.instructions);
  count("vector instructions", x.vector_instructions, y.vector_instructions);
  count("widest vector, bits", x.widest_vector_bits, y.widest_vector_bits);
  count("spills", x.spill_loads + x.spill_stores, y.spill_loads + y.spill_stores);
  count("vector registers", x.vector_registers, y.vector_registers);
  count("bytes moved", x.loaded_bytes + x.stored_bytes, y.loaded_bytes + y.stored_bytes);
  count("FLOPs", x.flops, y.flops);
  count("predicted cycles", x.prediction ? x.prediction->cycles : 0, y.prediction ? y.prediction->cycles : 0, 1);
  const auto per_flop = [](const LoopReport& loop) {
    return loop.prediction && loop.flops > 0 ? loop.prediction->cycles / loop.flops * 1000 : 0;
  };
  count("predicted cycles for 1000 FLOPs", per_flop(x), per_flop(y), 1);
  for (const Metric& metric : a.counters.metrics) {
    const Metric* const other = b.counters.find(metric.name);
    if (!metric.value || other == nullptr || !other->value) continue;
    const MetricInfo* const info = find_metric(metric.name);
    row(info == nullptr ? metric.name : std::string(info->title), value_words(metric), value_words(*other), *metric.value,
        *other->value);
  }
  return table;
}

std::vector<std::string> collector_words(const Profile& profile) {
  std::vector<std::string> lines;
  for (const CollectorNote& note : profile.collectors) {
    std::string line = note.collector + " " + std::to_string(note.version) + ": ";
    line += note.reused ? "as stored" : "took " + duration(note.cost_ms * 1e6);
    if (!note.reason.empty()) line += "; " + note.reason;
    lines.push_back(std::move(line));
  }
  const CounterSet& counters = profile.counters;
  if (counters.plain_ns > 0 && counters.counted_ns > 0) {
    std::string line = "launches under counters took " + number(counters.counted_ns / counters.plain_ns, 3) +
                       "× the time of those beside them without";
    if (counters.extra_launches > 0)
      line = std::to_string(counters.extra_launches) + " extra launches, " + duration(counters.extra_ns) + " in all: " + line;
    if (counters.sampled_ns > 0) line += "; sampled ones " + number(counters.sampled_ns / counters.plain_ns, 3) + "×";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace fuselab::engine
