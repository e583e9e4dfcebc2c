// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/usage.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/words.h"
#include "core/kernel/launch_config.h"

namespace fuselab::cli {
namespace {

std::string verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return joined(names);
}

std::string options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return joined(names);
}

// "fuselab db gc": what stands before --help.
std::string whole_name(const CLI::App& verb) {
  return (verb.get_parent() == nullptr ? "" : whole_name(*verb.get_parent()) + " ") + verb.get_name();
}

// "db gc"; the program is not named again in its own messages.
std::string short_name(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : whole_name(verb).substr(whole_name(verb).find(' ') + 1);
}

std::string unexpected(const CLI::App& verb, const std::string& word) {
  const bool wants_verb = !verb.get_subcommands({}).empty();
  if (word.rfind('-', 0) == 0) return short_name(verb) + " does not know " + word + "; it takes " + options_of(verb);
  if (wants_verb && verb.get_parent() == nullptr) return "there is no verb '" + word + "'; there are " + verbs_of(verb);
  if (wants_verb) return short_name(verb) + " has no verb '" + word + "'; it has " + verbs_of(verb);
  return short_name(verb) + " does not know what to do with '" + word + "'";
}

std::string missing(const CLI::App& verb, const std::string& told) {
  if (verb.get_parent() == nullptr) return "say what to do: " + verbs_of(verb);
  if (!verb.get_subcommands({}).empty()) return short_name(verb) + " needs to know what to do: " + verbs_of(verb);
  return short_name(verb) + " needs " + told.substr(0, told.find(' '));
}

std::string described(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = chosen_verb(app);
  const std::string told = error.what();
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (!extras.empty()) return unexpected(verb, extras.front());
  if (error.get_name() == "RequiredError") return missing(verb, told);
  if (error.get_name() == "ArgumentMismatch")
    return told.substr(0, told.find(':')) + (told.find(": At Most") == std::string::npos ? " needs a value" : " is given twice");
  if (error.get_name() == "ConversionError")
    return "cannot make sense of" + told.substr(std::min(told.find(':'), told.size() - 1) + 1);
  return told;
}

}  // namespace

const CLI::App& chosen_verb(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  return *verb;
}

bool misses_a_verb(const CLI::App& app) {
  return !chosen_verb(app).get_subcommands({}).empty() && !app.remaining(/*recurse=*/true).empty();
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  return invalid_argument(described(app, error) + "; `" + whole_name(chosen_verb(app)) + " --help` explains");
}

void allow_only(CLI::Option& option, const std::string& values) {
  const auto check = [values](const std::string& text) {
    const std::vector<std::string> allowed = CLI::detail::split(values, '|');
    const bool known = std::find(allowed.begin(), allowed.end(), text) != allowed.end();
    return known ? std::string() : "'" + text + "' is none of " + joined(allowed);
  };
  option.check(check, "")->type_name(values);
}

CLI::Validator above_zero() {
  return CLI::Validator(
      [](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool number = !text.empty() && *end == '\0';
        if (!number || !(value > 0)) return "'" + text + "' is no number above 0";
        return std::isfinite(value) ? std::string() : "'" + text + "' is no finite number";
      },
      "");
}

CLI::Validator not_negative() {
  return CLI::Validator(
      [](std::string& text) {
        return text.find('-') == std::string::npos ? std::string() : "'" + text + "' is no number from 0 on";
      },
      "");
}

CLI::Validator launch_config() {
  return CLI::Validator(
      [](std::string& text) {
        const auto config = LaunchConfig::parse(text);
        if (!config.ok()) return config.error().message;
        return config.value().values().empty() ? std::string("a launch configuration has at least one key=value") : std::string();
      },
      "");
}

}  // namespace fuselab::cli
