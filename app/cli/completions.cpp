// SPDX-License-Identifier: Apache-2.0
#include "app/cli/completions.h"

#include <algorithm>

#include "app/session/subject.h"
#include "core/graph/workload.h"

namespace fuselab::cli {
namespace {

// "--level -h": as typed.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : names_of(*option)) words += " " + name;
  }
  return words;
}

std::string verb_words(const CLI::App& app) {
  std::string words;
  for (const CLI::App* verb : app.get_subcommands({})) words += " " + verb->get_name();
  return words;
}

bool takes_subjects(const CLI::App& verb) {
  return verb.get_option_no_throw("SUBJECT") != nullptr;
}

std::string subject_words() {
  std::string words;
  for (const std::string& model : session::default_subjects()) words += " " + model;
  for (const Workload& workload : builtin_workloads()) words += " " + workload.id;
  return words;
}

// "warm|cold" → "warm cold"; empty where any value may stand.
std::string value_words(const CLI::Option& option) {
  std::string values = option.get_type_name();
  if (values.find('|') == std::string::npos) return "";
  std::replace(values.begin(), values.end(), '|', ' ');
  return values;
}

std::string value_case(const std::string& verb, const std::string& options, const std::string& values) {
  return "    " + verb + ":" + options + ") choices=\"" + values + "\" ;;\n";
}

// The cases that answer after an option with a closed list of values.
std::string value_cases(const CLI::App& app) {
  std::string cases;
  for (const CLI::Option* option : app.get_options()) {
    std::string const values = value_words(*option);
    if (values.empty() || option->get_positional()) continue;
    std::string pattern;
    for (const std::string& name : names_of(*option)) pattern += (pattern.empty() ? "" : "|") + name;
    cases += value_case(app.get_name(), pattern, values);
  }
  return cases;
}

// The words that may follow a verb: its own verbs or subjects or listed values, its options and everybody's.
std::string verb_case(const CLI::App& verb, const CLI::App& app) {
  std::string words = verb_words(verb);
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) words += " " + value_words(*option);
  }
  words += option_words(verb);
  for (const CLI::App* nested : verb.get_subcommands({})) words += option_words(*nested);
  return "    " + verb.get_name() + ") choices=\"" + words + option_words(app) + (takes_subjects(verb) ? " $subjects" : "") +
         "\" ;;\n";
}

std::string quoted_for_fish(const std::string& text) {
  std::string quoted = "'";
  for (char const letter : text) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "'";
}

std::string fish_option(const CLI::Option& option, const std::string& condition) {
  std::string line = "complete -c fuselab" + condition;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  std::string const values = value_words(option);
  if (option.get_type_size() != 0) line += values.empty() ? " -r" : " -x -a " + quoted_for_fish(values);
  return line + " -d " + quoted_for_fish(option.get_description()) + "\n";
}

std::string fish_verb(const CLI::App& verb) {
  std::string const seen = " -n '__fish_seen_subcommand_from " + verb.get_name() + "'";
  std::string script = "complete -c fuselab -n __fish_use_subcommand -a " + verb.get_name() + " -d " +
                       quoted_for_fish(verb.get_description()) + "\n";
  for (const CLI::App* nested : verb.get_subcommands({}))
    script +=
        "complete -c fuselab" + seen + " -a " + nested->get_name() + " -d " + quoted_for_fish(nested->get_description()) + "\n";
  if (takes_subjects(verb)) script += "complete -c fuselab" + seen + " -a '" + subject_words().substr(1) + "'\n";
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional())
      script += fish_option(*option, seen);
    else if (!value_words(*option).empty())
      script += "complete -c fuselab" + seen + " -a '" + value_words(*option) + "'\n";
  }
  return script;
}

}  // namespace

std::string bash_completions(const CLI::App& app) {
  std::string verbs, values;
  for (const CLI::App* verb : app.get_subcommands({})) {
    verbs += verb_case(*verb, app);
    values += value_cases(*verb);
  }
  std::string const first = verb_words(app) + option_words(app);
  // The verb is the first word that is neither an option nor the value of one that may stand before it.
  return "_fuselab() {\n  local choices=\"\" files=\"-f\" verb=\"\" before=\"\" word subjects=\"" + subject_words() +
         "\"\n  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$before:$word\" in --db:* | *:-*) ;; *) "
         "verb=\"$word\"; break ;; esac\n    before=\"$word\"\n  done\n  case \"$verb:${COMP_WORDS[COMP_CWORD-1]}\" in\n" +
         values + "  esac\n  if [ -n \"$choices\" ]; then files=\"\"; else case \"$verb\" in\n" + verbs + "    *) choices=\"" +
         first +
         "\" ;;\n  esac; fi\n  COMPREPLY=($(compgen -W \"$choices\" $files -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
         "complete -F _fuselab fuselab\n";
}

std::string zsh_completions(const CLI::App& app) {
  return "autoload -U +X bashcompinit && bashcompinit\n" + bash_completions(app);
}

std::string fish_completions(const CLI::App& app) {
  std::string script;
  for (const CLI::Option* option : app.get_options()) script += fish_option(*option, "");
  for (const CLI::App* verb : app.get_subcommands({})) script += fish_verb(*verb);
  return script;
}

}  // namespace fuselab::cli
