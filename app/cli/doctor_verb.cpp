// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "app/session/doctor.h"

namespace fuselab::cli {
namespace {

using session::Finding;
using session::Health;

const char* health_text(Health health) {
  switch (health) {
    case Health::kGood: return "good";
    case Health::kDoubtful: return "doubtful";
    case Health::kBad: return "bad";
  }
  return "bad";
}

ExitCode doctor(const Invocation& invocation) {
  auto const findings = session::examine(invocation.config);
  bool bad = false;
  nlohmann::json rows = nlohmann::json::array();
  Terminal const terminal = Terminal::of_stdout();
  for (const Finding& finding : findings) {
    bad = bad || finding.health == Health::kBad;
    rows.push_back({{"subject", finding.subject},
                    {"health", health_text(finding.health)},
                    {"found", finding.found},
                    {"advice", finding.advice}});
    if (invocation.json) continue;
    const char* mark = finding.health == Health::kGood ? "✓" : finding.health == Health::kDoubtful ? "!" : "✗";
    std::printf("%s %s: %s\n", mark, terminal.bold(finding.subject).c_str(), finding.found.c_str());
    if (!finding.advice.empty()) std::printf("  → %s\n", finding.advice.c_str());
  }
  if (invocation.json) {
    std::puts(nlohmann::json{{"schema", "fuselab.doctor/1"}, {"findings", rows}}
                  .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  .c_str());
  }
  return bad ? ExitCode::kUnfit : ExitCode::kOk;
}

}  // namespace

void add_doctor_verb(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("doctor", "Check what measuring depends on: worker, compiler, database, disk, memory, clocks, quiet");
  command->callback([&invocation] { invocation.action = [&invocation] { return doctor(invocation); }; });
}

}  // namespace fuselab::cli
