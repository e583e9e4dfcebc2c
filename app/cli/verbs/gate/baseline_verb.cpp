// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/cli/shell/usage.h"
#include "app/gate/baseline/baseline_making.h"
#include "app/gate/source/utc_dates.h"
#include "core/base/plain_text.h"
#include "core/base/shown_commit.h"
#include "core/base/words.h"
#include "core/stats/statistics.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;

struct SaveOptions {
  engine::BaselineSpec spec;
  std::string config = "fuselab.toml";
  std::string file, expires;
};

// Returns the median of the kernel's newest timing run, or nothing if it was never timed.
std::optional<double> median_ns(const engine::BaselineKernel& kernel) {
  if (kernel.sessions.empty()) return std::nullopt;
  std::vector<double> medians;
  for (const std::vector<double>& process : kernel.sessions.back().processes) medians.push_back(summarize(process).median);
  return summarize(medians).median;
}

json sessions_json(const engine::BaselineKernel& kernel) {
  json sessions = json::array();
  for (const engine::TimingRun& each : kernel.sessions)
    sessions.push_back({{"at", each.at}, {"processes", each.processes.size()}, {"machine_known", engine::is_known(each.machine)}});
  return sessions;
}

json kernel_json(const engine::BaselineKernel& kernel) {
  json object = {{"case", kernel.case_name},
                 {"subject", kernel.subject},
                 {"piece", kernel.piece},
                 {"device", kernel.device_id},
                 {"device_name", kernel.device_name},
                 {"target", kernel.target.id},
                 {"kernel", kernel.kernel.kernel_id()},
                 {"config", kernel.kernel.config.text()},
                 {"config_from", kernel.config_from},
                 {"compiler", kernel.kernel.identity.compiler + " " + kernel.kernel.identity.compiler_version},
                 {"sessions", sessions_json(kernel)}};
  if (const auto median = median_ns(kernel)) object["median_ns"] = *median;
  return object;
}

json baseline_json(const engine::Baseline& baseline) {
  json kernels = json::array(), environment = json::object();
  for (const engine::BaselineKernel& each : baseline.kernels) kernels.push_back(kernel_json(each));
  for (const auto& [name, value] : baseline.environment) environment[name] = value;
  // In version 1 of this schema every kernel had median_ns.
  return {{"schema", "fuselab.baseline/2"}, {"version", baseline.tool_version},  {"commit", baseline.commit},
          {"saved_at", baseline.saved_at},  {"expires_at", baseline.expires_at}, {"signer", baseline.signer},
          {"trusted", baseline.trusted},    {"environment", environment},        {"kernels", kernels}};
}

void print_kernels(const engine::Baseline& baseline) {
  const std::vector<Column> columns = {
      {"case"}, {"device"}, {"target"}, {"time", Align::kRight}, {"sessions", Align::kRight}, {"configuration"}};
  std::vector<std::vector<std::string>> cells;
  for (const engine::BaselineKernel& each : baseline.kernels) {
    const auto median = median_ns(each);
    cells.push_back({plain_line(each.piece.empty() ? each.case_name : each.piece), plain_line(each.device_id),
                     plain_line(each.target.id), median ? format_duration({*median}) : "–", std::to_string(each.sessions.size()),
                     plain_line(each.kernel.config.text() + " (" + each.config_from + ")")});
  }
  std::fputs(render_table(columns, cells, Terminal::of_stdout()).c_str(), stdout);
}

// Shows what was kept or extended, what was not, and why.
ExitCode show_made(const Invocation& invocation, const std::string& file, const engine::MadeBaseline& result, const char* lacking) {
  // Kernels that are missing here will be missing in every check that follows.
  std::optional<Error> problem;
  if (!result.left_out.empty()) {
    problem = Error{result.left_out.front().code,
                    file + lacking + counted(static_cast<std::int64_t>(result.left_out.size()), "kernel") + " of these cases"};
  }
  if (invocation.json) {
    json document = baseline_json(result.baseline);
    const auto listed = [](const std::vector<engine::NotSaved>& kernels) {
      json list = json::array();
      for (const engine::NotSaved& each : kernels)
        list.push_back({{"name", each.name}, {"device", each.device}, {"reason", each.reason}});
      return list;
    };
    document["left_out"] = listed(result.left_out);
    if (!result.not_timed.empty()) document["not_timed"] = listed(result.not_timed);
    return print_document(std::move(document), problem);
  }
  print_kernels(result.baseline);
  const auto say = [](const engine::NotSaved& each, const char* what) {
    const std::string where = each.where.file.empty() ? "" : each.where.file + ":" + std::to_string(each.where.line) + ": ";
    std::fprintf(stderr, "fuselab: %s%s%s %s: %s\n", plain_line(where).c_str(), plain_line(each.name).c_str(),
                 each.device.empty() ? "" : plain_line(" on " + each.device).c_str(), what, plain_line(each.reason).c_str());
  };
  for (const engine::NotSaved& each : result.left_out) say(each, "left out");
  for (const engine::NotSaved& each : result.not_timed) say(each, "got no times of now");
  std::error_code ignored;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file, ignored));
  std::printf("%s: %s, %s, signed with your key%s.\n", plain_line(file).c_str(),
              counted(static_cast<std::int64_t>(result.baseline.kernels.size()), "kernel").c_str(), format_bytes({size}).c_str(),
              result.baseline.expires_at.empty() ? "" : (", valid until " + result.baseline.expires_at.substr(0, 10)).c_str());
  return problem ? fail(invocation, *problem) : ExitCode::kOk;
}

