// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/completions.h"
#include "core/base/words.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace fuselab::cli {
namespace {

// "--level -h": as typed.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// Positional arguments that may be files.
bool takes_files(const CLI::App& verb) {
  return verb.get_option_no_throw("SUBJECT") != nullptr || verb.get_option_no_throw("FILE") != nullptr;
}

bool takes_subjects(const CLI::App& verb) {
  return verb.get_option_no_throw("SUBJECT") != nullptr;
}

// A flag takes none, and any word may follow it.
bool takes_a_value(const CLI::Option& option) {
  return option.get_items_expected_max() != 0;
}

bool takes_a_file(const CLI::Option& option) {
  return option.get_type_name() == "FILE";
}

// "warm|cold" → "warm cold"; empty where any value may stand.
std::string value_words(const CLI::Option& option) {
  std::string values = option.get_type_name();
  const bool listed = values.find('|') != std::string::npos || (!values.empty() && values[0] >= 'a' && values[0] <= 'z');
  if (!listed) return "";  // what may be anything is named in capitals
  std::replace(values.begin(), values.end(), '|', ' ');
  return values;
}

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : names_of(*option)) words += " " + name;
  }
  return words;
}

// " --help --db --help" → " --help --db": a verb has some options of everybody's itself.
std::string each_once(const std::string& words) {
  std::istringstream stream(words);
  std::set<std::string> seen;
  std::string once;
  for (std::string word; stream >> word;) {
    if (seen.insert(word).second) once += " " + word;
  }
  return once;
}

std::string verb_words(const CLI::App& app) {
  std::string words;
  for (const CLI::App* verb : app.get_subcommands({})) words += " " + verb->get_name();
  return words;
}

// The cases that answer after an option with a value: its closed list, a file, or nothing that could be known.
std::string value_cases(const CLI::App& app, const std::string& verb) {
  std::string cases;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() || !takes_a_value(*option)) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : names_of(*option)) patterns.emplace_back(verb).append(":").append(name);
    const std::string values = value_words(*option);
    cases += "    " + joined(patterns, " | ") + ") ";
    cases += !values.empty() ? "choices=\"" + values + "\" ;;\n" : takes_a_file(*option) ? "files=yes ;;\n" : ";;\n";
  }
  return cases;
}

// Lists what may follow a verb: the listed values of its arguments, its own and the common options, subjects, and files where no
// word fits.
std::string words_case(const std::string& pattern, const CLI::App& verb, const CLI::App& app) {
  std::string words = verb_words(verb);
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) words += " " + value_words(*option);
  }
  words = each_once(words + option_words(verb) + option_words(app));
  return "      " + pattern + ") choices=\"" + (takes_subjects(verb) ? "$subjects" : "") + words + "\"" +
         (takes_files(verb) ? " files=yes" : "") + " ;;\n";
}

std::string words_cases(const CLI::App& verb, const CLI::App& app) {
  const auto nested = verb.get_subcommands([](const CLI::App* /*nested*/) { return true; });
  if (nested.empty()) return words_case(verb.get_name() + ":*", verb, app);
  std::string cases = words_case(verb.get_name() + ":", verb, app);
  for (const CLI::App* each : nested) cases += words_case(verb.get_name() + ":" + each->get_name(), *each, app);
  return cases;
}

std::string quoted_for_fish(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "'";
}

std::string fish_line(const std::string& condition, const std::string& rest) {
  return "complete -c fuselab" + (condition.empty() ? "" : " -n " + quoted_for_fish(condition)) + rest + "\n";
}

std::string fish_option(const CLI::Option& option, const std::string& condition) {
  std::string line;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  const std::string values = value_words(option);
  if (takes_a_value(option)) line += takes_a_file(option) ? " -r -F" : values.empty() ? " -x" : " -x -a " + quoted_for_fish(values);
  return fish_line(condition, line + " -d " + quoted_for_fish(option.get_description()));
}

// Writes the completions of a verb's options, arguments, subjects and files.
std::string fish_arguments(const CLI::App& verb, const std::string& condition, const std::string& subjects) {
  std::string script;
  if (takes_subjects(verb)) script += fish_line(condition, " -a " + quoted_for_fish(subjects));
  if (takes_files(verb)) script += fish_line(condition, " -F");
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional())
      script += fish_option(*option, condition);
    else if (!value_words(*option).empty())
      script += fish_line(condition, " -a " + quoted_for_fish(value_words(*option)));
  }
  return script;
}

std::string fish_verb(const CLI::App& verb, const std::string& subjects) {
  const std::string seen = "__fish_seen_subcommand_from " + verb.get_name();
  std::string script =
      fish_line("__fish_use_subcommand", " -a " + verb.get_name() + " -d " + quoted_for_fish(verb.get_description()));
  const std::string nested = verb_words(verb);
  for (const CLI::App* each : verb.get_subcommands({})) {
    std::string before = seen;
    before.append("; and not __fish_seen_subcommand_from").append(nested);
    script += fish_line(before, " -a " + each->get_name() + " -d " + quoted_for_fish(each->get_description()));
    script += fish_arguments(*each, seen + "; and __fish_seen_subcommand_from " + each->get_name(), subjects);
  }
  return script + fish_arguments(verb, seen, subjects);
}

}  // namespace

std::string bash_completions(const CLI::App& app, const std::vector<std::string>& subjects) {
  std::string verbs, values = value_cases(app, "*");
  for (const CLI::App* verb : app.get_subcommands({})) {
    verbs += words_cases(*verb, app);
    values += value_cases(*verb, verb->get_name());
    for (const CLI::App* nested : verb->get_subcommands({})) values += value_cases(*nested, verb->get_name());
  }
  // The verb is the first word that is neither an option nor the value of one that may stand before it. Files are suggested where
  // they may stand and no word fits.
  return "_fuselab() {\n  local choices=\"\" files=\"\" verb=\"\" nested=\"\" before=\"\" word subjects=\"" +
         joined(subjects, " ") +
         "\"\n  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$before:$word\" in --db:* | *:-*) ;; *)\n"
         "      if [ -z \"$verb\" ]; then verb=\"$word\"; elif [ -z \"$nested\" ]; then nested=\"$word\"; fi ;;\n    esac\n"
         "    before=\"$word\"\n  done\n  case \"$verb:$before\" in\n" +
         values + "    *) case \"$verb:$nested\" in\n" + verbs + "      :) choices=\"" + verb_words(app).substr(1) +
         option_words(app) +
         "\" ;;\n    esac ;;\n  esac\n  COMPREPLY=($(compgen -W \"$choices\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "  if [ -n \"$files\" ] && [ ${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- \"${COMP_WORDS[COMP_CWORD]}\")); "
         "fi\n"
         "}\ncomplete -F _fuselab fuselab\n";
}

std::string zsh_completions(const CLI::App& app, const std::vector<std::string>& subjects) {
  return "autoload -U +X bashcompinit && bashcompinit\n" + bash_completions(app, subjects);
}

std::string fish_completions(const CLI::App& app, const std::vector<std::string>& subjects) {
  std::string script = fish_line("", " -f");
  for (const CLI::Option* option : app.get_options()) script += fish_option(*option, "");
  for (const CLI::App* verb : app.get_subcommands({})) script += fish_verb(*verb, joined(subjects, " "));
  return script;
}

}  // namespace fuselab::cli
