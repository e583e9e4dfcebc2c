// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/doctor.h"

namespace fuselab::cli {
namespace {

using engine::Finding;
using engine::Health;

const char* health_text(Health health) {
  switch (health) {
    case Health::kGood: return "good";
    case Health::kDoubtful: return "doubtful";
    case Health::kBad: return "bad";
  }
  return "bad";
}

void print_findings(const std::vector<Finding>& findings) {
  const Terminal terminal = Terminal::of_stdout();
  for (const Finding& finding : findings) {
    const char* mark = finding.health == Health::kGood ? "✓" : finding.health == Health::kDoubtful ? "!" : "✗";
    std::printf("%s %s: %s\n", mark, terminal.bold(finding.subject).c_str(), finding.found.c_str());
    if (!finding.advice.empty()) std::printf("  → %s\n", finding.advice.c_str());
  }
}

ExitCode doctor(const Invocation& invocation) {
  const auto findings = engine::examine(invocation.config);
  std::string bad;
  nlohmann::json rows = nlohmann::json::array();
  for (const Finding& finding : findings) {
    if (finding.health == Health::kBad) bad += (bad.empty() ? "" : ", ") + finding.subject;
    rows.push_back({{"subject", finding.subject},
                    {"health", health_text(finding.health)},
                    {"found", finding.found},
                    {"advice", finding.advice}});
  }
  std::optional<Error> problem;
  if (!bad.empty()) problem = Error{ErrorCode::kUnavailable, "not fit to measure because of: " + bad};
  if (invocation.json) return print_document({{"schema", "fuselab.doctor/1"}, {"findings", rows}}, problem);
  print_findings(findings);
  return problem ? fail(invocation, *problem) : ExitCode::kOk;
}

}  // namespace

void add_doctor_verb(CLI::App& command, Invocation& invocation) {
  show_examples(command, {"fuselab doctor", "fuselab doctor --json"});
  command.callback([&invocation] { invocation.action = [&invocation] { return doctor(invocation); }; });
}

}  // namespace fuselab::cli