ExitCode save(const Invocation& invocation, SaveOptions& options) {
  if (!options.expires.empty()) {
    auto expiry = engine::expiry_of(options.expires, engine::utc_now());
    if (!expiry.ok()) return fail(invocation, expiry.error().within("--expires"));
    options.spec.expires_at = std::move(expiry).value();
  }
  auto config = engine::read_check_config(options.config);
  if (!config.ok()) return fail(invocation, config.error());
  options.spec.config = std::move(config).value();
  const Terminal errors = Terminal::of_stderr();
  const bool live = errors.interactive && !invocation.quiet;
  auto made = engine::save_baseline(invocation.config, options.spec, options.file,
                                    [&](const std::string& name) {
                                      if (live) std::fprintf(stderr, "\r\033[K%s", plain_line(name).c_str());
                                    },
                                    {});
  if (live) std::fputs("\r\033[K", stderr);
  if (!made.ok()) return fail(invocation, made.error());
  return show_made(invocation, options.file, made.value(), " lacks ");
}

ExitCode extend(const Invocation& invocation, const std::string& file) {
  const Terminal errors = Terminal::of_stderr();
  const bool live = errors.interactive && !invocation.quiet;
  auto made = engine::extend_baseline(invocation.config, file,
                                      [&](const std::string& name) {
                                        if (live) std::fprintf(stderr, "\r\033[K%s", plain_line(name).c_str());
                                      },
                                      {});
  if (live) std::fputs("\r\033[K", stderr);
  if (!made.ok()) return fail(invocation, made.error());
  return show_made(invocation, file, made.value(), " got no times of now for ");
}

ExitCode load(const Invocation& invocation, const std::string& file) {
  const auto read = engine::load_baseline(invocation.config, file);
  if (!read.ok()) return fail(invocation, read.error());
  const engine::Baseline& baseline = read.value();
  if (invocation.json) return print_document(baseline_json(baseline));
  print_kernels(baseline);
  const std::string commit = baseline.commit.empty() ? "no repository" : "commit " + shown_commit(baseline.commit);
  std::printf("%s: whole, saved on %s by Fuselab %s, %s%s.\n", plain_line(baseline.file).c_str(),
              plain_line(baseline.saved_at).c_str(), plain_line(baseline.tool_version).c_str(), plain_line(commit).c_str(),
              baseline.expires_at.empty() ? "" : plain_line(", valid until " + baseline.expires_at.substr(0, 10)).c_str());
  for (const auto& [name, value] : baseline.environment)
    std::printf("  %s: %s\n", plain_line(name).c_str(), plain_line(value).c_str());
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

void add_baseline_verb(CLI::App& command, Invocation& invocation) {
  command.require_subcommand(1);
  show_examples(command, {"fuselab baseline save fuselab.baseline", "fuselab baseline extend fuselab.baseline",
                          "fuselab baseline load fuselab.baseline"});
  const auto options = std::make_shared<SaveOptions>();
  CLI::App* const saving = command.add_subcommand(
      "save", "Make, verify and time today's kernels of fuselab.toml's cases, and keep text, binaries and samples in a file");
  saving->add_option("FILE", options->file, "To write; fuselab.baseline is where check looks")->required();
  saving->add_option("CASE", options->spec.cases, "Only these cases");
  saving->add_option("--config", options->config, "The file that lists the cases")->type_name("FILE")->capture_default_str();
  saving->add_option("--device", options->spec.devices, "On these devices (cpu:0) or backends (cpu) instead of each case's own")
      ->take_all()
      ->type_name("NAME");
  saving->add_option("--target", options->spec.target, "Generate for this target of the devices: x86-64-v3")->type_name("NAME");
  saving
      ->add_option("--expires", options->expires,
                   "It is no baseline any more from this date (2027-01-31, UTC), or after so many days (90d)")
      ->type_name("DATE");
  show_examples(*saving, {"fuselab baseline save fuselab.baseline", "fuselab baseline save ci/golden.baseline --expires 90d"});
  saving->callback([&invocation, options] { invocation.action = [&invocation, options] { return save(invocation, *options); }; });

  const auto extended = std::make_shared<std::string>();
  CLI::App* const extending = command.add_subcommand(
      "extend",
      "Time a file's own kernels once more on the machine that timed them, as one session more for historical comparisons");
  extending->add_option("FILE", *extended, "That `fuselab baseline save` wrote; it is written anew, signed with your key")
      ->required();
  show_examples(*extending, {"fuselab baseline extend fuselab.baseline"});
  extending->callback(
      [&invocation, extended] { invocation.action = [&invocation, extended] { return extend(invocation, *extended); }; });

  const auto file = std::make_shared<std::string>();
  CLI::App* const loading = command.add_subcommand("load", "Verify a baseline file and show what it holds");
  loading->add_option("FILE", *file, "That `fuselab baseline save` wrote")->required();
  show_examples(*loading, {"fuselab baseline load fuselab.baseline"});
  loading->callback([&invocation, file] { invocation.action = [&invocation, file] { return load(invocation, *file); }; });
}

}  // namespace fuselab::cli
