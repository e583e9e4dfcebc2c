// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/own_kernel.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/own/own_pipeline.h"
#include "app/engine/own/own_template.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"
#include "core/tuning/own_space.h"

namespace fuselab::cli {
namespace {

// A file's kernel and what follows from it.
struct DryRun {
  std::string file;
  engine::OwnFile own;
  ParameterSpace space;
  std::optional<std::int64_t> valid;  // count_valid()
};

// The formulas of a launch, each with its name.
std::vector<std::pair<std::string, std::string>> launch_of(const OwnKernel& kernel) {
  if (kernel.language == "c") return {{"tasks", kernel.tasks}};
  std::vector<std::pair<std::string, std::string>> launch;
  constexpr const char* kAxes[] = {" x", " y", " z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 0 || kernel.grid[axis] != "1") launch.emplace_back(std::string("grid") + kAxes[axis], kernel.grid[axis]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axis == 0 || kernel.block[axis] != "1") launch.emplace_back(std::string("block") + kAxes[axis], kernel.block[axis]);
  }
  if (kernel.shared_bytes != "0") launch.emplace_back("shared bytes", kernel.shared_bytes);
  return launch;
}

std::string number_of(const OwnKernel& kernel, const std::string& formula) {
  const auto value = own_formula(kernel, formula, own_defaults_of(kernel));
  return value.ok() ? std::to_string(value.value()) : value.error().message;
}

std::string argument_text(const OwnArgument& argument) {
  if (argument.is_tensor()) return type_text({argument.element, argument.shape});
  if (argument.role == OwnRole::kTask) return "the task's number";
  return std::string(name_of(argument.element)) + (argument.has_elements() ? " × " : " ") + argument.value;
}

std::string counted_space(const DryRun& run) {
  const std::string all = std::to_string(run.space.cartesian_size());
  if (!run.valid) return all + " configurations; those that meet the constraints were not counted";
  if (*run.valid >= kMostCounted)
    return all + " configurations; more than " + std::to_string(kMostCounted) + " meet the constraints";
  return all + " configurations, " + std::to_string(*run.valid) + " meet the constraints";
}

std::string text_of(const DryRun& run, const Terminal& terminal) {
  const OwnKernel& kernel = run.own.kernel;
  std::string text = terminal.bold(plain_line(run.file + ": " + kernel.function)) + ", " +
                     std::string(spelled_language(kernel.language)) + ", in " + plain_line(kernel.source_name) +
                     ". Nothing is compiled or run.\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const OwnParameter& each : kernel.parameters)
    rows.push_back({each.name, joined(each.values), each.otherwise, each.flags.empty() ? "" : "flags"});
  text += render_table({{"parameter"}, {"values"}, {"default"}, {""}}, rows, terminal);
  for (const OwnConstraint& each : kernel.constraints)
    text += plain_line("constraint: " + each.expression + "  (" + each.reason + ")") + "\n";
  text += counted_space(run) + ".\n\n";
  rows.clear();
  for (const auto& [name, formula] : launch_of(kernel)) rows.push_back({name, formula, number_of(kernel, formula)});
  text += render_table({{"launch"}, {"formula"}, {"in the default", Align::kRight}}, rows, terminal) + "\n";
  rows.clear();
  for (const OwnArgument& each : kernel.arguments)
    rows.push_back({each.name, std::string(name_of(each.role)), argument_text(each)});
  text += render_table({{"argument"}, {"role"}, {"type"}}, rows, terminal);
  for (const std::string& note : run.own.notes) text += "note: " + plain_line(note) + "\n";
  if (run.own.not_runnable.empty()) return text + "\nIt can be run: fuselab tune " + plain_line(run.file) + "\n";
  return text + "\nIt cannot be run: " + plain_line(run.own.not_runnable) + "\n";
}

nlohmann::json json_of(const DryRun& run) {
  const OwnKernel& kernel = run.own.kernel;
  nlohmann::json document = {{"schema", "fuselab.own-kernel/1"},
                             {"file", run.file},
                             {"name", kernel.name},
                             {"language", kernel.language},
                             {"function", kernel.function},
                             {"source", kernel.source_name},
                             {"notes", run.own.notes}};
  for (const char* const list : {"parameters", "constraints", "arguments", "launch"}) document[list] = nlohmann::json::array();
  for (const OwnParameter& each : kernel.parameters) {
    nlohmann::json parameter = {{"name", each.name}, {"values", each.values}, {"default", each.otherwise}};
    if (!each.flags.empty()) parameter["flags"] = each.flags;
    document["parameters"].push_back(std::move(parameter));
  }
  for (const OwnConstraint& each : kernel.constraints)
    document["constraints"].push_back({{"expression", each.expression}, {"reason", each.reason}});
  for (const OwnArgument& each : kernel.arguments) {
    nlohmann::json argument = {{"name", each.name}, {"role", name_of(each.role)}, {"type", argument_text(each)}};
    document["arguments"].push_back(std::move(argument));
  }
  for (const auto& [name, formula] : launch_of(kernel))
    document["launch"].push_back({{"name", name}, {"formula", formula}, {"default", number_of(kernel, formula)}});
  document["space"] = {{"all", run.space.cartesian_size()}};
  if (run.valid && *run.valid < kMostCounted) document["space"]["valid"] = *run.valid;
  if (!run.own.not_runnable.empty()) document["not_runnable"] = run.own.not_runnable;
  return document;
}

// What several kernels in a row read, hand to each other and give.
struct Chain {
  std::vector<std::string> inputs, handed_on, results;
};

Result<Chain> chain_of(const engine::OwnPipeline& pipeline) {
  FL_TRY(const Graph graph, engine::graph_of(pipeline));
  Chain chain;
  for (const ValueId input : graph.inputs()) chain.inputs.push_back(graph.value(input).name);
  for (const Node& node : graph.nodes()) {
    for (const ValueId output : node.outputs) {
      const bool is_result = std::ranges::find(graph.outputs(), output) != graph.outputs().end();
      (is_result ? chain.results : chain.handed_on).push_back(graph.value(output).name);
    }
  }
  return chain;
}

// One for each kernel of the file.
Result<std::vector<DryRun>> dry_runs(const std::string& file, const std::string& shape, std::optional<Chain>& chain) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return Error{ErrorCode::kNotFound, file + " is no file"};
  FL_TRY(const Bindings sizes, parse_bindings(shape));
  FL_TRY(engine::OwnPipeline pipeline, engine::read_own_pipeline(file, sizes));
  if (pipeline.kernels.size() > 1) {
    FL_TRY(chain, chain_of(pipeline));
  }
  std::vector<DryRun> runs;
  for (engine::OwnFile& own : pipeline.kernels) {
    DryRun& run = runs.emplace_back(DryRun{file, std::move(own), {}, {}});
    FL_TRY(run.space, own_space_of(run.own.kernel));
    run.valid = count_valid(run.space);
  }
  return runs;
}

ExitCode write_new(Invocation& invocation, const std::string& file) {
  const auto source = engine::write_own_template(file);
  if (!source.ok()) return fail(invocation, source.error());
  if (invocation.json)
    return print_document({{"schema", "fuselab.own-kernel-file/1"}, {"file", file}, {"source", source.value().string()}});
  std::printf(
      "%s and %s are written: a kernel that runs as it is. Next:\n  fuselab tune %s --dry-run\n  fuselab tune %s --budget 60\n",
      plain_line(file).c_str(), plain_line(source.value().string()).c_str(), plain_line(file).c_str(), plain_line(file).c_str());
  return ExitCode::kOk;
}

}  // namespace

