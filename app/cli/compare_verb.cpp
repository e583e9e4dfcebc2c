// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/compare_text.h"

namespace fuselab::cli {
namespace {

ExitCode compare(Invocation& invocation, const session::JobSpec& spec) {
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  auto const tables = session.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  if (invocation.json) {
    std::puts(compare_json(tables.value()).c_str());
    return ExitCode::kOk;
  }
  if (tables.value().empty()) {
    return fail(invocation, {ErrorCode::kNotFound, "nothing was measured yet in " + session.value()->config().database.string() +
                                                       "; `fuselab run` measures"});
  }
  Terminal const terminal = Terminal::of_stdout();
  const char* gap = "";
  for (auto const& table : tables.value()) {
    std::printf("%s%s", gap, compare_text(table, terminal).c_str());
    gap = "\n";
  }
  return ExitCode::kOk;
}

}  // namespace

void add_compare_verb(CLI::App& app, Invocation& invocation) {
  auto const spec = std::make_shared<session::JobSpec>();
  CLI::App* const command = app.add_subcommand(
      "compare", "Show what is stored: backends, fused against unfused, distance to the ceiling; measures nothing");
  command->add_option("SUBJECT", spec->subjects, "As for run; none: everything that was measured");
  add_shape_option(*command, spec->bindings);
  command->add_option("--device", spec->devices, "Device (cpu:0) or backend (cpu); several: repeat")->take_all();
  command->add_option("--dtype", spec->dtype, "Element type of built-in workloads")->capture_default_str();
  command->add_option("--level", spec->level, "Optimisation level")->capture_default_str();
  command->callback([&invocation, spec] { invocation.action = [&invocation, spec] { return compare(invocation, *spec); }; });
}

}  // namespace fuselab::cli
