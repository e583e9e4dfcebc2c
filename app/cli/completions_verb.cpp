// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/completions.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/usage.h"

namespace fuselab::cli {
namespace {

ExitCode completions(const CLI::App& app, const Invocation& invocation, const std::string& shell) {
  std::string const script = shell == "fish"  ? fish_completions(app)
                             : shell == "zsh" ? zsh_completions(app)
                                              : bash_completions(app);
  if (invocation.json) return print_document({{"schema", "fuselab.completions/1"}, {"shell", shell}, {"script", script}});
  std::fputs(script.c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_completions_verb(CLI::App& app, Invocation& invocation) {
  auto const shell = std::make_shared<std::string>("bash");
  CLI::App* const command = app.add_subcommand("completions", "Print a completion script for a shell");
  allow_only(*command->add_option("SHELL", *shell, "bash, zsh or fish")->capture_default_str(), "bash|zsh|fish");
  show_examples(*command, {"source <(fuselab completions bash)", "source <(fuselab completions zsh)",
                           "fuselab completions fish > ~/.config/fish/completions/fuselab.fish"});
  command->callback([&app, &invocation, shell] {
    invocation.action = [&app, &invocation, shell] { return completions(app, invocation, *shell); };
  });
}

}  // namespace fuselab::cli
