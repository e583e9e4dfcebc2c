// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/history_models.h"
#include "app/cli/output/history_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/cli/shell/usage.h"
#include "app/gate/history/history_files.h"

namespace fuselab::cli {
namespace {

struct HistoryOptions {
  std::vector<std::string> files;
  engine::HistoryChoice choice;
  int models = 0;
  std::uint64_t seed = 1;
};

ExitCode history(const Invocation& invocation, const HistoryOptions& options) {
  if (options.models > 0) {
    if (!options.files.empty()) return fail(invocation, invalid_argument("--models takes no files: it draws its own series"));
    return try_history_models(options.models, options.seed, invocation.json);
  }
  if (options.files.empty())
    return fail(invocation, invalid_argument("history needs FILE: what `fuselab check --json-lines FILE` wrote, run after run"));
  const auto reports = engine::read_check_files(options.files);
  if (!reports.ok()) return fail(invocation, reports.error());
  const auto judged = engine::judged_histories(reports.value(), options.choice);
  if (!judged.ok()) return fail(invocation, judged.error());
  if (invocation.json) {
    nlohmann::json series = nlohmann::json::array();
    for (const JudgedHistory& each : judged.value()) series.push_back(history_json(each, reports.value()));
    return print_document({{"schema", "fuselab.history/1"}, {"series", series}});
  }
  const Terminal terminal = Terminal::of_stdout();
  std::string text;
  for (const JudgedHistory& each : judged.value())
    text += (text.empty() ? "" : "\n") + history_text(each, reports.value(), terminal);
  std::fputs(text.c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_history_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<HistoryOptions>();
  command.add_option("FILE", options->files,
                     "Reports of `fuselab check --json-lines FILE`, in any order; one file may hold many runs");
  command.add_option("--case", options->choice.cases, "Only these cases")->take_all()->type_name("NAME");
  command.add_option("--device", options->choice.devices, "Only on these devices (cpu:0)")->take_all()->type_name("NAME");
  command
      .add_option("--models", options->models,
                  "How often changes are found in drawn series, with and without one, this many of each; no file takes part")
      ->type_name("N")
      ->check(not_negative());
  command.add_option("--seed", options->seed, "Of those series")->type_name("N")->capture_default_str()->check(not_negative());
  show_examples(command, {"fuselab history runs/*.jsonl", "fuselab history runs.jsonl --case softmax --device cpu:0 --json",
                          "fuselab history --models 1000"});
  command.footer(
      command.get_footer() +
      "\n\nFor trends and for `fuselab bisect`; it never fails a run: that is for the gate, which compares side by side.");
  command.callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return history(invocation, *options); }; });
}

}  // namespace fuselab::cli
