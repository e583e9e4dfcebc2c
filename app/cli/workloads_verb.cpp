// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/terminal.h"
#include "app/session/subject.h"
#include "core/graph/workload.h"

namespace fuselab::cli {
namespace {

std::string shape_of(const Workload& workload) {
  std::string text;
  for (auto const& [name, extent] : workload.default_shape) text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}

ExitCode workloads(const Invocation& invocation) {
  if (invocation.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Workload& workload : builtin_workloads()) {
      rows.push_back({{"id", workload.id},
                      {"title", workload.title},
                      {"family", workload.family},
                      {"default_shape", workload.default_shape},
                      {"graph", workload.graph_text}});
    }
    return print_document({{"schema", "fuselab.workloads/1"}, {"workloads", rows}, {"models", session::default_subjects()}});
  }
  std::vector<std::vector<std::string>> rows;
  for (const Workload& workload : builtin_workloads())
    rows.push_back({workload.id, workload.family, shape_of(workload), workload.title});
  std::fputs(render_table({{"workload"}, {"family"}, {"default shape"}, {"what"}}, rows, Terminal::of_stdout()).c_str(), stdout);
  std::string models;
  for (const std::string& name : session::default_subjects()) models += (models.empty() ? "" : ", ") + name;
  std::printf("\nBuilt-in models: %s\n", models.empty() ? "none (built without the ONNX importer)" : models.c_str());
  return ExitCode::kOk;
}

}  // namespace

void add_workloads_verb(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand("workloads", "List the built-in workloads and models");
  show_examples(*command, {"fuselab workloads", "fuselab bench w5 --shape rows=256,cols=512"});
  command->callback([&invocation] { invocation.action = [&invocation] { return workloads(invocation); }; });
}

}  // namespace fuselab::cli
