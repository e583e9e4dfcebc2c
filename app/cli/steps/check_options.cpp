// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/check_options.h"
#include "core/base/shell_word.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

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

// Returns the share that a percent says; nothing where it is none above 0.
std::optional<double> share_of(std::string_view percent) {
  double value = 0;
  const auto [end, error] = std::from_chars(percent.data(), percent.data() + percent.size(), value);
  const bool whole = error == std::errc() && end == percent.data() + percent.size();
  return whole && std::isfinite(value) && value > 0 ? std::optional<double>(value / 100) : std::nullopt;
}

}  // namespace

Status take_drills(CheckOptions& options) {
  for (const std::string& each : options.drills) {
    const std::size_t sign = each.rfind('=');
    const auto share = share_of(sign == std::string::npos ? std::string_view(each) : std::string_view(each).substr(sign + 1));
    if (!share || sign == 0)
      return invalid_argument("--drill '" + each + "' is neither a percent above 0 nor CASE=PERCENT; `--drill softmax=5`");
    (sign == std::string::npos ? options.spec.drill : options.spec.drills[each.substr(0, sign)]) = *share;
  }
  return {};
}

std::string command_again(const CheckOptions& options, const std::string& case_name) {
  const engine::CheckSpec& spec = options.spec;
  std::string line = "fuselab check";
  if (options.config != "fuselab.toml") line += option("--config", options.config);
  line += option("--baseline", options.baseline) + option("--baseline-mode", options.baseline_mode);
  if (spec.cross_machine) line += " --cross-machine";
  line += option("--against", spec.against) + repeated("--device", spec.devices) + option("--target", spec.target);
  line += repeated("--drill", options.drills);
  if (spec.null_control) line += " --null-control";
  if (spec.seed != 1) line += " --seed " + std::to_string(spec.seed);
  line += option("--db", options.database);
  if (options.synthetic) line += " --synthetic";
  if (!case_name.empty()) return line + option("--case", case_name);
  return line + repeated("--case", spec.cases) + repeated("--fail-on", options.fail_on) + option("--selftest", options.selftest);
}

}  // namespace fuselab::cli
