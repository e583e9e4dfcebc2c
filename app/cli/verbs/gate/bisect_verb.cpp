// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/history_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/gate/history/bisect.h"
#include "app/gate/history/history_files.h"
#include "app/gate/source/repository.h"
#include "core/base/plain_text.h"
#include "core/base/shell_word.h"
#include "core/base/shown_commit.h"

namespace fuselab::cli {
namespace {

struct BisectOptions {
  std::vector<std::string> ends;  // GOOD and BAD
  std::string from;               // reports whose newest change gives them
  engine::HistoryChoice choice;
  std::string build;
  std::string check;  // in place of this program's own
  bool for_git = false;
  std::string folder = ".", record;
};

std::string own_program() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? "fuselab" : program.string();
}

// The newest change to slower of the one case that was named.
Result<CommitRange> range_in(const std::string& file, const engine::HistoryChoice& choice) {
  FL_TRY(const std::vector<CheckReport> reports, engine::read_check_files({file}));
  FL_TRY(const std::vector<JudgedHistory> judged, engine::judged_histories(reports, choice));
  CommitRange newest;
  std::string started_at;
  for (const JudgedHistory& each : judged) {
    for (const ChangePoint& change : each.found.changes) {
      const CommitRange range = commits_around(change, each.history);
      const std::string& start = each.history.points[change.at].started_at;
      const bool usable = change.change > 0 && !range.good.empty() && !range.bad.empty() && range.good != range.bad;
      if (!usable || (!newest.bad.empty() && start < started_at)) continue;
      newest = range;
      started_at = start;
    }
  }
  if (newest.bad.empty())
    return Error{ErrorCode::kNotFound,
                 plain_line(file) + " shows no commits between which '" + plain_line(choice.cases.front()) + "' became slower"};
  return newest;
}

// Returns the command that judges a commit: the user's, else the gate, against the good commit where that is known.
std::string check_of(const BisectOptions& options, const std::string& good) {
  if (!options.check.empty()) return options.check;
  std::string line = shell_word(own_program()) + " check";
  for (const std::string& name : options.choice.cases) line += " --case " + shell_word(name);
  for (const std::string& device : options.choice.devices) line += " --device " + shell_word(device);
  // A commit that decides nothing is skipped, and is not a good one.
  line += " --fail-on regressed,wrong-result,failed,misconfigured,no-baseline,renamed,unfit,inconclusive";
  return good.empty() ? line : line + " --against " + shell_word(good);
}

std::string step_text(const engine::StepTaken& step) {
  std::string text = shown_commit(step.commit) + "  " + std::string(name_of(step.answer));
  const bool plain = step.answer == engine::BisectAnswer::kGood || step.answer == engine::BisectAnswer::kBad;
  return plain ? text : text + ": " + plain_line(step.reason);
}

nlohmann::json found_json(const engine::BisectFound& found) {
  nlohmann::json steps = nlohmann::json::array();
  for (const engine::StepTaken& step : found.steps)
    steps.push_back({{"commit", step.commit}, {"answer", name_of(step.answer)}, {"reason", step.reason}});
  return {{"schema", "fuselab.bisect/1"},
          {"good", found.good},
          {"bad", found.bad},
          {"steps", steps},
          {"suspects", found.suspects},
          {"suspects_total", found.suspects_total},
          {"subject", found.subject}};
}

std::string found_text(const engine::BisectFound& found) {
  const std::string& first = found.suspects.front();
  if (found.suspects.size() == 1) return "first bad commit: " + first + " " + plain_line(found.subject) + "\n";
  std::string text = "commits that could not be judged are left; the first bad one is among";
  if (found.suspects_total > found.suspects.size()) {
    const std::string all = std::to_string(found.suspects_total);
    text += " " + all + " (" + std::to_string(found.suspects.size()) + " of " + all + ", newest first)";
  }
  text += "\n";
  for (const std::string& commit : found.suspects) text += "  " + commit + "\n";
  return text;
}

ExitCode search(const Invocation& invocation, const BisectOptions& options) {
  if (options.choice.cases.size() != 1 && (options.check.empty() || !options.from.empty()))
    return fail(invocation, invalid_argument("bisect needs --case NAME: the one that became slower"));
  if (options.from.empty() == (options.ends.size() != 2))
    return fail(invocation,
                invalid_argument("bisect needs two commits, GOOD BAD, or --from FILE to take them from a history's newest change"));
  engine::BisectSpec spec;
  spec.folder = ".";
  spec.build = options.build;
  spec.step = {own_program(), "bisect", "--for-git"};
  if (options.from.empty()) {
    spec.good = options.ends[0];
    spec.bad = options.ends[1];
  } else {
    const auto range = range_in(options.from, options.choice);
    if (!range.ok()) return fail(invocation, range.error());
    spec.good = range.value().good;
    spec.bad = range.value().bad;
  }
  // The good commit is passed on by its digits: HEAD~3 is another commit in another working tree.
  const auto good = engine::commit_named(spec.folder, spec.good);
  if (!good.ok()) return fail(invocation, good.error());
  spec.check = check_of(options, good.value());
  const auto on_step = [&](const engine::StepTaken& step) {
    if (!invocation.json && !invocation.quiet) std::fprintf(stderr, "%s\n", step_text(step).c_str());
  };
  const Interruption interruption;
  const auto found = engine::bisect(spec, on_step, interruption.token());
  if (!found.ok()) return fail(invocation, found.error());
  const bool certain = found.value().suspects.size() == 1;
  if (!invocation.json) {
    std::fputs(found_text(found.value()).c_str(), stdout);
    return certain ? ExitCode::kOk : ExitCode::kInconclusive;
  }
  if (certain) return print_document(found_json(found.value()));
  return print_document(found_json(found.value()), Error{ErrorCode::kNotFound, "commits that could not be judged are left"},
                        ExitCode::kInconclusive);
}

// For `git bisect run`: its exit codes, not the one table's.
ExitCode answer_git(const Invocation& invocation, const BisectOptions& options) {
  if (options.choice.cases.empty() && options.check.empty())
    return fail(invocation, invalid_argument("bisect --for-git needs --case NAME or --check COMMAND"));
  const engine::BisectStep step{options.folder, options.build, check_of(options, {}), options.record};
  const engine::StepTaken taken = engine::take_step(step);
  if (!invocation.quiet) std::fprintf(stderr, "%s\n", step_text(taken).c_str());
  return static_cast<ExitCode>(taken.answer);
}

}  // namespace

