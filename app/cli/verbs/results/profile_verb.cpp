// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/profiles/profile_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/usage.h"
#include "app/cli/steps/compile_only.h"
#include "app/engine/execute/execute_subject.h"
#include "app/engine/profile/profile_document.h"
#include "app/engine/profile/profile_subject.h"

namespace fuselab::cli {
namespace {

constexpr int kTracedPasses = 3;  // over the whole subject behind the first one

struct ProfileOptions {
  engine::ProfileSpec spec;
  std::vector<std::string> shapes;
  std::vector<std::string> compared;
  std::vector<std::string> configs;
  bool all = false;
};

Status check(const ProfileOptions& options) {
  const bool named = !options.spec.subject.empty();
  if (!options.compared.empty() && !options.spec.trial.empty())
    return invalid_argument("profile takes --trial or --compare, not both");
  if (!named && options.compared.empty() && options.spec.trial.empty())
    return invalid_argument("profile needs a SUBJECT, or a trial: --trial ID, --compare ID ID");
  const bool for_target = !options.spec.target.empty();
  if (for_target && (!named || !options.spec.plan.empty() || options.spec.exact))
    return invalid_argument("--target is for a SUBJECT, in the place of a device, and without --plan and --exact: nothing runs");
  const auto& backends = options.spec.devices.only;
  if (for_target && (backends.size() > 1 || (backends.size() == 1 && backends.front().find(':') != std::string::npos)))
    return invalid_argument("--target takes one --device, a backend that writes for it, as triton: nothing runs on a device");
  if (!options.configs.empty() && !for_target)
    return invalid_argument("--config is for --target; a stored trial has its own: --trial ID");
  if (options.configs.size() > 2) return invalid_argument("profile takes one --config, or two to see side by side");
  if (options.shapes.size() > 1) return invalid_argument("profile takes one subject and so one --shape");
  return {};
}

// The whole subject on the timeline, launch by launch, where one is written: a profile itself launches one piece alone. Stores
// nothing.
Status run_traced(engine::Engine& engine, const engine::ProfileSpec& profiled, const std::stop_token& stop) {
  if (engine.config().trace == nullptr || profiled.subject.empty() || !profiled.target.empty()) return {};
  engine::ExecuteSpec spec;
  spec.subject = profiled.subject;
  spec.binding = profiled.binding;
  spec.devices = profiled.devices;
  if (!profiled.dtype.empty()) spec.dtype = profiled.dtype;
  if (!profiled.level.empty()) spec.level = profiled.level;
  spec.accepted = profiled.accepted;
  spec.steady = kTracedPasses;
  const auto executed = engine::execute_subject(engine, spec, stop);
  return executed.ok() ? Status() : executed.error();
}

ExitCode profile(Invocation& invocation, const ProfileOptions& options) {
  if (const Status valid = check(options); !valid.ok()) return fail(invocation, valid.error());
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  if (!options.spec.subject.empty()) say_what_was_taken(invocation, {options.spec.subject});
  engine::ProfileSpec spec = options.spec;
  if (!options.shapes.empty()) spec.binding = options.shapes.front();
  const std::size_t count = std::max({std::size_t{1}, options.compared.size(), options.configs.size()});
  const Interruption interruption;
  if (const Status traced = run_traced(*engine.value(), spec, interruption.token()); !traced.ok())
    return fail(invocation, traced.error());
  std::vector<engine::ProfileView> views;
  for (std::size_t i = 0; i < count; ++i) {
    if (!options.compared.empty()) spec.trial = options.compared[i];
    if (!options.configs.empty()) {
      auto config = LaunchConfig::parse(options.configs[i]);
      if (!config.ok()) return fail(invocation, config.error());
      spec.config = std::move(config).value();
    }
    auto view = engine::profile_subject(*engine.value(), spec, interruption.token());
    if (!view.ok()) return fail(invocation, view.error());
    views.push_back(std::move(view).value());
  }
  if (invocation.json) return print_document(engine::profile_json(views));
  const Terminal terminal = Terminal::of_stdout();
  const std::string text =
      views.size() == 2 ? profiles_text(views[0], views[1], terminal) : profile_text(views.front(), options.all, terminal);
  std::fputs(text.c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_profile_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<ProfileOptions>();
  engine::ProfileSpec& spec = options->spec;
  command.add_option("SUBJECT", spec.subject, "As for run");
  add_shape_option(command, options->shapes, "");
  add_device_options(command, spec.devices, "Profile the winner among these devices (cpu:0) or backends (cpu); several: repeat");
  command.add_option("--dtype", spec.dtype, "What was measured of this element type (default: as in the newest run)")
      ->type_name("f32|f64|f16|bf16");
  command.add_option("--level", spec.level, "What was fused at this level (default: as in the newest run)")
      ->type_name("O0|O1|O2|O3|none|conservative|balanced|aggressive");
  add_mode_option(command, spec.protocol);
  command
      .add_option("--piece", spec.piece, "A piece of the subject by its name or the beginning of its key (default: the slowest)")
      ->type_name("NAME");
  allow_only(*command.add_option("--plan", spec.plan, "One kernel, or the operators one after the other (default: the winner's)"),
             "fused|unfused");
  command.add_option("--trial", spec.trial, "A stored trial by its id or the beginning of it, in the place of a subject")
      ->type_name("ID");
  CLI::Option* const target = command.add_option_function<std::string>(
      "--target", [options](const std::string& name) { options->spec.target = target_named(name); },
      "Run nothing: compile for this target, whether it is here or not, and say what its compiler says: sm_90, avx2, …");
  target->type_name("NAME");
  command
      .add_option("--config", options->configs,
                  "With --target: this launch configuration in the place of the default; two of them side by side: repeat")
      ->type_name("KEY=VALUE,...")
      ->check(launch_config());
  command.add_option("--compare", options->compared, "Two stored trials side by side: counters, code, prediction")
      ->expected(2)
      ->type_name("ID");
  command.add_flag("--all", options->all, "Every loop, and the hottest one's source beside its machine code");
  command.add_flag("--again", spec.again, "Collect anew what is stored of an earlier profile");
  command.add_flag("--exact", spec.exact, "Count the instructions of a launch with valgrind's callgrind");
  command.add_option("--seconds", spec.seconds, "Time for launches under counters")
      ->type_name("S")
      ->capture_default_str()
      ->check(above_zero());
  show_examples(command, {"fuselab profile w3 --device cpu:0", "fuselab profile w10 --all",
                          "fuselab profile bert-layer --trace bert.json", "fuselab profile w3 --target sm_90",
                          "fuselab profile w3 --target sm_90a --config rows_per_block=1 --config rows_per_block=4",
                          "fuselab profile --compare 3f2a9c1e 77b0d4aa"});
  command.callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return profile(invocation, *options); }; });
}

}  // namespace fuselab::cli
