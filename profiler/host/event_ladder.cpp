// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/event_ladder.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "profiler/host/sysfs_event.h"

namespace fuselab::profile {
namespace {

constexpr const char* kTopDown = "top-down";
constexpr const char* kGeneric = "generic";
constexpr const char* kSoftware = "software";

Event hardware(const char* name, std::uint64_t config) {
  return {name, PERF_TYPE_HARDWARE, config};
}

Event cache(const char* name, std::uint64_t which, std::uint64_t result) {
  return {name, PERF_TYPE_HW_CACHE, which | (std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8U) | (result << 16U)};
}

EventGroup group_of(const char* rung, std::initializer_list<std::pair<const char*, Event>> events) {
  EventGroup group;
  group.rung = rung;
  for (const auto& [metric, event] : events) {
    group.metrics.emplace_back(metric);
    group.events.push_back(event);
    group.factors.push_back(1);
  }
  return group;
}

// The slots event must lead its group (Documentation/arch/x86 of the kernel's perf, "topdown").
std::vector<EventGroup> topdown_groups(CounterSource& source) {
  const auto slots = listed_event(source, "slots");
  if (!slots) return {};
  EventGroup group = group_of(kTopDown, {{"", *slots}});
  constexpr std::pair<const char*, const char*> kParts[] = {{"topdown_retiring", "topdown-retiring"},
                                                            {"topdown_bad_speculation", "topdown-bad-spec"},
                                                            {"topdown_frontend_bound", "topdown-fe-bound"},
                                                            {"topdown_backend_bound", "topdown-be-bound"},
                                                            {"topdown_memory_bound", "topdown-mem-bound"}};
  for (const auto& [metric, name] : kParts) {
    const auto event = listed_event(source, name);
    if (!event) continue;
    group.metrics.emplace_back(metric);
    group.events.push_back(*event);
    group.factors.push_back(1);
  }
  return {group};
}

std::vector<EventGroup> generic_groups() {
  return {
      group_of(kGeneric, {{"cycles", hardware("cpu-cycles", PERF_COUNT_HW_CPU_CYCLES)},
                          {"instructions", hardware("instructions", PERF_COUNT_HW_INSTRUCTIONS)},
                          {"branches", hardware("branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS)},
                          {"branch_misses", hardware("branch-misses", PERF_COUNT_HW_BRANCH_MISSES)}}),
      group_of(kGeneric,
               {{"cache_loads_l1", cache("L1-dcache-loads", PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
                {"cache_misses_l1", cache("L1-dcache-load-misses", PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_MISS)}}),
      group_of(kGeneric, {{"cache_references_last", hardware("cache-references", PERF_COUNT_HW_CACHE_REFERENCES)},
                          {"cache_misses_last", hardware("cache-misses", PERF_COUNT_HW_CACHE_MISSES)}}),
      group_of(kGeneric, {{"tlb_misses", cache("dTLB-load-misses", PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_RESULT_MISS)}}),
      group_of(kGeneric, {{"stalled_backend_share", hardware("stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND)},
                          {"", hardware("cpu-cycles", PERF_COUNT_HW_CPU_CYCLES)}})};
}

std::string vendor_of(CounterSource& source) {
  const auto facts = source.file("/proc/cpuinfo");
  if (!facts) return {};
  const std::size_t at = facts->find("vendor_id");
  const std::size_t colon = at == std::string::npos ? at : facts->find(": ", at);
  return colon == std::string::npos ? std::string() : facts->substr(colon + 2, facts->find('\n', colon) - colon - 2);
}

// FP_ARITH_INST_RETIRED (Intel's event 0xC7, one unit mask for each width and type; a fused multiply-add counts as two
// instructions), four at a time; FpRetSseAvxOps (AMD's PMCx003 of families 17h to 1Ah counts operations, not instructions).
std::vector<EventGroup> flop_groups(CounterSource& source) {
  const std::string vendor = vendor_of(source);
  const auto raw = [](const char* name, std::uint64_t event, std::uint64_t mask) {
    return Event{name, PERF_TYPE_RAW, event | mask << 8U};
  };
  if (vendor == "AuthenticAMD") return {group_of(kGeneric, {{"flops", raw("fp_ret_sse_avx_ops.all", 0x03, 0x0f)}})};
  if (vendor != "GenuineIntel") return {};
  EventGroup single = group_of(kGeneric, {{"flops", raw("fp_arith_inst_retired.scalar_single", 0xc7, 0x02)},
                                          {"flops", raw("fp_arith_inst_retired.128b_packed_single", 0xc7, 0x08)},
                                          {"flops", raw("fp_arith_inst_retired.256b_packed_single", 0xc7, 0x20)},
                                          {"flops", raw("fp_arith_inst_retired.512b_packed_single", 0xc7, 0x80)}});
  single.factors = {1, 4, 8, 16};
  EventGroup twice = group_of(kGeneric, {{"flops", raw("fp_arith_inst_retired.scalar_double", 0xc7, 0x01)},
                                         {"flops", raw("fp_arith_inst_retired.128b_packed_double", 0xc7, 0x04)},
                                         {"flops", raw("fp_arith_inst_retired.256b_packed_double", 0xc7, 0x10)},
                                         {"flops", raw("fp_arith_inst_retired.512b_packed_double", 0xc7, 0x40)}});
  twice.factors = {1, 2, 4, 8};
  return {single, twice};
}

EventGroup software_group() {
  const auto software = [](const char* name, std::uint64_t config) { return Event{name, PERF_TYPE_SOFTWARE, config}; };
  return group_of(kSoftware, {{"task_clock", software("task-clock", PERF_COUNT_SW_TASK_CLOCK)},
                              {"page_faults", software("page-faults", PERF_COUNT_SW_PAGE_FAULTS)},
                              {"context_switches", software("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES)},
                              {"migrations", software("cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS)}});
}

// Opens a group; where the machine has too few counters for it, its events one by one.
void open_group(CounterSource& source, const EventGroup& group, Ladder& ladder) {
  auto opened = source.open(group.events);
  if (opened.ok()) {
    ladder.opened.push_back({opened.value(), group});
    return;
  }
  const bool divided = std::find(group.metrics.begin(), group.metrics.end(), "") != group.metrics.end();
  if (group.events.size() == 1 || divided || opened.error().code != ErrorCode::kUnsupported) {
    ladder.refused.push_back({group, opened.error()});
    return;
  }
  for (std::size_t i = 0; i < group.events.size(); ++i) {
    open_group(source, {group.rung, {group.events[i]}, {group.metrics[i]}, {group.factors[i]}}, ladder);
  }
}

bool has_opened(const Ladder& ladder, const std::string& rung) {
  return std::any_of(ladder.opened.begin(), ladder.opened.end(), [&](const OpenedGroup& each) { return each.group.rung == rung; });
}

std::string why_refused(CounterSource& source, const Ladder& ladder, const std::string& rung) {
  for (const RefusedGroup& each : ladder.refused) {
    if (each.group.rung == rung) return refusal_text(source, each.why);
  }
  return "the CPU's PMU lists no event `slots`";
}

}  // namespace

std::string refusal_text(CounterSource& source, const Error& why) {
  if (why.code == ErrorCode::kIo) return why.message;
  if (why.code == ErrorCode::kUnavailable) {
    const auto level = source.file("/proc/sys/kernel/perf_event_paranoid");
    if (!level) return why.message + ": this kernel has no performance events";
    const int number = std::atoi(level->c_str());
    std::string text = why.message + ": kernel.perf_event_paranoid is " + std::to_string(number);
    if (number > 2) text += ", which lets no user count; `sysctl kernel.perf_event_paranoid=2` does";
    return text;
  }
  if (!source.file("/sys/bus/event_source/devices/cpu/type") && !source.file("/sys/bus/event_source/devices/cpu_core/type"))
    return "this machine shows no PMU of its CPU, as virtual machines often do (" + why.message + ")";
  return why.message;
}

Ladder climb(CounterSource& source) {
  Ladder ladder;
  for (const EventGroup& group : topdown_groups(source)) open_group(source, group, ladder);
  for (const EventGroup& group : generic_groups()) open_group(source, group, ladder);
  if (has_opened(ladder, kGeneric)) {
    for (const EventGroup& group : flop_groups(source)) open_group(source, group, ladder);
  }
  open_group(source, software_group(), ladder);
  for (const char* const rung : {kTopDown, kGeneric, kSoftware}) {
    if (has_opened(ladder, rung)) {
      ladder.rung = rung;
      break;
    }
    ladder.passed_over.push_back(std::string(rung) + ": " + why_refused(source, ladder, rung));
  }
  return ladder;
}

}  // namespace fuselab::profile