void add_bisect_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<BisectOptions>();
  command.add_option("COMMITS", options->ends, "GOOD BAD: the last commit that was fast and one that is slow");
  command
      .add_option("--from", options->from,
                  "Take both from the newest change to slower in these reports of `fuselab check --json-lines`")
      ->type_name("FILE");
  command.add_option("--case", options->choice.cases, "The case that became slower")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  command.add_option("--device", options->choice.devices, "Only on these devices (cpu:0)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      .add_option("--build", options->build,
                  "A shell's command line to run at each commit first; where it fails, the commit is skipped")
      ->type_name("COMMAND");
  command
      .add_option("--check", options->check,
                  "A shell's command line to judge a commit by instead of `fuselab check`, with the same exit codes")
      ->type_name("COMMAND");
  command.add_flag("--for-git", options->for_git, "Judge the commit that is checked out here: what `git bisect run` calls");
  command.add_option("--folder", options->folder, "Where to do that")->type_name("FOLDER")->capture_default_str();
  command.add_option("--record", options->record, "Add what was said to this file")->type_name("FILE");
  show_examples(
      command, {"fuselab bisect v1.2 main --case softmax", "fuselab bisect --from runs.jsonl --case softmax",
                "fuselab bisect v1.2 main --build 'cmake --build build' --check 'build/bin/fuselab check --baseline v1.2.baseline'",
                "git bisect run fuselab bisect --for-git --case softmax"});
  command.footer(command.get_footer() +
                 "\n\nA commit is good where the check ends with 0, bad with 1, skipped with 2 to 7. With --for-git the exit "
                 "codes are git's:\n"
                 "0 good, 1 bad, 125 skip, 128 abort.");
  command.callback([&invocation, options] {
    invocation.action = [&invocation, options] {
      return options->for_git ? answer_git(invocation, *options) : search(invocation, *options);
    };
  });
}

}  // namespace fuselab::cli
