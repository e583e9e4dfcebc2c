// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/check_options.h"

#include <cstdio>

#include "app/cli/shell/reproduce.h"

namespace fuselab::cli {
namespace {

std::string option(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(" ") + name + " " + shell_word(value);
}

std::string repeated(const char* name, const std::vector<std::string>& values) {
  std::string words;
  for (const std::string& value : values) words += option(name, value);
  return words;
}

std::string percent_option(const char* name, double percent) {
  char text[32];
  std::snprintf(text, sizeof text, " %s %g", name, percent);
  return text;
}

}  // namespace

std::string command_again(const CheckOptions& options, const std::string& case_name) {
  const engine::CheckSpec& spec = options.spec;
  std::string line = "fuselab check";
  if (options.config != "fuselab.toml") line += option("--config", options.config);
  line += option("--baseline", options.baseline) + option("--baseline-mode", options.baseline_mode);
  if (spec.cross_machine) line += " --cross-machine";
  line += option("--against", spec.against) + repeated("--device", spec.devices) + option("--target", spec.target);
  if (options.drill_percent > 0) line += percent_option("--drill", options.drill_percent);
  if (spec.seed != 1) line += " --seed " + std::to_string(spec.seed);
  line += option("--db", options.database);
  if (options.synthetic) line += " --synthetic";
  if (!case_name.empty()) return line + option("--case", case_name);
  return line + repeated("--case", spec.cases) + repeated("--fail-on", options.fail_on) + option("--selftest", options.selftest);
}

}  // namespace fuselab::cli
