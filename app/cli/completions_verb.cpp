// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/session/subject.h"
#include "core/graph/workload.h"

namespace fuselab::cli {
namespace {

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words += " --" + name;
  }
  return words;
}

std::string subject_words() {
  std::string words;
  for (const std::string& model : session::default_subjects()) words += " " + model;
  for (const Workload& workload : builtin_workloads()) words += " " + workload.id;
  return words;
}

// Bash knows these words; zsh reads the same script through bashcompinit.
std::string bash_script(const CLI::App& app) {
  std::string verbs, cases;
  for (const CLI::App* verb : app.get_subcommands({})) {
    verbs += " " + verb->get_name();
    std::string words = option_words(*verb) + option_words(app);
    for (const CLI::App* nested : verb->get_subcommands({})) words += " " + nested->get_name();
    cases += "    " + verb->get_name() + ") words=\"" + words + " $subjects\" ;;\n";
  }
  return "_fuselab() {\n  local words subjects=\"" + subject_words() + "\"\n  case \"${COMP_WORDS[1]}\" in\n" + cases +
         "    *) words=\"" + verbs + option_words(app) + "\" ;;\n  esac\n  [ \"$COMP_CWORD\" -eq 1 ] && words=\"" + verbs +
         option_words(app) +
         "\"\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -f -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\ncomplete -F _fuselab "
         "fuselab\n";
}

}  // namespace

void add_completions_verb(CLI::App& app, Invocation& invocation) {
  auto const shell = std::make_shared<std::string>("bash");
  CLI::App* const command = app.add_subcommand("completions", "Print a completion script: source <(fuselab completions bash)");
  command->add_option("SHELL", *shell, "bash or zsh")->check(CLI::IsMember({"bash", "zsh"}))->capture_default_str();
  command->callback([&app, &invocation, shell] {
    invocation.action = [&app, shell] {
      if (*shell == "zsh") std::puts("autoload -U +X bashcompinit && bashcompinit");
      std::fputs(bash_script(app).c_str(), stdout);
      return ExitCode::kOk;
    };
  });
}

}  // namespace fuselab::cli