std::shared_ptr<OwnKernelOptions> add_own_kernel_options(CLI::App& verb) {
  const auto options = std::make_shared<OwnKernelOptions>();
  verb.add_option("--new", options->new_file, "Write a commented file for a kernel of your own, with an example beside it")
      ->type_name("FILE.toml");
  return options;
}

ExitCode run_own_kernel(Invocation& invocation, const engine::JobSpec& job, const OwnKernelOptions& options) {
  if (!options.new_file.empty()) return write_new(invocation, options.new_file);
  if (job.subjects.size() != 1) return fail(invocation, invalid_argument("--dry-run takes one file of a kernel at a time"));
  std::optional<Chain> chain;
  const auto runs = dry_runs(job.subjects.front(), job.bindings.empty() ? "" : job.bindings.front(), chain);
  if (!runs.ok()) return fail(invocation, runs.error());
  if (invocation.json) {
    if (!chain) return print_document(json_of(runs.value().front()));
    nlohmann::json kernels = nlohmann::json::array();
    for (const DryRun& run : runs.value()) kernels.push_back(json_of(run));
    return print_document({{"schema", "fuselab.own-pipeline/1"},
                           {"file", job.subjects.front()},
                           {"kernels", std::move(kernels)},
                           {"inputs", chain->inputs},
                           {"handed_on", chain->handed_on},
                           {"results", chain->results}});
  }
  for (const DryRun& run : runs.value()) {
    if (&run != &runs.value().front()) std::fputs("\n", stdout);
    std::fputs(text_of(run, Terminal::of_stdout()).c_str(), stdout);
  }
  if (chain)
    std::printf("\nIn a row they read %s; hand on %s; and give %s.\n", plain_line(joined(chain->inputs)).c_str(),
                chain->handed_on.empty() ? "nothing: no kernel reads what one before it wrote"
                                         : plain_line(joined(chain->handed_on)).c_str(),
                plain_line(joined(chain->results)).c_str());
  return ExitCode::kOk;
}

}  // namespace fuselab::cli
