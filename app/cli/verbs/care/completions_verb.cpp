// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/completions.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/usage.h"
#include "app/engine/subject/subject.h"
#include "core/workloads/workload.h"

namespace fuselab::cli {
namespace {

std::vector<std::string> built_in_subjects() {
  std::vector<std::string> subjects = engine::default_subjects();
  for (const Workload& workload : builtin_workloads()) subjects.push_back(workload.id);
  return subjects;
}

ExitCode completions(const CLI::App& app, const Invocation& invocation, const std::string& shell) {
  const std::vector<std::string> subjects = built_in_subjects();
  const std::string script = shell == "fish"  ? fish_completions(app, subjects)
                             : shell == "zsh" ? zsh_completions(app, subjects)
                                              : bash_completions(app, subjects);
  if (invocation.json) return print_document({{"schema", "fuselab.completions/1"}, {"shell", shell}, {"script", script}});
  std::fputs(script.c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_completions_verb(CLI::App& command, Invocation& invocation) {
  const auto shell = std::make_shared<std::string>("bash");
  allow_only(*command.add_option("SHELL", *shell, "bash, zsh or fish")->capture_default_str(), "bash|zsh|fish");
  show_examples(command, {"source <(fuselab completions bash)", "source <(fuselab completions zsh)",
                          "fuselab completions fish > ~/.config/fish/completions/fuselab.fish"});
  const CLI::App& app = *command.get_parent();
  command.callback([&app, &invocation, shell] {
    invocation.action = [&app, &invocation, shell] { return completions(app, invocation, *shell); };
  });
}

}  // namespace fuselab::cli
