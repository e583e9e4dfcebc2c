// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/command_text.h"

#include <charconv>

#include "core/base/shell_word.h"

namespace fuselab::gui {
namespace {

// The shortest text that reads as the same number.
std::string number_text(double value) {
  char text[32];
  const auto [end, failed] = std::to_chars(std::begin(text), std::end(text), value);
  return failed == std::errc() ? std::string(text, end) : std::to_string(value);
}

const char* verb_of(engine::JobSpec::Verb verb) {
  switch (verb) {
    case engine::JobSpec::Verb::kBench: return "bench";
    case engine::JobSpec::Verb::kTune: return "tune";
    case engine::JobSpec::Verb::kRun: break;
  }
  return "run";
}

}  // namespace

CommandText::CommandText(const engine::Config& config, const std::string& verb) : text_("fuselab " + verb) {
  const bool usual = config.database.empty() || config.database == engine::config_from_environment(config.worker_program).database;
  if (!usual) where_ = " --db " + shell_word(std::filesystem::absolute(config.database).string());
  if (config.synthetic) where_ += " --synthetic";
}

CommandText& CommandText::word(const std::string& word) {
  text_ += " " + shell_word(word);
  return *this;
}

CommandText& CommandText::words(const std::vector<std::string>& words) {
  for (const std::string& each : words) word(each);
  return *this;
}

CommandText& CommandText::option(const std::string& name, const std::string& value, const std::string& usual) {
  if (!value.empty() && value != usual) word("--" + name).word(value);
  return *this;
}

CommandText& CommandText::options(const std::string& name, const std::vector<std::string>& values) {
  for (const std::string& value : values) option(name, value);
  return *this;
}

CommandText& CommandText::number(const std::string& name, double value, double usual) {
  return value == usual ? *this : option(name, number_text(value));
}

CommandText& CommandText::flag(const std::string& name, bool set) {
  return set ? word("--" + name) : *this;
}

CommandText& CommandText::devices(const DeviceChoice& choice) {
  return options("device", choice.only).options("no-device", choice.except).options("prefer", choice.prefer);
}

CommandText& CommandText::accepted(const Drawbacks& drawbacks) {
  for (const DrawbackInfo& info : kDrawbacks) {
    if (drawbacks.has(info.drawback)) option("accept", std::string(info.name));
  }
  return *this;
}

std::string command_of(const engine::Config& config, const engine::JobSpec& spec) {
  const engine::JobSpec usual;
  CommandText command(config, verb_of(spec.verb));
  command.words(spec.subjects).options("shape", spec.bindings).devices(spec.devices);
  command.option("dtype", spec.dtype, usual.dtype).option("level", spec.level, usual.level);
  command.option("mode", std::string(name_of(spec.protocol.mode)), std::string(name_of(usual.protocol.mode)));
  command.accepted(spec.accepted);
  if (spec.seed != usual.seed) command.option("seed", std::to_string(spec.seed));
  if (spec.verb == engine::JobSpec::Verb::kBench) {
    command.option("config", spec.config.text()).option("target", spec.target);
  } else {
    command.option("strategy", spec.strategy, usual.strategy).number("budget", spec.budget_seconds, usual.budget_seconds);
    command.number("trials", spec.budget_trials, usual.budget_trials).flag("keep", spec.keep_all_binaries);
  }
  command.flag("remeasure", spec.remeasure).flag("cold", spec.cold);
  return command.flag("whole", spec.slow_whole_models).flag("decide", spec.decide).text();
}

std::string command_of(const engine::Config& config, const std::string& verb, const engine::CompareSpec& spec) {
  CommandText command(config, verb);
  command.words(spec.subjects).options("shape", spec.bindings).devices(spec.devices);
  command.option("dtype", spec.dtype).option("level", spec.level);
  command.option("mode", std::string(name_of(spec.protocol.mode)), std::string(name_of(Protocol().mode)));
  command.option("run", spec.run);
  return command.accepted(spec.accepted).text();
}

}  // namespace fuselab::gui
