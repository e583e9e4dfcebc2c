// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/plural.h"
#include "app/cli/terminal.h"
#include "app/cli/usage.h"
#include "app/reports/escaping.h"
#include "app/session/gate/baseline_making.h"
#include "core/measure/statistics.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;

struct SaveOptions {
  session::BaselineSpec spec;
  std::string config = "fuselab.toml";
  std::string file;
};

double median_ns(const session::BaselineKernel& kernel) {
  std::vector<double> medians;
  for (const std::vector<double>& process : kernel.samples) medians.push_back(summarize(process).median);
  return summarize(medians).median;
}

json kernel_json(const session::BaselineKernel& kernel) {
  return {{"case", kernel.case_name},
          {"subject", kernel.subject},
          {"piece", kernel.piece},
          {"device", kernel.device_id},
          {"device_name", kernel.device_name},
          {"target", kernel.target.id},
          {"kernel", kernel.kernel.kernel_id()},
          {"config", kernel.kernel.config.text()},
          {"config_from", kernel.config_from},
          {"compiler", kernel.kernel.identity.compiler + " " + kernel.kernel.identity.compiler_version},
          {"median_ns", median_ns(kernel)}};
}

json baseline_json(const session::Baseline& baseline) {
  json kernels = json::array(), environment = json::object();
  for (const session::BaselineKernel& each : baseline.kernels) kernels.push_back(kernel_json(each));
  for (auto const& [name, value] : baseline.environment) environment[name] = value;
  return {{"schema", "fuselab.baseline/1"}, {"version", baseline.tool_version},  {"commit", baseline.commit},
          {"saved_at", baseline.saved_at},  {"expires_at", baseline.expires_at}, {"signer", baseline.signer},
          {"trusted", baseline.trusted},    {"environment", environment},        {"kernels", kernels}};
}

void print_kernels(const session::Baseline& baseline) {
  std::vector<Column> const columns = {{"case"}, {"device"}, {"target"}, {"time", Align::kRight}, {"configuration"}};
  std::vector<std::vector<std::string>> cells;
  for (const session::BaselineKernel& each : baseline.kernels) {
    cells.push_back({reports::log_line(each.piece.empty() ? each.case_name : each.piece), reports::log_line(each.device_id),
                     reports::log_line(each.target.id), format_duration({median_ns(each)}),
                     reports::log_line(each.kernel.config.text() + " (" + each.config_from + ")")});
  }
  std::fputs(render_table(columns, cells, Terminal::of_stdout()).c_str(), stdout);
}

ExitCode save(const Invocation& invocation, SaveOptions& options) {
  auto config = session::read_check_config(options.config);
  if (!config.ok()) return fail(invocation, config.error());
  options.spec.config = std::move(config).value();
  Terminal const errors = Terminal::of_stderr();
  bool const live = errors.interactive && !invocation.quiet;
  auto made = session::save_baseline(invocation.config, options.spec, options.file,
                                     [&](const std::string& name) {
                                       if (live) std::fprintf(stderr, "\r\033[K%s", reports::log_line(name).c_str());
                                     },
                                     {});
  if (live) std::fputs("\r\033[K", stderr);
  if (!made.ok()) return fail(invocation, made.error());
  const session::MadeBaseline& result = made.value();
  // What is missing will be missed by every check that follows.
  std::optional<Error> problem;
  if (!result.left_out.empty()) {
    problem =
        Error{result.left_out.front().code,
              options.file + " lacks " + counted(static_cast<std::int64_t>(result.left_out.size()), "kernel") + " of these cases"};
  }
  if (invocation.json) {
    json document = baseline_json(result.baseline);
    json& left_out = document["left_out"] = json::array();
    for (const session::NotSaved& each : result.left_out)
      left_out.push_back({{"name", each.name}, {"device", each.device}, {"reason", each.reason}});
    return print_document(std::move(document), problem);
  }
  print_kernels(result.baseline);
  for (const session::NotSaved& each : result.left_out) {
    std::fprintf(stderr, "fuselab: %s:%d: %s%s left out: %s\n", reports::log_line(each.where.file).c_str(), each.where.line,
                 reports::log_line(each.name).c_str(), each.device.empty() ? "" : reports::log_line(" on " + each.device).c_str(),
                 reports::log_line(each.reason).c_str());
  }
  std::error_code ignored;
  auto const size = static_cast<std::int64_t>(std::filesystem::file_size(options.file, ignored));
  std::printf("%s: %s, %s, signed with your key%s.\n", reports::log_line(options.file).c_str(),
              counted(static_cast<std::int64_t>(result.baseline.kernels.size()), "kernel").c_str(), format_bytes({size}).c_str(),
              result.baseline.expires_at.empty() ? "" : (", valid until " + result.baseline.expires_at.substr(0, 10)).c_str());
  return problem ? fail(invocation, *problem) : ExitCode::kOk;
}

