// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/run_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace fuselab::cli {
namespace {

using nlohmann::json;

json interval_json(const Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}};
}

// Null where the run has trials of a search only.
json figure_json(const engine::RunFigure& figure) {
  if (!figure.is_final()) return nullptr;
  return {{"trial", figure.trial_id},      {"config", figure.config},         {"median_ns", figure.median_ns},
          {"low_ns", figure.interval.low}, {"high_ns", figure.interval.high}, {"reproduced", figure.confirmed},
          {"trials", figure.trials}};
}

json row_json(const engine::DiffRow& row) {
  json object = {{"piece_key", row.piece_key},
                 {"name", row.name},
                 {"device", row.device_id},
                 {"plan", std::string(name_of(row.kind))},
                 {"mode", std::string(name_of(row.metric.mode))},
                 {"same_kernel", row.same_kernel},
                 {"judged", row.is_judged()},
                 {"reason", row.result.reason},
                 {"other_machine", row.machine},
                 {"before", figure_json(row.before)},
                 {"after", figure_json(row.after)}};
  if (!row.is_judged()) return object;
  object["verdict"] = std::string(name_of(row.result.verdict));
  object["ratio"] = row.result.ratio;
  object["q_value"] = row.result.q_value;
  if (row.result.without_drift) object["without_drift"] = *row.result.without_drift;
  if (std::isfinite(row.result.interval.high)) object["interval"] = interval_json(row.result.interval);
  return object;
}

}  // namespace

json stored_run_json(const engine::ListedRun& listed) {
  const RunRecord& run = listed.run;
  return {{"id", run.id},
          {"name", run.marks.name},
          {"label", listed.label()},
          {"subjects", listed.subjects},
          {"devices", listed.devices},
          {"trials", listed.trials},
          {"tags", run.marks.tags},
          {"note", run.marks.note},
          {"pinned", run.marks.pinned},
          {"verb", run.verb},
          {"command", run.command},
          {"state", run.state},
          {"started_unix_ms", run.started_unix_ms},
          {"finished_unix_ms", run.finished_unix_ms},
          {"host", run.host},
          {"tool_version", run.tool_version}};
}

json card_json(const RunCard& card) {
  json environments = json::array(), metrics = json::array(), software = json::array(), outcomes = json::object();
  for (const auto& [device, environment] : card.environments)
    environments.push_back({{"device", device},
                            {"host", environment.host},
                            {"device_uuid", environment.device_uuid},
                            {"driver", environment.driver},
                            {"cpu_model", environment.cpu_model},
                            {"microcode", environment.microcode},
                            {"os_kernel", environment.os_kernel},
                            {"clock_policy", environment.clock_policy},
                            {"tool_version", environment.tool_version}});
  for (const MetricIdentity& metric : card.metrics)
    metrics.push_back({{"mode", std::string(name_of(metric.mode))},
                       {"what", metric.what},
                       {"threads", metric.threads},
                       {"input_pattern", std::string(name_of(metric.inputs.pattern))},
                       {"input_seed", metric.inputs.seed},
                       {"protocol_version", metric.protocol_version},
                       {"detail", metric.detail}});
  for (const auto& [name, version] : card.software) software.push_back({{"name", name}, {"version", version}});
  for (const auto& [outcome, trials] : card.outcomes) outcomes[outcome] = trials;
  const RunConditions& conditions = card.conditions;
  return {{"environments", environments},
          {"metrics", metrics},
          {"software", software},
          {"outcomes", outcomes},
          {"disturbed", card.disturbed},
          {"conditions",
           {{"blocks", conditions.blocks},
            {"timed_seconds", conditions.timed_seconds},
            {"steal_seconds", conditions.steal_seconds},
            {"throttled_seconds", conditions.throttled_seconds},
            {"involuntary_switches", conditions.involuntary_switches},
            {"load_low", conditions.load_low},
            {"load_high", conditions.load_high},
            {"clock_mhz_low", conditions.clock_mhz_low},
            {"clock_mhz_high", conditions.clock_mhz_high},
            {"celsius_high", conditions.celsius_high},
            {"watts_high", conditions.watts_high}}}};
}

json diff_json(const engine::ListedRun& before, const engine::ListedRun& after, const engine::RunDiff& diff) {
  json kernels = json::array(), drift = json::array(), environment = json::array();
  for (const engine::DiffRow& row : diff.rows) kernels.push_back(row_json(row));
  for (const StratumDrift& each : diff.apart.strata)
    drift.push_back({{"stratum", each.stratum},
                     {"controls", each.controls},
                     {"enough", each.enough},
                     {"drift", each.drift},
                     {"deviation", each.deviation}});
  for (const engine::RunDiff::Difference& each : diff.environment)
    environment.push_back({{"name", each.name}, {"before", each.before}, {"after", each.after}});
  const engine::DiffCounts counts = engine::count_verdicts(diff);
  return {{"schema", "fuselab.diff/1"},
          {"before", stored_run_json(before)},
          {"after", stored_run_json(after)},
          {"kernels", kernels},
          {"drift", drift},
          {"environment", environment},
          {"only_before", diff.only_before},
          {"only_after", diff.only_after},
          {"counts",
           {{"regressed", counts.regressed},
            {"improved", counts.improved},
            {"equivalent", counts.equivalent},
            {"inconclusive", counts.inconclusive},
            {"unfinished", counts.unfinished}}}};
}

}  // namespace fuselab::cli
