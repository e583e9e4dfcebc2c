// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/gain_decider.h"

#include <algorithm>
#include <cmath>

#include "app/engine/measure/figures.h"
#include "app/engine/tune/plan_pair.h"
#include "app/engine/tune/search_decision.h"
#include "core/platform/system/clock.h"
#include "core/select/gain_verdict.h"

namespace fuselab::engine {
namespace {

GainRecord record_of(const Result<ComparisonResult>& compared) {
  GainRecord record;
  if (!compared.ok()) {
    record.reason = compared.error().message;
    return record;
  }
  const ComparisonResult& result = compared.value();
  if (!std::isfinite(result.interval.high)) {
    record.reason = "too few processes for an interval";
    return record;
  }
  record.verdict = name_of(result.verdict);
  record.ratio = result.ratio;
  record.low = result.interval.low;
  record.high = result.interval.high;
  record.processes = result.processes;
  return record;
}

}  // namespace

Status GainDecider::decide(const Piece& piece) {
  if (piece.is_single() || context_.spec.protocol.mode == CacheMode::kFirstLaunch) return {};
  FL_TRY(const auto trials, context_.evidence.current(pieces_.asked(piece)));
  const TrialRecord* const fused = timed_of_kind(trials, PlanKind::kFused);
  const TrialRecord* const unfused = timed_of_kind(trials, PlanKind::kUnfused);
  if (fused == nullptr || unfused == nullptr) return {};
  FL_TRY(const auto known, context_.evidence.gain(*fused, *unfused));
  const bool undecided =
      known && known->is_known() && verdict_on({known->ratio, {known->low, known->high}}) == GainVerdict::kUndecided;
  if (known && !(undecided && context_.spec.decide)) return {};

  const DevicePiece here = pieces_.of(piece);
  FL_TRY(PieceConfigs configs, pieces_.even_configs(here));
  FL_TRY_VOID(take_configs(*fused, configs));
  FL_TRY_VOID(take_configs(*unfused, configs));
  FL_TRY(std::vector<Candidate> pair, pieces_.pair_of(here, std::move(configs)));
  const bool made = std::none_of(pair.begin(), pair.end(), [](const Candidate& candidate) { return candidate.failed; });
  const bool the_same =
      made && pair.size() == 2 && pair[0].plan_key() == fused->plan_key && pair[1].plan_key() == unfused->plan_key;
  if (!the_same) return {};  // the timed plans cannot be made again: their one block is all there is

  Protocol protocol = context_.spec.protocol;
  protocol.drop_factor = 0;
  const Nanoseconds round = round_of(fused->median_ns, unfused->median_ns, protocol);
  const ComparisonRule rule = undecided ? rule_to_decide(known->processes, round) : rule_of_search(0, round);
  ComparedSide failed = ComparedSide::kNeither;  // the name of this side's plan is in the reason
  const auto compared = measurer_.compare_paired(std::move(pair[0].plan), std::move(pair[1].plan), protocol, rule, failed);
  if (!compared.ok() && compared.error().code == ErrorCode::kCancelled) return compared.error();
  // A failure of neither plan (a machine that is not fit, a full disk) says nothing about them: another job decides.
  if (!compared.ok() && failed == ComparedSide::kNeither) {
    ++undecided_;
    return {};
  }
  GainRecord record = record_of(compared);
  const EvidenceKey key = pieces_.key_of(piece.key);
  record.piece_key = key.piece;
  record.device_id = key.device;
  record.metric_key = key.metric;
  record.environment_key = key.environment;
  record.fused_plan = fused->plan_key;
  record.unfused_plan = unfused->plan_key;
  record.run_id = context_.run_id;
  record.created_unix_ms = platform::unix_milliseconds();
  StoreBatch batch;
  batch.gains.push_back(std::move(record));
  return context_.store.commit(batch);
}

}  // namespace fuselab::engine
