// SPDX-License-Identifier: Apache-2.0
#include "core/profile/amd_counters.h"

#include <algorithm>
#include <array>
#include <set>

namespace fuselab {
namespace {

constexpr const char* kCycles = "GRBM_GUI_ACTIVE";
constexpr const char* kUnitCycles = "SQ_BUSY_CU_CYCLES";  // of compute units that have work, summed
constexpr double kMostWaves = 32;                         // of a compute unit

enum Architecture : unsigned {
  kGfx90a = 1,
  kGfx94 = 2,
  kGfx11 = 4,
  kGfx12 = 8,
  kCdna = kGfx90a | kGfx94,
  kRdna = kGfx11 | kGfx12,
  kAll = kCdna | kRdna
};

struct ArchitectureName {
  std::string_view prefix;
  Architecture architecture;
};
constexpr ArchitectureName kArchitectures[] = {
    {"gfx90a", kGfx90a}, {"gfx94", kGfx94}, {"gfx950", kGfx94}, {"gfx11", kGfx11}, {"gfx12", kGfx12}};

struct Row {
  unsigned architectures;
  AmdCounter counter;
};
// The first eight of the sequencer's counters (SQ) fill a pass: what is a share of another of them stands beside it.
const std::vector<Row>& rows() {
  using enum AmdForm;
  static const std::vector<Row> table = {
      {kAll, {"device_time", kTime, {}}},
      {kAll, {"device_waves", kSum, {{"SQ_WAVES"}}}},
      {kCdna, {"device_instructions", kSum, {{"SQ_INSTS"}}}},
      {kRdna, {"device_instructions", kSum, {{"SQ_WAVE32_INSTS"}, {"SQ_WAVE64_INSTS"}}}},
      {kCdna, {"device_cycles", kPerUnit, {{kUnitCycles}}}},
      {kRdna, {"device_cycles", kLargest, {{kCycles}}}},
      {kCdna, {"device_active_share", kCycleShare, {{kUnitCycles}}}},
      {kCdna, {"device_occupancy", kShare, {{"SQ_WAVE_CYCLES", 4 / kMostWaves}, {kUnitCycles}}}},  // counted in fours
      {kGfx11, {"device_occupancy", kCycleShare, {{"SQ_WAVE_CYCLES", 1 / kMostWaves}}}},
      {kAll, {"device_wait_share", kShare, {{"SQ_WAIT_ANY"}, {"SQ_WAVE_CYCLES"}}}},
      {kCdna | kGfx11, {"device_shared_wait_share", kShare, {{"SQ_WAIT_INST_LDS"}, {"SQ_WAVE_CYCLES"}}}},
      {kCdna, {"device_vector_active", kShare, {{"SQ_ACTIVE_INST_VALU"}, {kUnitCycles}}}},
      {kCdna, {"device_tensor_active", kShare, {{"SQ_VALU_MFMA_BUSY_CYCLES", 0.25}, {kUnitCycles}}}},  // of four units
      {kAll, {"device_memory_read_bytes", kSum, {{"FETCH_SIZE", 1024}}}},
      {kCdna | kGfx11, {"device_memory_write_bytes", kSum, {{"WRITE_SIZE", 1024}}}},
      {kGfx12, {"device_memory_write_bytes", kSum, {{"GL2C_EA_WRREQ_sum", 32}, {"GL2C_EA_WRREQ_64B_sum", 32}}}},
      {kCdna | kGfx11, {"device_memory_bytes", kSum, {{"FETCH_SIZE", 1024}, {"WRITE_SIZE", 1024}}}},
      {kGfx12, {"device_memory_bytes", kSum, {{"FETCH_SIZE", 1024}, {"GL2C_EA_WRREQ_sum", 32}, {"GL2C_EA_WRREQ_64B_sum", 32}}}},
      {kCdna, {"device_l2_hits", kSum, {{"TCC_HIT_sum"}}}},
      {kCdna, {"device_l2_misses", kSum, {{"TCC_MISS_sum"}}}},
      {kRdna, {"device_l2_hits", kSum, {{"GL2C_HIT_sum"}}}},
      {kRdna, {"device_l2_misses", kSum, {{"GL2C_MISS_sum"}}}},
      {kAll, {"device_vector_instructions", kSum, {{"SQ_INSTS_VALU"}}}},
      {kCdna, {"device_tensor_instructions", kSum, {{"SQ_INSTS_MFMA"}}}},
      {kCdna, {"device_shared_conflicts", kSum, {{"SQ_LDS_BANK_CONFLICT"}}}},
      {kRdna, {"device_shared_conflicts", kSum, {{"SQC_LDS_BANK_CONFLICT"}}}},
      {kCdna, {"device_shared_wavefronts", kSum, {{"SQ_LDS_IDX_ACTIVE"}}}},
      {kRdna, {"device_shared_wavefronts", kSum, {{"SQC_LDS_IDX_ACTIVE"}}}},
      {kAll, {"device_shared_instructions", kSum, {{"SQ_INSTS_LDS"}}}},
      {kCdna, {"device_load_requests", kSum, {{"SQ_INSTS_VMEM_RD"}}}},
      {kAll, {"device_flat_instructions", kSum, {{"SQ_INSTS_FLAT"}}}},
      {kCdna, {"device_fma_instructions", kSum, {{"SQ_INSTS_VALU_FMA_F32"}}}},
  };
  return table;
}

unsigned architecture_of(std::string_view target) {
  for (const ArchitectureName& each : kArchitectures) {
    if (target.starts_with(each.prefix)) return each.architecture;
  }
  return 0;
}

// A block of the device and how many of its counters run at once. Source: rocprofiler-compute for those of CDNA; those of RDNA are
// taken to be alike.
struct Block {
  std::string_view prefix;
  int counters;
};
constexpr Block kBlocks[] = {{"SQ", 8}, {"TCC", 4}, {"GL2C", 4}, {"GRBM", 2}};

// Counters of a block that one name stands for.
int bases_of(std::string_view counter, unsigned architecture) {
  if (counter == "FETCH_SIZE") return architecture == kGfx90a ? 2 : architecture == kGfx11 ? 4 : 3;
  return counter == "WRITE_SIZE" ? 2 : 1;
}

bool blocks_have_room(const std::vector<std::string>& counters, unsigned architecture) {
  for (const Block& block : kBlocks) {
    int used = 0;
    for (const std::string& counter : counters) {
      const bool is_memory = counter == "FETCH_SIZE" || counter == "WRITE_SIZE";
      const bool is_cache = block.prefix == ((architecture & kCdna) != 0 ? "TCC" : "GL2C");
      if (is_memory ? is_cache : counter.starts_with(block.prefix)) used += bases_of(counter, architecture);
    }
    if (used > block.counters) return false;
  }
  return true;
}

}  // namespace

std::string AmdCounter::text() const {
  std::string text;
  for (const Term& term : terms) text.append(text.empty() ? "" : form == AmdForm::kShare ? " / " : " + ").append(term.counter);
  if (form == AmdForm::kTime) return "time stamps of the kernels";
  if (form == AmdForm::kPerUnit) return text + " / compute units";
  return form == AmdForm::kCycleShare ? text + " / (" + kCycles + " · compute units)" : text;
}

std::vector<AmdCounter> amd_counters(std::string_view target) {
  std::vector<AmdCounter> counters;
  for (const Row& row : rows()) {
    if ((row.architectures & architecture_of(target)) != 0) counters.push_back(row.counter);
  }
  return counters;
}

std::optional<double> amd_value(const AmdCounter& counter, const AmdCounts& counts, double device_ns, double compute_units) {
  if (counter.form == AmdForm::kTime) return device_ns;
  double sum = 0;
  for (const AmdCounter::Term& term : counter.terms) {
    const auto found = counts.find(term.counter);
    if (found == counts.end()) return std::nullopt;
    sum += term.weight * (counter.form == AmdForm::kLargest ? found->second.largest : found->second.sum);
  }
  double whole = 1;
  if (counter.form == AmdForm::kShare) {
    whole = counts.at(counter.terms[1].counter).sum;
    sum = counter.terms[0].weight * counts.at(counter.terms[0].counter).sum;
  } else if (counter.form == AmdForm::kPerUnit) {
    whole = compute_units;
  } else if (counter.form == AmdForm::kCycleShare) {
    const auto cycles = counts.find(kCycles);
    whole = cycles == counts.end() ? 0 : cycles->second.largest * compute_units;
  }
  return whole > 0 ? std::optional(sum / whole) : std::nullopt;
}

Result<AmdPlan> amd_plan(std::string_view target, const CountersFit& fit) {
  const std::vector<AmdCounter> counters = amd_counters(target);
  if (counters.empty()) return Error{ErrorCode::kUnsupported, "the counters of " + std::string(target) + " are not known"};
  AmdPlan plan;
  plan.metrics.chip = target;
  std::map<std::string, std::size_t> pass_of;
  std::set<std::string> refused;
  const auto put = [&](const std::string& name) -> Status {
    if (pass_of.contains(name) || refused.contains(name)) return {};
    for (std::size_t i = 0; i <= plan.passes.size(); ++i) {
      // Each pass has cycles of its own, which its shares are of.
      std::vector<std::string> together = i < plan.passes.size() ? plan.passes[i] : std::vector<std::string>{};
      if (together.empty() && name != kCycles && !refused.contains(kCycles)) together.emplace_back(kCycles);
      together.push_back(name);
      FL_TRY(const bool fits, fit(together));
      if (!fits) continue;
      if (i == plan.passes.size()) plan.passes.emplace_back();
      plan.passes[i] = std::move(together);
      pass_of[name] = i;
      return {};
    }
    refused.insert(name);
    return {};
  };
  FL_TRY_VOID(put(kCycles));
  plan.metrics.passes.resize(1);
  for (const AmdCounter& counter : counters) {
    for (const AmdCounter::Term& term : counter.terms) FL_TRY_VOID(put(term.counter));
    std::size_t last = 0;
    std::string missing = counter.form == AmdForm::kCycleShare && refused.contains(kCycles) ? kCycles : "";
    for (const AmdCounter::Term& term : counter.terms) {
      if (refused.contains(term.counter))
        missing = term.counter;
      else
        last = std::max(last, pass_of[term.counter]);
    }
    if (plan.metrics.passes.size() < plan.passes.size()) plan.metrics.passes.resize(plan.passes.size());
    if (missing.empty())
      plan.metrics.passes[last].emplace_back(counter.metric, counter.text());
    else
      plan.metrics.refused.emplace_back(counter.metric, "it does not count " + missing);
  }
  return plan;
}

std::optional<AmdPlan> amd_plan_without_device(std::string_view target) {
  const unsigned architecture = architecture_of(target);
  const auto fit = [&](const std::vector<std::string>& counters) -> Result<bool> {
    return blocks_have_room(counters, architecture);
  };
  auto plan = amd_plan(target, fit);
  return plan.ok() ? std::optional(std::move(plan).value()) : std::nullopt;
}

}  // namespace fuselab