ExitCode load(const Invocation& invocation, const std::string& file) {
  auto const read = session::load_baseline(invocation.config, file);
  if (!read.ok()) return fail(invocation, read.error());
  const session::Baseline& baseline = read.value();
  if (invocation.json) return print_document(baseline_json(baseline));
  print_kernels(baseline);
  std::string const commit = baseline.commit.empty() ? "no repository" : "commit " + baseline.commit.substr(0, 12);
  std::printf("%s: whole, saved on %s by Fuselab %s, %s%s.\n", reports::log_line(baseline.file).c_str(),
              reports::log_line(baseline.saved_at).c_str(), reports::log_line(baseline.tool_version).c_str(),
              reports::log_line(commit).c_str(),
              baseline.expires_at.empty() ? "" : reports::log_line(", valid until " + baseline.expires_at.substr(0, 10)).c_str());
  for (auto const& [name, value] : baseline.environment)
    std::printf("  %s: %s\n", reports::log_line(name).c_str(), reports::log_line(value).c_str());
  if (baseline.trusted) {
    std::printf("Signed by a key that you trust.\n");
  } else {
    std::printf(
        "Signed by a key that you do not trust: its binaries are never run. `fuselab trust add \"fuselab-ed25519 %s\"` accepts "
        "it.\n",
        baseline.signer.c_str());
  }
  return ExitCode::kOk;
}

}  // namespace

void add_baseline_verbs(CLI::App& app, Invocation& invocation) {
  CLI::App* const baseline =
      app.add_subcommand("baseline", "What `fuselab check` compares with: kernels of a day, in one signed file");
  baseline->require_subcommand(1);
  show_examples(*baseline, {"fuselab baseline save fuselab.baseline", "fuselab baseline load fuselab.baseline"});
  auto const options = std::make_shared<SaveOptions>();
  CLI::App* const saving = baseline->add_subcommand(
      "save", "Make, verify and time today's kernels of fuselab.toml's cases, and keep text, binaries and samples in a file");
  saving->add_option("FILE", options->file, "To write; fuselab.baseline is where check looks")->required();
  saving->add_option("CASE", options->spec.cases, "Only these cases");
  saving->add_option("--config", options->config, "The file that lists the cases")->type_name("FILE")->capture_default_str();
  saving->add_option("--device", options->spec.devices, "On these devices (cpu:0) or backends (cpu) instead of each case's own")
      ->take_all()
      ->type_name("NAME");
  saving->add_option("--target", options->spec.target, "Generate for this target of the devices: x86-64-v3")->type_name("NAME");
  saving->add_option("--expires", options->spec.expires_after_days, "After so many days it is no baseline any more")
      ->type_name("DAYS")
      ->check(CLI::Range(1, 3650).description(""));
  show_examples(*saving, {"fuselab baseline save fuselab.baseline", "fuselab baseline save main.baseline softmax --expires 30"});
  saving->callback([&invocation, options] { invocation.action = [&invocation, options] { return save(invocation, *options); }; });

  auto const file = std::make_shared<std::string>();
  CLI::App* const loading = baseline->add_subcommand("load", "Verify a baseline file and show what it holds");
  loading->add_option("FILE", *file, "That `fuselab baseline save` wrote")->required();
  show_examples(*loading, {"fuselab baseline load fuselab.baseline"});
  loading->callback([&invocation, file] { invocation.action = [&invocation, file] { return load(invocation, *file); }; });
}

}  // namespace fuselab::cli
