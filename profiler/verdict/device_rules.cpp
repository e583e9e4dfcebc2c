// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/device_rules.h"

#include <algorithm>
#include <array>

#include "core/measure/ceilings/ceiling.h"
#include "core/measure/protocol.h"
#include "profiler/verdict/figure_words.h"

namespace fuselab::profile {
namespace {

// What warps wait for in so much of the cycles between two of their instructions is worth a sentence.
constexpr double kManyWait = 0.25;

struct Stall {
  std::string_view name;   // of the metric, behind "device_stall_"
  std::string_view words;  // what a warp waits for
};
constexpr std::array kStalls = {
    Stall{"long_scoreboard", "data of global memory"},
    Stall{"short_scoreboard", "data of shared memory or a special unit"},
    Stall{"barrier", "other warps at a barrier"},
    Stall{"math_pipe_throttle", "a busy unit of arithmetic"},
    Stall{"mio_throttle", "the full queue of shared memory"},
    Stall{"lg_throttle", "the full queue of global memory"},
    Stall{"wait", "the fixed time of an instruction"},
    Stall{"gmma", "matrix instructions of its warp group"},
};

// What warps do between two of their instructions. All figures are for each instruction that is issued.
class Stalls {
 public:
  explicit Stalls(const Facts& facts) {
    for (std::size_t i = 0; i < kStalls.size(); ++i) {
      ratios_[i] = std::max(0.0, counted(facts, "device_stall_" + std::string(kStalls[i].name)).value_or(0));
      all_ += ratios_[i];
    }
    if (all_ <= 0) return;
    // A warp also issues, and may be ready while another one of its scheduler does.
    const double issued = counted(facts, "device_issue_active").value_or(0);
    const double eligible = counted(facts, "device_eligible_warps").value_or(0);
    all_ += issued > 0 ? std::max(1.0, eligible / issued) : 1;
  }

  // Returns the share of the cycles between two instructions of a warp; 0: not counted.
  double share(std::string_view name) const { return share_at(index_of(name)); }
  // Returns the longest of those that more warps in flight could hide; null: none was counted.
  const Stall* longest_latency() const {
    const Stall* longest = nullptr;
    double most = 0;
    for (std::size_t i = 0; i < kStalls.size(); ++i) {
      if (kStalls[i].name.ends_with("_throttle") || share_at(i) <= most) continue;
      most = share_at(i);
      longest = &kStalls[i];
    }
    return longest;
  }
  // Writes what warps wait for into a finding, where it is much.
  void say(std::string_view name, Finding& finding) const {
    const double part = share(name);
    if (part < kManyWait) return;
    finding.evidence.push_back("a warp waits for " + std::string(kStalls[index_of(name)].words) + " in " + percent(part) +
                               " of the cycles between two of its instructions");
    finding.rests_on.emplace_back("stalls");
  }

 private:
  static std::size_t index_of(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(kStalls, name, &Stall::name) - kStalls.begin());
  }
  double share_at(std::size_t i) const { return all_ > 0 ? ratios_[i] / all_ : 0; }

