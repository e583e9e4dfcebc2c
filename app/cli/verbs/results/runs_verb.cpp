// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/run_json.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/compare/runs/card_words.h"
#include "app/engine/compare/runs/run_choice.h"
#include "app/engine/compare/runs/run_marking.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"
#include "core/platform/system/clock.h"

namespace fuselab::cli {
namespace {

constexpr int kWidestName = 60;  // columns
constexpr std::size_t kShownOfId = 8;

// What the user wrote behind `fuselab runs VERB`.
struct RunWords {
  std::string run, text, tag;
  std::vector<std::string> tags, removed;
};

std::string when(const RunRecord& run) {
  const std::string text = platform::local_time_text(run.started_unix_ms);
  return text.substr(0, text.rfind(':'));
}

std::string shown_name(const engine::ListedRun& listed) {
  return clipped(plain_line(listed.name()), kWidestName);
}

std::string runs_text(const std::vector<engine::ListedRun>& runs, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const engine::ListedRun& listed : runs) {
    const RunRecord& run = listed.run;
    rows.push_back({plain_line(run.id.substr(0, kShownOfId)), shown_name(listed), run.marks.pinned ? "baseline" : "",
                    plain_line(joined(run.marks.tags)), when(run), plain_line(run.host.substr(0, kShownOfId)),
                    plain_line(joined(listed.devices)), std::to_string(listed.trials), plain_line(run.state)});
  }
  return render_table(
      {{"run"}, {"name"}, {"pinned"}, {"tags"}, {"when"}, {"machine"}, {"devices"}, {"trials", Align::kRight}, {"state"}}, rows,
      terminal);
}

Result<std::vector<engine::ListedRun>> stored_runs(const Invocation& invocation, bool include_synthetic) {
  const auto& file = invocation.config.database;
  std::error_code absent;
  if (!std::filesystem::exists(file, absent)) return Error{ErrorCode::kNotFound, file.string() + ": there is no such database"};
  return engine::list_runs(invocation.config, file, include_synthetic);
}

ExitCode list(const Invocation& invocation, const RunWords& words) {
  auto stored = stored_runs(invocation, invocation.config.synthetic);
  if (!stored.ok()) return fail(invocation, stored.error());
  auto& runs = stored.value();
  const auto lacks_tag = [&](const engine::ListedRun& listed) {
    const auto& tags = listed.run.marks.tags;
    return std::find(tags.begin(), tags.end(), words.tag) == tags.end();
  };
  if (!words.tag.empty()) std::erase_if(runs, lacks_tag);
  if (runs.empty()) {
    const std::string why = words.tag.empty() ? "no run with a trial; measure something: `fuselab bench w5`"
                                              : "no run has the tag '" + with_short_words(plain_line(words.tag)) + "'";
    return fail(invocation, {ErrorCode::kNotFound, invocation.config.database.string() + ": " + why});
  }
  if (invocation.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const engine::ListedRun& listed : runs) all.push_back(stored_run_json(listed));
    return print_document({{"schema", "fuselab.runs/1"}, {"runs", all}});
  }
  std::fputs(runs_text(runs, Terminal::of_stdout()).c_str(), stdout);
  return ExitCode::kOk;
}

ExitCode show(const Invocation& invocation, const RunWords& words) {
  const auto runs = stored_runs(invocation, /*include_synthetic=*/true);
  if (!runs.ok()) return fail(invocation, runs.error());
  const auto place = engine::find_run(runs.value(), words.run);
  if (!place.ok()) return fail(invocation, place.error());
  const engine::ListedRun& listed = runs.value()[place.value()];
  const auto card = engine::run_card(invocation.config, invocation.config.database, listed.run.id);
  if (!card.ok()) return fail(invocation, card.error());
  if (invocation.json)
    return print_document({{"schema", "fuselab.runs.show/1"}, {"run", stored_run_json(listed)}, {"card", card_json(card.value())}});
  const RunMarks& marks = listed.run.marks;
  std::printf("%s%s\n", plain_line(listed.called()).c_str(), marks.pinned ? "  (pinned baseline)" : "");
  if (!marks.tags.empty()) std::printf("tags: %s\n", plain_line(joined(marks.tags)).c_str());
  if (!marks.note.empty()) std::printf("%s\n", plain_text(marks.note).c_str());
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : engine::card_lines(listed.run, card.value())) rows.push_back({name, plain_line(value)});
  std::fputs(render_table({{"environment"}, {""}}, rows, Terminal::of_stdout()).c_str(), stdout);
  return ExitCode::kOk;
}

