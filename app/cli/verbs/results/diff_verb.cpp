// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/run_json.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/compare/runs/run_choice.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

struct DiffWords {
  std::string before, after;
};

// The places of the two runs in the list.
struct Chosen {
  std::size_t before = 0, after = 0;
};

// A run that is named alone is compared with the newest.
Result<Chosen> chosen_runs(const std::vector<engine::ListedRun>& runs, const DiffWords& words) {
  Chosen chosen;
  if (!words.before.empty()) {
    FL_TRY(chosen.before, engine::find_run(runs, words.before));
    FL_TRY(chosen.after, engine::find_run(runs, words.after.empty() ? engine::kLatestRun : words.after));
    if (chosen.before == chosen.after)
      return invalid_argument("both runs are " + runs[chosen.after].run.id + "; a run differs in nothing from itself");
    return chosen;
  }
  if (runs.size() < 2)
    return Error{ErrorCode::kNotFound, std::string(runs.empty() ? "no run has" : "only one run has") +
                                           " a trial; a comparison needs two: measure, with --remeasure if nothing changed"};
  chosen.after = engine::usual_after(runs);
  chosen.before = engine::usual_before(runs, chosen.after).value_or(chosen.after + 1);
  return chosen;
}

std::string verdict_text(const engine::DiffRow& row) {
  if (!row.is_judged()) return "not measured to the end";
  if (!row.machine.empty()) return "another machine";
  return row.result.verdict == Verdict::kSame ? "same kernel" : std::string(name_of(row.result.verdict));
}

std::string figure_text(const engine::RunFigure& figure) {
  return figure.is_final() ? format_duration({figure.median_ns}) : "–";
}

std::string change_text(const ApartResult& result) {
  if (!result.without_drift) return "–";
  std::string text = formatted("%.3fx", *result.without_drift);
  if (std::isfinite(result.interval.high)) text += formatted(" [%.3f, %.3f]", result.interval.low, result.interval.high);
  return text;
}

std::string rows_text(const engine::RunDiff& diff, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const engine::DiffRow& row : diff.rows)
    rows.push_back({plain_line(row.name), plain_line(row.device_id), std::string(name_of(row.kind)),
                    std::string(name_of(row.metric.mode)), figure_text(row.before), figure_text(row.after), change_text(row.result),
                    verdict_text(row)});
  return render_table({{"kernel"},
                       {"device"},
                       {"plan"},
                       {"caches"},
                       {"before", Align::kRight},
                       {"after", Align::kRight},
                       {"without drift", Align::kRight},
                       {"verdict"}},
                      rows, terminal);
}

std::string drift_text(const StratumDrift& drift) {
  const std::string count = counted(drift.controls, "unchanged kernel") + " on " + plain_line(drift.stratum);
  if (!drift.enough) return count + ": too few to tell the drift\n";
  return count + formatted(": %.3fx the time before ±%.1f%%\n", drift.drift, 100 * std::expm1(drift.deviation));
}

std::string diff_text(const engine::ListedRun& before, const engine::ListedRun& after, const engine::RunDiff& diff,
                      const Terminal& terminal) {
  const auto baseline = [](const engine::ListedRun& listed) { return listed.run.marks.pinned ? "  (pinned baseline)" : ""; };
  std::string text = "before: " + plain_line(before.called()) + baseline(before) + "\nafter:  " + plain_line(after.called()) +
                     baseline(after) + "\n";
  const engine::DiffCounts counts = engine::count_verdicts(diff);
  text += std::to_string(counts.regressed) + " regressed, " + std::to_string(counts.improved) + " improved, " +
          std::to_string(counts.equivalent) + " equivalent, " + std::to_string(counts.inconclusive) + " inconclusive, " +
          std::to_string(counts.unfinished) + " not measured to the end; " + std::to_string(diff.only_before) + " only before, " +
          std::to_string(diff.only_after) + " only after\n";
  for (const StratumDrift& drift : diff.apart.strata) text += drift_text(drift);
  for (const engine::RunDiff::Difference& each : diff.environment)
    text += "differs: " + plain_line(each.name + ", " + each.before + " → " + each.after) + "\n";
  if (!diff.rows.empty()) text += "\n" + rows_text(diff, terminal);
  return text + "Measured at different times: only `fuselab check` runs both side by side.\n";
}

ExitCode diff(const Invocation& invocation, const DiffWords& words) {
  const engine::Config& config = invocation.config;
  const auto queries = engine::open_other_database(config, config.database);
  if (!queries.ok()) return fail(invocation, queries.error());
  const bool named = !words.before.empty();
  const auto runs = engine::list_runs(config, config.database, named || config.synthetic);
  if (!runs.ok()) return fail(invocation, runs.error());
  const auto chosen = chosen_runs(runs.value(), words);
  if (!chosen.ok()) return fail(invocation, chosen.error());
  const engine::ListedRun& before = runs.value()[chosen.value().before];
  const engine::ListedRun& after = runs.value()[chosen.value().after];
  ResultQueries* const stored = queries.value().get();
  const auto found = engine::diff_runs({stored, before.run.id}, {stored, after.run.id}, named || config.synthetic);
  if (!found.ok()) return fail(invocation, found.error());
  if (invocation.json) return print_document(diff_json(before, after, found.value()));
  std::fputs(diff_text(before, after, found.value(), Terminal::of_stdout()).c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_diff_verb(CLI::App& command, Invocation& invocation) {
  const auto words = std::make_shared<DiffWords>();
  command.add_option("BEFORE", words->before,
                     "A run: its name, its id, the beginning of its id, or latest (default: the pinned baseline)");
  command.add_option("AFTER", words->after, "Compared with it (default: the newest run)");
  show_examples(command, {"fuselab diff", "fuselab diff nightly", "fuselab diff 3f2a91c0 latest"});
  command.callback([&invocation, words] { invocation.action = [&invocation, words] { return diff(invocation, *words); }; });
}

}  // namespace fuselab::cli