  std::array<double, kStalls.size()> ratios_ = {};
  double all_ = 0;
};

// The part of the time in which kernels run at all.
double launched(const Facts& facts) {
  return 1 - std::clamp(facts.standing.launch_share, 0.0, 1.0);
}

// The part of the time in which multiprocessors have work: counters of active cycles are shares of it. A multiprocessor is idle
// between launches, too.
double running(const Facts& facts) {
  return std::min(launched(facts), std::clamp(counted(facts, "device_active_share").value_or(1), 0.0, 1.0));
}

// Warp groups issue matrix instructions for a whole multiprocessor ("wgmma"): few warps suffice, and one block fills it.
bool has_warp_groups(const Facts& facts) {
  return counted(facts, "device_stall_gmma").value_or(0) > 0 || facts.code.has_warp_groups();
}

bool matrix_units_work(const Facts& facts) {
  constexpr double kWork = 0.1;
  return counted(facts, "device_tensor_active").value_or(0) > kWork;
}

// Returns the share of the cycles in which the path to shared memory works: it makes one pass a cycle on each multiprocessor.
double shared_busy(const Facts& facts) {
  const double passes = counted(facts, "device_shared_wavefronts").value_or(0);
  const double cycles = counted(facts, "device_cycles").value_or(0) * facts.standing.device_threads;
  return cycles > 0 ? std::min(1.0, passes / cycles) : 0;
}

// How much of a wavefront's time passes in waiting, where a device counts that instead of stalls.
void say_waits(const Facts& facts, Finding& finding) {
  const double waits = counted(facts, "device_wait_share").value_or(0);
  if (waits < kManyWait) return;
  finding.evidence.push_back("a wavefront waits in " + percent(waits) + " of its time");
  finding.rests_on.emplace_back("stalls");
}

// Returns the share of the time in which no unit works that was looked at; nothing where neither schedulers nor vector units were
// counted.
std::optional<double> waiting(const Facts& facts) {
  auto issued = counted(facts, "device_issue_active");
  if (!issued) issued = counted(facts, "device_vector_active");
  if (!issued) return std::nullopt;
  double busiest = std::max({*issued, counted(facts, "device_tensor_active").value_or(0), shared_busy(facts)}) * running(facts);
  busiest = std::max(busiest, counted(facts, "device_memory_share").value_or(0));
  if (!is_peak_of_another_unit(facts)) busiest = std::max(busiest, facts.standing.compute_share);
  for (const RooflineLevel& level : facts.standing.levels) {
    const bool is_known = level.holds_working_set || level.source == "counted";
    if (is_known && level.share <= kMistrustedShare) busiest = std::max(busiest, level.share);
  }
  return std::max(0.0, running(facts) - busiest);
}

constexpr double kManyConflicts = 0.2;

// Returns the share of the passes of shared memory that repeat one for a bank conflict.
double conflicts_of(const Facts& facts) {
  const double passes = counted(facts, "device_shared_wavefronts").value_or(0);
  return passes > 0 ? std::min(1.0, counted(facts, "device_shared_conflicts").value_or(0) / passes) : 0;
}

// A warp waits for shared memory and for special functions (exp, tanh) on one scoreboard. It is shared memory where its path is
// busy.
bool waits_for_shared(const Facts& facts) {
  constexpr double kBusyPath = 0.1;
  const bool has_cycles = counted(facts, "device_cycles").value_or(0) > 0;
  return conflicts_of(facts) >= kManyConflicts || (has_cycles && shared_busy(facts) >= kBusyPath);
}

// The parts of the waiting. Queues and units that are full hold warps back whatever their number.
struct Waiting {
  double all = 0, full = 0;    // shares of the time
  double hidden_by_warps = 0;  // what a multiprocessor full of warps could hide
  double latency() const { return std::max(0.0, all - full - hidden_by_warps); }
};

std::optional<Waiting> waiting_parts(const Facts& facts, const Stalls& stalls) {
  const auto all = waiting(facts);
  if (!all) return std::nullopt;
  Waiting parts{*all};
  double full = stalls.share("mio_throttle") + stalls.share("lg_throttle") + stalls.share("math_pipe_throttle");
  if (waits_for_shared(facts)) full += stalls.share("short_scoreboard");
  parts.full = *all * std::min(1.0, full);
  if (const auto occupancy = counted(facts, "device_occupancy"); occupancy && !has_warp_groups(facts)) {
    // With all warps in flight the time shrinks to that of the busiest unit, or by the warps that are missing.
    const double reachable = std::min(*all, running(facts) * (1 - std::clamp(*occupancy, 0.0, 1.0)));
    parts.hidden_by_warps = reachable * (1 - std::min(1.0, full));
  }
  return parts;
}

Finding found(Bound bound, std::string where, double share) {
  Finding finding;
  finding.bound = bound;
  finding.where = std::move(where);
  finding.share = std::clamp(share, 0.0, 1.0);
  finding.rests_on = {"counters"};
  return finding;
}

// A load of a warp touches 4 sectors for 4 bytes a thread and 16 for 16 bytes, where neighbours read neighbours.
void say_coalescing(const Facts& facts, Finding& finding) {
  constexpr double kMostOfNeighbours = 16;
  const double sectors = counted(facts, "device_load_sectors").value_or(0);
  const double requests = counted(facts, "device_load_requests").value_or(0);
  if (requests <= 0 || sectors <= kMostOfNeighbours * requests) return;
  finding.evidence.push_back("a global load of a warp touches " + rounded(sectors / requests, 1) +
                             " sectors of 32 B: its threads do not read neighbours");
}

std::vector<Finding> device_memory(const Facts& facts) {
  const auto share = counted(facts, "device_memory_share");
  if (!share) return {};
  Finding finding = found(Bound::kMemory, "memory", *share);
  finding.evidence.push_back("the device's memory works at " + percent(*share) + " of its peak rate");
  const double bytes = counted(facts, "device_memory_bytes").value_or(0), compulsory = facts.standing.compulsory_bytes;
  constexpr double kMore = 1.25;
  if (compulsory > 0 && bytes > kMore * compulsory)
    finding.evidence.push_back(bytes_text(bytes) + " pass it, " + times(bytes / compulsory) + " what the graph must move");
  say_coalescing(facts, finding);
  Stalls(facts).say("long_scoreboard", finding);
  return {finding};
}

std::vector<Finding> device_caches(const Facts& facts) {
  std::vector<Finding> findings;
  const Stalls stalls(facts);
  const double queue = stalls.share("lg_throttle");
  if (const auto idle = waiting(facts); idle && queue > 0) {
    Finding finding = found(Bound::kCache, "L1", *idle * queue);
    stalls.say("lg_throttle", finding);
    say_coalescing(facts, finding);
    if (!finding.evidence.empty()) findings.push_back(std::move(finding));
  }
  // Its share is the roofline's: nothing counted says how much the second cache could deliver.
  const auto hits = counted(facts, "device_l2_hits");
  auto sectors = counted(facts, "device_l2_sectors");
  if (!sectors && hits) sectors = *hits + counted(facts, "device_l2_misses").value_or(0);
  const auto level = std::ranges::find_if(facts.standing.levels, [](const RooflineLevel& each) {
    return each.level == "L2" && each.source == "counted" && each.share > 0 && each.share <= kMistrustedShare;
  });
  if (level == facts.standing.levels.end() || !hits || sectors.value_or(0) <= 0) return findings;
  Finding finding = found(Bound::kCache, "L2", level->share);
  finding.evidence.push_back(percent(*hits / *sectors) + " of what is looked up in L2 is found there");
  say_coalescing(facts, finding);
  stalls.say("long_scoreboard", finding);
  findings.push_back(std::move(finding));
  return findings;
}

std::vector<Finding> device_shared(const Facts& facts) {
  const double passes = counted(facts, "device_shared_wavefronts").value_or(0);
  if (passes <= 0) return {};
  const Stalls stalls(facts);
  const double busy = shared_busy(facts) * running(facts);
  const double stalled = stalls.share("mio_throttle") + stalls.share("short_scoreboard");
  const double queue = waits_for_shared(facts) ? waiting(facts).value_or(0) * stalled : 0;
  const double conflicts = conflicts_of(facts);
  Finding finding = found(Bound::kShared, conflicts >= kManyConflicts ? "bank conflicts" : "", std::max(busy, queue));
  if (busy > 0) finding.evidence.push_back("the path to shared memory works in " + percent(busy) + " of the time");
  if (conflicts >= kManyConflicts)
    finding.evidence.push_back(percent(conflicts) + " of the passes of shared memory repeat one for a bank conflict");
  if (waits_for_shared(facts)) {
    stalls.say("mio_throttle", finding);
    stalls.say("short_scoreboard", finding);
  }
  const double waits = counted(facts, "device_shared_wait_share").value_or(0);
  if (waits >= kManyWait) {
    finding.evidence.push_back("a wavefront waits to use shared memory in " + percent(waits) + " of its time");
    finding.rests_on.emplace_back("stalls");
  }
  return finding.evidence.empty() ? std::vector<Finding>{} : std::vector<Finding>{finding};
}

std::vector<Finding> device_tensor(const Facts& facts) {
  const auto active = counted(facts, "device_tensor_active");
  if (!active || *active <= 0) return {};
  Finding finding = found(Bound::kTensor, "", *active * running(facts));
  finding.evidence.push_back("the matrix units work in " + percent(*active) + " of the cycles");
  const Stalls stalls(facts);
  stalls.say("gmma", finding);
  stalls.say("math_pipe_throttle", finding);
  return {finding};
}

std::vector<Finding> device_arithmetic(const Facts& facts) {
  // Where matrix units work, a full unit is theirs.
  if (matrix_units_work(facts)) return {};
  const Stalls stalls(facts);
  const auto idle = waiting(facts);
  Finding finding = found(Bound::kPorts, "", idle.value_or(0) * stalls.share("math_pipe_throttle"));
  stalls.say("math_pipe_throttle", finding);
  return !idle || finding.evidence.empty() ? std::vector<Finding>{} : std::vector<Finding>{finding};
}

// Matrix instructions are vector instructions, too.
std::vector<Finding> device_vector(const Facts& facts) {
  const auto active = counted(facts, "device_vector_active");
  if (!active || matrix_units_work(facts)) return {};
  Finding finding = found(Bound::kPorts, "vector units", *active * running(facts));
  finding.evidence.push_back("the vector units work in " + percent(*active) + " of the cycles");
  return {finding};
}

std::vector<Finding> device_issue(const Facts& facts) {
  const auto issued = counted(facts, "device_issue_active");
  if (!issued) return {};
  Finding finding = found(Bound::kIssue, "", *issued * running(facts));
  finding.evidence.push_back("schedulers issue an instruction in " + percent(*issued) + " of the cycles");
  if (const auto eligible = counted(facts, "device_eligible_warps")) {
    finding.evidence.push_back(rounded(*eligible, 1) + " warps of a scheduler could issue in a cycle");
    // More of them than slots: warps are ready and find none.
    if (*eligible > 1.5) finding.rests_on.emplace_back("stalls");
  }
  return {finding};
}

// Returns the report of the kernel with the fewest warps in flight; null: no compiler says.
const KernelReport* emptiest(std::span<const KernelReport> kernels, double& occupancy) {
  const KernelReport* least = nullptr;
  for (const KernelReport& kernel : kernels) {
    const auto known = std::ranges::find(kernel.metrics, "static_occupancy", &Metric::name);
    if (known == kernel.metrics.end() || !known->value || (least != nullptr && *known->value >= occupancy)) continue;
    least = &kernel;
    occupancy = *known->value;
  }
  return least;
}

std::vector<Finding> device_occupancy(const Facts& facts) {
  const Stalls stalls(facts);
  const auto occupancy = counted(facts, "device_occupancy");
  const auto parts = waiting_parts(facts, stalls);
  if (!occupancy || !parts || parts->hidden_by_warps <= 0) return {};
  Finding finding = found(Bound::kOccupancy, "", parts->hidden_by_warps);
  finding.evidence.push_back("its warps fill " + percent(*occupancy) + " of the multiprocessors");
  double possible = 0;
  if (const KernelReport* const kernel = emptiest(facts.kernels, possible)) {
    constexpr double kReached = 0.7;
    if (*occupancy < kReached * possible) {
      finding.where = "the launch";
      finding.evidence.push_back(percent(possible) + " fit: the launch has too few blocks, or they end at different times");
      finding.rests_on.emplace_back("compiler");
    } else if (!kernel->limited_by.empty() && possible < 1) {
      finding.rests_on.emplace_back("compiler");
      finding.where = kernel->limited_by;
      finding.evidence.push_back("of " + kernel->kernel + " no more than " + percent(possible) + " fit, limited by " +
                                 kernel->limited_by);
    }
  }
  if (const Stall* const longest = stalls.longest_latency()) stalls.say(longest->name, finding);
  say_waits(facts, finding);
  return {finding};
}

// Fewer blocks than multiprocessors, or blocks that end at different times.
std::vector<Finding> device_idle(const Facts& facts) {
  const auto active = counted(facts, "device_active_share");
  const double idle = launched(facts) - running(facts);
  if (!active || idle <= 0) return {};
  Finding finding = found(Bound::kOccupancy, "the launch", idle);
  finding.evidence.push_back("a multiprocessor has work in " + percent(*active) +
                             " of the time: the launch has too few blocks, or they end at different times");
  return {finding};
}

std::vector<Finding> device_latency(const Facts& facts) {
  const Stalls stalls(facts);
  const auto parts = waiting_parts(facts, stalls);
  if (!parts || parts->latency() <= 0) return {};
  Finding finding = found(Bound::kLatency, "", parts->latency());
  finding.evidence.push_back("no unit that was counted works in " + percent(parts->all) + " of the time");
  if (const Stall* const longest = stalls.longest_latency()) {
    finding.where = longest->words;
    stalls.say(longest->name, finding);
  }
  say_waits(facts, finding);
  return {finding};
}

std::vector<Finding> device_launch(const Facts& facts) {
  const auto worked = counted(facts, "device_time");
  if (!worked || facts.measured_ns <= 0 || *worked <= 0 || *worked >= facts.measured_ns) return {};
  Finding finding = found(Bound::kLaunch, "", 1 - *worked / facts.measured_ns);
  finding.evidence.push_back("the device works " + duration_text(*worked) + " of them");
  return {finding};
}

std::vector<Finding> device_spills(const Facts& facts) {
  const double instructions = counted(facts, "device_instructions").value_or(0);
  double spilled = 0;
  for (const char* const name : {"device_spill_loads", "device_spill_stores"}) {
    // Some chips count the sectors of local memory instead: 4 of them for 4 bytes of each thread.
    const Metric* const metric = facts.counters.find(name);
    const bool of_sectors = metric != nullptr && metric->source.find("sectors") != std::string::npos;
    spilled += counted(facts, name).value_or(0) / (of_sectors ? 4 : 1);
  }
  if (instructions <= 0 || spilled <= 0) return {};
  Finding finding = found(Bound::kSpills, "", spilled / instructions * running(facts));
  finding.evidence.push_back(percent(std::min(1.0, spilled / instructions)) + " of the instructions are of local memory");
  for (const KernelReport& kernel : facts.kernels) {
    const auto stores = std::ranges::find(kernel.metrics, "static_spill_stores", &Metric::name);
    if (stores == kernel.metrics.end() || stores->value.value_or(0) <= 0) continue;
    finding.evidence.push_back("a thread of " + kernel.kernel + " spills " + bytes_text(*stores->value));
    finding.rests_on.emplace_back("compiler");
    break;
  }
  return {finding};
}

constexpr Rule kDeviceRules[] = {device_memory, device_caches,    device_shared, device_tensor,  device_arithmetic, device_vector,
                                 device_issue,  device_occupancy, device_idle,   device_latency, device_launch,     device_spills};

}  // namespace

std::span<const Rule> device_rules() {
  return kDeviceRules;
}

bool has_device_counts(const CounterSet& counters) {
  return std::ranges::any_of(counters.metrics,
                             [](const Metric& metric) { return metric.name.starts_with("device_") && metric.value; });
}

bool is_peak_of_another_unit(const Facts& facts) {
  return facts.standing.compute_share > kMistrustedShare || matrix_units_work(facts);
}

std::optional<double> counted(const Facts& facts, std::string_view name) {
  return facts.standing.caches == name_of(CacheMode::kWarm) ? facts.counters.value(name) : std::nullopt;
}

}  // namespace fuselab::profile
