// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "app/cli/command.h"
#include "core/base/version.h"

namespace {

using fuselab::cli::ExitCode;
using fuselab::cli::Invocation;

std::string joined(int count, char** words) {
  std::string line = "fuselab";
  for (int index = 1; index < count; ++index) {
    std::string const word = words[index];
    bool const plain = word.find_first_of(" \t\"'(){}<>|&;$*?#") == std::string::npos && !word.empty();
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

void add_common_options(CLI::App& app, Invocation& invocation) {
  app.add_flag("--json", invocation.json, "Print the result as JSON");
  app.add_flag("--quiet,-q", invocation.quiet, "No progress");
  app.add_option("--db", invocation.config.database, "Database file")->capture_default_str()->type_name("FILE");
  app.add_flag("--synthetic", invocation.config.synthetic, "Include the null backend's scripted devices");
  app.fallthrough();
}

int run(int count, char** words) {
  Invocation invocation;
  invocation.config = fuselab::session::config_from_environment(words[0]);
  invocation.command_line = joined(count, words);

  CLI::App app(
      "Fuselab: which backend runs each fused piece of a model fastest, how much fusion gains, and how far that is from what the "
      "hardware allows.",
      "fuselab");
  app.set_version_flag("--version", std::string(fuselab::tool_version()));
  app.require_subcommand(1);
  add_common_options(app, invocation);
  fuselab::cli::add_run_verbs(app, invocation);
  fuselab::cli::add_compare_verb(app, invocation);
  fuselab::cli::add_devices_verb(app, invocation);
  fuselab::cli::add_workloads_verb(app, invocation);
  fuselab::cli::add_fuse_verbs(app, invocation);
  fuselab::cli::add_select_verb(app, invocation);
  fuselab::cli::add_report_verb(app, invocation);
  fuselab::cli::add_db_verbs(app, invocation);
  fuselab::cli::add_doctor_verb(app, invocation);
  fuselab::cli::add_completions_verb(app, invocation);
  app.footer(
      "Exit codes: 0 ok, 1 confirmed regression, 2 usage or configuration, 3 internal, 4 inconclusive, 5 nothing matched, 6 "
      "environment unfit, 7 numerics failed.");

  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    // CLI11 prints help and version itself and gives 0 for them; everything else is a usage error.
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  return static_cast<int>(invocation.action());
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuselab: internal error: %s\n", error.what());
    return static_cast<int>(ExitCode::kInternal);
  }
}
