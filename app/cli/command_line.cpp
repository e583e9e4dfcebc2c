// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "app/cli/shell/help_format.h"
#include "app/cli/shell/own_file.h"
#include "app/cli/shell/usage.h"
#include "app/cli/verbs.h"
#include "app/engine/profile/profile_document.h"
#include "core/base/plain_text.h"
#include "core/base/shell_word.h"
#include "core/base/version.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

std::string joined(int count, const char* const* words) {
  std::string line = "fuselab";
  for (int index = 1; index < count; ++index) line += " " + shell_word(words[index]);
  return line;
}

// Looked for by hand: a command line that cannot be parsed must be answered in the form it asked for, too.
bool asks_for_json(int count, const char* const* words) {
  return std::any_of(words + 1, words + count, [](const char* word) { return std::strcmp(word, "--json") == 0; });
}

void add_common_options(CLI::App& app, Invocation& invocation) {
  app.add_flag("--json", invocation.json, "Print one JSON document instead of text; resources/schema/json describes it");
  app.add_flag("--quiet,-q", invocation.quiet, "No progress on stderr; warnings and errors stay");
  app.add_option("--db", invocation.config.database, "Database file")->capture_default_str()->type_name("FILE");
  app.add_flag("--synthetic", invocation.config.synthetic, "Include the null backend's scripted devices");
  app.add_option("--trace", invocation.trace_file, "Write a timeline of the command, for Perfetto or chrome://tracing")
      ->type_name("FILE");
  app.add_flag_callback(
      "--follow-links", [&invocation] { invocation.config.model_links = platform::Links::kFollowed; },
      "Follow symbolic links to the weights of a model, as in a cache of Hugging Face: trust who made them");
  app.fallthrough();
}

void name_group(CLI::App& app) {
  for (CLI::App* verb : app.get_subcommands([](CLI::App* /*verb*/) { return true; })) {
    verb->group("Verbs");
    name_group(*verb);
  }
}

// Writes the timeline, whatever the command came to: what failed is looked for in it, too. Its own failure only counts after a
// success.
ExitCode with_trace(const Invocation& invocation, ExitCode code) {
  const Status written = engine::write_timeline(*invocation.config.trace, invocation.trace_file);
  if (!written.ok()) {
    std::fprintf(stderr, "fuselab: the timeline was not written: %s\n", plain_text(written.error().message).c_str());
    return code == ExitCode::kOk ? exit_code_for(written.error()) : code;
  }
  if (!invocation.quiet)
    std::fprintf(stderr, "timeline: %s, %s\n", plain_line(invocation.trace_file.string()).c_str(),
                 counted(static_cast<std::int64_t>(invocation.config.trace->spans().size()), "span").c_str());
  return code;
}

ExitCode parse_and_act(Invocation& invocation, int count, const char* const* words) {
  const std::unique_ptr<CLI::App> app = make_command_line(invocation);
  try {
    app->parse(count, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 || misses_a_verb(*app)) return fail(invocation, usage_error(*app, error));
    app->exit(error);  // prints the help or version that was asked for
    return ExitCode::kOk;
  }
  if (invocation.trace_file.empty()) return invocation.action();
  if (const Status may = may_write_own(invocation.trace_file, engine::kTimelineStart); !may.ok())
    return fail(invocation, may.error());
  invocation.config.trace = std::make_shared<TraceRecorder>();
  return with_trace(invocation, invocation.action());
}

}  // namespace

std::unique_ptr<CLI::App> make_command_line(Invocation& invocation) {
  auto app = std::make_unique<CLI::App>(
      "Fuselab: which backend runs each fused piece of a model fastest, how much fusion gains, and how far that is from what the "
      "hardware allows.",
      "fuselab");
  app->formatter(std::make_shared<HelpFormat>());
  app->set_help_flag("--help,-h", "Print this and exit");
  app->set_version_flag("--version", std::string(tool_version()), "Print the version and exit");
  app->require_subcommand(1);
  add_common_options(*app, invocation);
  for (const Verb& verb : all_verbs()) {
    CLI::App* const command = app->add_subcommand(verb.name, verb.purpose);
    verb.add(*command, invocation);
    name_group(*command);
    command->group(verb.group);
  }
  app->footer(
      "Start with `fuselab devices`, then `fuselab bench w5`; `fuselab VERB --help` has examples.\n\n"
      "Exit codes: 0 ok, 1 confirmed regression, 2 usage or configuration, 3 internal, 4 inconclusive, 5 nothing matched,\n"
      "6 environment unfit, 7 numerics failed.");
  return app;
}

ExitCode run_command_line(int count, const char* const* words) {
  Invocation invocation;
  invocation.config = engine::config_from_environment(words[0]);
  invocation.command_line = joined(count, words);
  invocation.json = asks_for_json(count, words);
  ExitCode code = ExitCode::kInternal;
  try {
    code = parse_and_act(invocation, count, words);
  } catch (const std::exception& error) {
    code = fail(invocation, {ErrorCode::kInternal, std::string("internal error: ") + error.what()});
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("fuselab: standard output could not be written: is the disk full?\n", stderr);
  return code == ExitCode::kOk ? ExitCode::kUnfit : code;  // a regression stays one, whoever could read of it
}

}  // namespace fuselab::cli
