// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/engine/compare/chosen_default.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;

std::string day_of(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  char text[32];
  if (gmtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts) == 0) return "";
  return text;
}

json stored_json(const engine::StoredDefault& set) {
  return {{"backend", set.backend},
          {"fallback", set.fallback},
          {"evidence", set.evidence},
          {"tool_version", set.tool_version},
          {"set_unix_ms", set.set_unix_ms}};
}

ExitCode show(Invocation& invocation) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const auto state = engine::default_state(*engine.value());
  if (!state.ok()) return fail(invocation, state.error());
  const engine::DefaultState& is = state.value();
  if (invocation.json) {
    json document = {{"schema", "fuselab.default.show/1"},
                     {"in_force", is.in_force},
                     {"reason", is.reason},
                     {"prefer", is.preferences.prefer},
                     {"fallback", is.preferences.fallback}};
    if (is.set) document["set"] = stored_json(*is.set);
    return print_document(document);
  }
  std::printf("Default backend: %s (%s)\n", is.in_force.empty() ? "none" : is.in_force.c_str(), plain_line(is.reason).c_str());
  if (is.set)
    std::printf("Set: %s on %s; %s\n", plain_line(is.set->backend).c_str(), day_of(is.set->set_unix_ms).c_str(),
                plain_line(is.set->evidence).c_str());
  if (is.set && !is.set->fallback.empty()) std::printf("Fallbacks: %s\n", plain_line(joined(is.set->fallback)).c_str());
  const auto file = engine::preferences_file(invocation.config.key_directory).string();
  if (!is.preferences.prefer.empty())
    std::printf("Preferred, by %s: %s\n", file.c_str(), plain_line(joined(is.preferences.prefer)).c_str());
  if (!is.preferences.fallback.empty())
    std::printf("Fallbacks, by %s: %s\n", file.c_str(), plain_line(joined(is.preferences.fallback)).c_str());
  return ExitCode::kOk;
}

ExitCode set(Invocation& invocation, const std::string& name, const std::vector<std::string>& fallback) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const auto chosen = engine::set_default(*engine.value(), name, fallback);
  if (!chosen.ok()) return fail(invocation, chosen.error());
  if (invocation.json) return print_document({{"schema", "fuselab.default.set/1"}, {"set", stored_json(chosen.value())}});
  std::printf("%s is the default backend from now on; %s\n", chosen.value().backend.c_str(),
              plain_line(chosen.value().evidence).c_str());
  return ExitCode::kOk;
}

ExitCode clear(Invocation& invocation) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const auto was_set = engine::clear_default(*engine.value());
  if (!was_set.ok()) return fail(invocation, was_set.error());
  if (invocation.json) return print_document({{"schema", "fuselab.default.clear/1"}, {"was_set", was_set.value()}});
  std::puts(was_set.value() ? "No default backend is set any more; what is measured decides" : "No default backend was set");
  return ExitCode::kOk;
}

}  // namespace

void add_default_verb(CLI::App& command, Invocation& invocation) {
  command.require_subcommand(0, 1);
  show_examples(command, {"fuselab default", "fuselab default set onednn --fallback cpu", "fuselab default clear"});
  const auto name = std::make_shared<std::string>();
  const auto fallback = std::make_shared<std::vector<std::string>>();
  command.callback([&] {
    if (!invocation.action) invocation.action = [&] { return show(invocation); };
  });
  command.add_subcommand("show", "Which backend is the default, why, and what was set")->callback([&] {
    invocation.action = [&] { return show(invocation); };
  });
  CLI::App* const setting = command.add_subcommand("set", "Take this backend where several are equal, and run there first");
  setting->add_option("NAME", *name, "The backend: onednn")->required();
  setting->add_option("--fallback", *fallback, "Where it cannot be used, this backend; several: best first")
      ->take_all()
      ->type_name("NAME");
  setting->callback([&, name, fallback] { invocation.action = [&, name, fallback] { return set(invocation, *name, *fallback); }; });
  command.add_subcommand("clear", "Let what is measured decide again")->callback([&] {
    invocation.action = [&] { return clear(invocation); };
  });
}

}  // namespace fuselab::cli
