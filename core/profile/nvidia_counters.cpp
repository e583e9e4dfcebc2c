// SPDX-License-Identifier: Apache-2.0
#include "core/profile/nvidia_counters.h"

#include <algorithm>

#include "core/base/assert.h"
#include "embedded/core/nvidia_plans.h"

namespace fuselab {
namespace {

constexpr NvidiaCounter kCounters[] = {
    {"device_time", 1, {"gpu__time_duration.sum"}},
    {"device_cycles", 1, {"sm__cycles_active.avg", "sm__cycles_elapsed.max"}},
    {"device_issue_active",
     0.01,
     {"sm__inst_issued.avg.pct_of_peak_sustained_active", "smsp__issue_active.avg.pct_of_peak_sustained_active"}},
    {"device_instructions", 1, {"smsp__inst_executed.sum", "sm__inst_executed.sum"}},
    {"device_occupancy", 0.01, {"sm__warps_active.avg.pct_of_peak_sustained_active"}},
    {"device_active_share", 0.01, {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"}},
    {"device_eligible_warps", 1, {"smsp__warps_eligible.avg.per_cycle_active"}},
    {"device_memory_bytes", 1, {"dram__bytes.sum"}},
    {"device_memory_read_bytes", 1, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
    {"device_memory_write_bytes", 1, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
    {"device_memory_share", 0.01, {"dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
    {"device_l2_bytes", 1, {"lts__t_bytes.sum"}},
    {"device_l2_sectors", 1, {"lts__t_sectors.sum"}},
    {"device_l2_hits", 1, {"lts__t_sectors_lookup_hit.sum"}},
    {"device_l1_bytes", 1, {"l1tex__t_bytes.sum"}},
    {"device_l1_hit_share", 0.01, {"l1tex__t_sector_hit_rate.pct"}},
    {"device_load_sectors", 1, {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    {"device_load_requests", 1, {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}},
    {"device_shared_conflicts", 1, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}},
    {"device_shared_wavefronts", 1, {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}},
    {"device_spill_loads",
     1,
     {"smsp__sass_inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}},
    {"device_spill_stores",
     1,
     {"smsp__sass_inst_executed_op_local_st.sum", "smsp__inst_executed_op_local_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}},
    {"device_tensor_active",
     0.01,
     {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
      "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active"}},
    {"device_tensor_instructions", 1, {"sm__inst_executed_pipe_tensor.sum", "sm__inst_executed_pipe_tensor_op_hmma.sum"}},
    {"device_ffma",
     1,
     {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "sm__sass_thread_inst_executed_op_ffma_pred_on.sum"}},
    {"device_fadd", 1, {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"}},
    {"device_fmul", 1, {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}},
    {"device_stall_long_scoreboard", 1, {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"}},
    {"device_stall_short_scoreboard", 1, {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"}},
    {"device_stall_barrier", 1, {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"}},
    {"device_stall_math_pipe_throttle", 1, {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio"}},
    {"device_stall_mio_throttle", 1, {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"}},
    {"device_stall_lg_throttle", 1, {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"}},
    {"device_stall_wait", 1, {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"}},
    {"device_stall_gmma", 1, {"smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio"}},
};

struct ChipOfTarget {
  std::string_view target, chip;
};
// 8.6, 8.9, 10.0 and 12.0 have several chips, whose plans are the same; the first of them stands for all.
constexpr ChipOfTarget kChips[] = {{"sm_75", "TU102"},  {"sm_80", "GA100"},  {"sm_86", "GA102"},  {"sm_87", "GA10B"},
                                   {"sm_89", "AD102"},  {"sm_90", "GH100"},  {"sm_90a", "GH100"}, {"sm_100", "GB100"},
                                   {"sm_103", "GB110"}, {"sm_110", "GB10B"}, {"sm_120", "GB202"}, {"sm_121", "GB20B"}};

std::string_view taken_word(std::string_view& line, char separator) {
  const std::size_t end = std::min(line.find(separator), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

Error corrupt(std::string_view line) {
  return {ErrorCode::kCorrupt, "no line of a plan of counters: " + std::string(line.substr(0, 200))};
}

}  // namespace

std::span<const NvidiaCounter> nvidia_counters() {
  return kCounters;
}

const std::vector<NvidiaPlan>& nvidia_plans() {
  static const std::vector<NvidiaPlan> plans = [] {
    auto read = read_nvidia_plans(nvidia_plan_text::embedded_files().front().text);
    FL_ASSERT(read.ok());
    return std::move(read).value();
  }();
  return plans;
}

const NvidiaPlan* find_nvidia_plan(std::string_view chip) {
  const auto found = std::ranges::find(nvidia_plans(), chip, &NvidiaPlan::chip);
  return found == nvidia_plans().end() ? nullptr : &*found;
}

std::string_view nvidia_chip_of(std::string_view target) {
  const auto* const found = std::ranges::find(kChips, target, &ChipOfTarget::target);
  return found == std::end(kChips) ? std::string_view() : found->chip;
}

std::string nvidia_plans_text(std::span<const NvidiaPlan> plans) {
  std::string text;
  std::vector<const NvidiaPlan*> written;
  const auto are_alike = [](const NvidiaPlan& a, const NvidiaPlan& b) {
    return a.passes == b.passes && a.refused == b.refused && a.series == b.series;
  };
  for (const NvidiaPlan& plan : plans) {
    if (std::ranges::any_of(written, [&](const NvidiaPlan* each) { return are_alike(*each, plan); })) continue;
    written.push_back(&plan);
    std::string chips;
    for (const NvidiaPlan& each : plans) {
      if (are_alike(each, plan)) chips += (chips.empty() ? "" : ",") + each.chip;
    }
    const auto write = [&](const char* what, const std::vector<NvidiaPlan::Named>& pairs) {
      if (pairs.empty()) return;
      text += chips + what;
      for (const auto& [metric, name] : pairs) text.append(" ").append(metric).append("=").append(name);
      text += "\n";
    };
    for (const auto& pass : plan.passes) write(" pass", pass);
    write(" series", plan.series);
    for (const auto& [metric, why] : plan.refused)
      text.append(chips).append(" refused ").append(metric).append("=").append(why) += "\n";
  }
  return text;
}

Result<std::vector<NvidiaPlan>> read_nvidia_plans(std::string_view text) {
  std::vector<NvidiaPlan> plans;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    std::string_view rest = line;
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    std::string_view chips = taken_word(rest, ' ');
    const std::string_view what = taken_word(rest, ' ');
    const bool refuses = what == "refused";
    if ((!refuses && what != "pass" && what != "series") || rest.empty() || chips.empty()) return corrupt(line);
    std::vector<NvidiaPlan::Named> pairs;
    while (!rest.empty()) {
      const std::string_view pair = refuses ? std::exchange(rest, {}) : taken_word(rest, ' ');
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) return corrupt(line);
      pairs.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
    while (!chips.empty()) {
      const std::string_view chip = taken_word(chips, ',');
      auto plan = std::ranges::find(plans, chip, &NvidiaPlan::chip);
      if (plan == plans.end()) plan = plans.insert(plans.end(), {std::string(chip), {}, {}, {}});
      if (refuses)
        plan->refused.insert(plan->refused.end(), pairs.begin(), pairs.end());
      else if (what == "series")
        plan->series = pairs;
      else
        plan->passes.push_back(pairs);
    }
  }
  std::ranges::sort(plans, {}, &NvidiaPlan::chip);
  return plans;
}

}  // namespace fuselab