bool is_empty(const engine::RunChange& wanted) {
  return !wanted.name && !wanted.note && !wanted.pinned && wanted.add_tags.empty() && wanted.remove_tags.empty();
}

ExitCode change(const Invocation& invocation, const std::string& run, const engine::RunChange& wanted) {
  if (is_empty(wanted))
    return fail(invocation, invalid_argument("no tag is given; write the tags to add behind the run, or --remove TAG"));
  if (const auto there = stored_runs(invocation, true); !there.ok()) return fail(invocation, there.error());
  const auto changed = engine::change_run(invocation.config, run, wanted);
  if (!changed.ok()) return fail(invocation, changed.error());
  const engine::ListedRun& now = changed.value().run;
  if (invocation.json) {
    nlohmann::json unpinned = nlohmann::json::array();
    for (const engine::ListedRun& other : changed.value().unpinned) unpinned.push_back(other.run.id);
    return print_document({{"schema", "fuselab.runs.change/1"}, {"run", stored_run_json(now)}, {"unpinned", unpinned}});
  }
  std::fputs(runs_text({now}, Terminal::of_stdout()).c_str(), stdout);
  for (const engine::ListedRun& other : changed.value().unpinned)
    std::printf("No longer the baseline of these models: %s\n", plain_line(other.called()).c_str());
  return ExitCode::kOk;
}

using Wanted = engine::RunChange (*)(const RunWords& words);

CLI::App* add_change(CLI::App& command, Invocation& invocation, const std::shared_ptr<RunWords>& words, const char* name,
                     const char* purpose, Wanted wanted) {
  CLI::App* const verb = command.add_subcommand(name, purpose);
  verb->add_option("RUN", words->run, "Its name, its id, the beginning of its id, or latest")->required();
  verb->callback([&invocation, words, wanted] {
    invocation.action = [&invocation, words, wanted] { return change(invocation, words->run, wanted(*words)); };
  });
  return verb;
}

}  // namespace

void add_runs_verb(CLI::App& command, Invocation& invocation) {
  command.require_subcommand(0, 1);
  show_examples(command, {"fuselab runs", "fuselab runs show latest", "fuselab runs name latest \"before the upgrade\"",
                          "fuselab runs tag latest nightly avx512", "fuselab runs pin latest", "fuselab diff"});
  const auto words = std::make_shared<RunWords>();
  command.callback([&invocation, words] {
    if (!invocation.action) invocation.action = [&invocation, words] { return list(invocation, *words); };
  });
  CLI::App* const listing = command.add_subcommand("list", "Every run with a trial, newest first");
  listing->add_option("--tag", words->tag, "Runs with this tag only");
  listing->callback([&invocation, words] { invocation.action = [&invocation, words] { return list(invocation, *words); }; });
  CLI::App* const showing = command.add_subcommand("show", "The environment card of a run: machine, software, how quiet it was");
  showing->add_option("RUN", words->run, "Its name, its id, the beginning of its id, or latest")->required();
  showing->callback([&invocation, words] { invocation.action = [&invocation, words] { return show(invocation, *words); }; });
  add_change(command, invocation, words, "name", "Give a run a name of its own",
             [](const RunWords& given) {
               engine::RunChange change;
               change.name = given.text;
               return change;
             })
      ->add_option("NAME", words->text, "One line; \"\" takes the name away")
      ->required();
  add_change(command, invocation, words, "note", "Write a note to a run",
             [](const RunWords& given) {
               engine::RunChange change;
               change.note = given.text;
               return change;
             })
      ->add_option("TEXT", words->text, "\"\" takes the note away")
      ->required();
  CLI::App* const tag =
      add_change(command, invocation, words, "tag", "Add tags to a run, or remove them", [](const RunWords& given) {
        engine::RunChange change;
        change.add_tags = given.tags;
        change.remove_tags = given.removed;
        return change;
      });
  tag->add_option("TAG", words->tags, "Words to add");
  tag->add_option("--remove", words->removed, "A tag to remove; several: repeat")->allow_extra_args(false)->type_name("TAG");
  add_change(command, invocation, words, "pin", "Make a run the baseline of the models that it measured", [](const RunWords&) {
    engine::RunChange change;
    change.pinned = true;
    return change;
  });
  add_change(command, invocation, words, "unpin", "Let the run be no baseline", [](const RunWords&) {
    engine::RunChange change;
    change.pinned = false;
    return change;
  });
}

}  // namespace fuselab::cli
