// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/subject/subject.h"
#include "core/workloads/workload.h"

namespace fuselab::cli {
namespace {

std::string shape_text(const Bindings& shape) {
  std::string text;
  for (const auto& [name, extent] : shape) text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text.empty() ? "–" : text;
}

std::string shapes_text(const std::vector<Bindings>& shapes) {
  std::string text;
  for (const Bindings& shape : shapes) text += (text.empty() ? "" : " and ") + shape_text(shape);
  return text;
}

// "w4 is w4-layernorm, w5 is w5-softmax": names that could mean another, too.
std::string short_names_text() {
  std::string text, last;
  for (const Workload& workload : builtin_workloads()) {
    const std::string name = workload.id.substr(0, workload.id.find('-'));
    if (name == last || also_meant(name).empty()) continue;
    last = name;
    text += (text.empty() ? "" : ", ") + name + " is " + workload.id;
  }
  return text;
}

nlohmann::json default_shapes_json() {
  nlohmann::json models = nlohmann::json::object();
  for (const engine::ModelDefaults& model : engine::default_shapes()) models[model.id] = model.shapes;
  return models;
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
    return print_document({{"schema", "fuselab.workloads/1"},
                           {"workloads", rows},
                           {"models", engine::default_subjects()},
                           {"model_shapes", default_shapes_json()}});
  }
  std::vector<std::vector<std::string>> rows;
  for (const Workload& workload : builtin_workloads())
    rows.push_back({workload.id, workload.family, shape_text(workload.default_shape), workload.title});
  std::fputs(render_table({{"workload"}, {"family"}, {"default shape"}, {"what"}}, rows, Terminal::of_stdout()).c_str(), stdout);
  std::printf("\nThe part before the first dash is enough; where it could mean several, %s.\n\n", short_names_text().c_str());
  std::vector<std::vector<std::string>> models;
  for (const engine::ModelDefaults& model : engine::default_shapes())
    models.push_back({model.id, shapes_text(model.shapes), model.title});
  if (models.empty()) {
    std::puts("Built-in models: none (built without the ONNX importer)");
    return ExitCode::kOk;
  }
  std::fputs(render_table({{"built-in model"}, {"default shape"}, {"what"}}, models, Terminal::of_stdout()).c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_workloads_verb(CLI::App& command, Invocation& invocation) {
  show_examples(command, {"fuselab workloads", "fuselab bench w5 --shape rows=256,cols=512"});
  command.callback([&invocation] { invocation.action = [&invocation] { return workloads(invocation); }; });
}

}  // namespace fuselab::cli
