// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/job_plan.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/cli/shell/terminal.h"
#include "app/engine/subject/subject.h"
#include "app/engine/workers/selected_devices.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

constexpr std::size_t kNamed = 8;   // more are counted
constexpr int kColumnsOfName = 40;  // a subject may be the text of a graph

std::string some_of(const std::vector<std::string>& names) {
  std::vector<std::string> named;
  for (std::size_t index = 0; index < std::min(kNamed, names.size()); ++index)
    named.push_back(clipped(names[index], kColumnsOfName));
  return joined(named) + (names.size() > kNamed ? formatted(" and %zu more", names.size() - kNamed) : "");
}

std::string time_text(double seconds) {
  return seconds < 120 ? formatted("%g s", seconds) : formatted("%.0f min", seconds / 60);
}

}  // namespace

std::string job_plan_text(const engine::JobSpec& spec, const std::vector<DeviceInfo>& devices) {
  const std::vector<std::string> models = spec.subjects.empty() ? engine::default_subjects() : spec.subjects;
  std::vector<std::string> ids;
  for (const DeviceInfo& device : devices) ids.push_back(device.id);
  std::string text = "Measures " + counted(static_cast<std::int64_t>(models.size()), "subject") + " (" + some_of(models) + ") on " +
                     counted(static_cast<std::int64_t>(ids.size()), "device") + " (" + some_of(ids) + ").\n";
  text += "The whole job takes about " + time_text(spec.budget_seconds) +
          " (--budget): first figures, tuning, confirming, then fused against unfused.\n";
  if (spec.cold) text += "Cold figures (--cold) come on top.\n";
  return text + "Ctrl-C keeps what was measured; the same command continues from there.\n";
}

std::string plan_text(const engine::JobEstimate& plan, const Terminal& terminal) {
  std::string text = "Measures " + counted(static_cast<std::int64_t>(plan.models.size()), "model") + " (" + some_of(plan.models) +
                     ") on " + counted(static_cast<std::int64_t>(plan.devices.size()), "device") + " (" + some_of(plan.devices) +
                     "): " + counted(plan.pieces, "piece") + ", " + counted(plan.pairs, "pair") + " of a piece and a device.\n";
  if (plan.stored_pairs > 0) text += formatted("%d of the pairs are measured already.\n", plan.stored_pairs);
  std::vector<std::vector<std::string>> rows;
  for (const engine::PhaseEstimate& each : plan.phases)
    rows.push_back({each.name, std::to_string(each.steps), engine::about_text(each.seconds)});
  rows.push_back({"in all", "", engine::about_text(plan.seconds())});
  text += "\n" + render_table({{"phase"}, {"steps", Align::kRight}, {"about", Align::kRight}}, rows, terminal) + "\n";
  text += plan.trials_behind > 0 ? "It rests on " + counted(plan.trials_behind, "trial") + " that this machine has stored.\n"
                                 : "It rests on usual values: nothing stored shows a rate of this machine yet.\n";
  return text + "Nothing was measured now.\n";
}

nlohmann::json plan_json(const engine::JobEstimate& plan) {
  nlohmann::json document = {{"schema", "fuselab.job-plan/1"},
                             {"models", plan.models},
                             {"devices", plan.devices},
                             {"pieces", plan.pieces},
                             {"pairs", plan.pairs},
                             {"stored_pairs", plan.stored_pairs},
                             {"seconds", plan.seconds()},
                             {"trials_behind", plan.trials_behind},
                             {"phases", nlohmann::json::array()}};
  if (plan.budget_seconds > 0) document["budget_seconds"] = plan.budget_seconds;
  for (const engine::PhaseEstimate& each : plan.phases)
    document["phases"].push_back({{"phase", each.phase}, {"name", each.name}, {"steps", each.steps}, {"seconds", each.seconds}});
  return document;
}

void say_what_will_be_done(engine::Engine& engine, const engine::JobSpec& spec) {
  const auto backends = engine.devices(false);
  if (!backends.ok()) return;
  const auto devices = engine::select_devices(backends.value(), spec.devices, engine.config().synthetic);
  if (devices.ok()) std::fprintf(stderr, "%s", plain_text(job_plan_text(spec, devices.value())).c_str());
}

}  // namespace fuselab::cli
