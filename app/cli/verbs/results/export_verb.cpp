// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/bundles/bundle_text.h"
#include "app/cli/output/bundles/verify_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/interruption.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/usage.h"
#include "app/deploy/export_subject.h"
#include "app/deploy/modules/module_export.h"
#include "app/deploy/trials/trial_formats.h"
#include "app/deploy/verify/verify_bundle.h"
#include "app/gate/source/source_commit.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using deploy::ExportedBundle;
using deploy::ExportSpec;
using deploy::LibraryLoss;

void print_exported(const ExportSpec& spec, const ExportedBundle& done) {
  std::fputs(bundle_pieces_text(done.manifest, Terminal::of_stdout()).c_str(), stdout);
  std::fputs(bundle_models_text(done.manifest).c_str(), stdout);
  std::fputs(bundle_gpu_text(done.manifest, Terminal::of_stdout()).c_str(), stdout);
  for (const LibraryLoss& loss : done.losses) {
    for (const std::string& line : loss.lines) std::printf("%s\n", plain_line(line).c_str());
    if (!loss.lines.empty()) std::printf("together: %.1f %% of the measured pieces' time\n", loss.percent());
  }
  for (const std::string& line : done.of_nearest_size) std::printf("%s\n", plain_line(line).c_str());
  for (const std::string& line : done.without_gpu_kernel) std::printf("no GPU kernel: %s\n", plain_line(line).c_str());
  std::printf("%s: %s, %s tuned, %d unconfirmed, %d not measured at this size\n", plain_line(spec.file.string()).c_str(),
              format_bytes(done.size).c_str(), counted(done.tuned, "piece").c_str(), done.unconfirmed, done.defaults);
}

ExitCode export_bundle(Invocation& invocation, const ExportSpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, spec.subjects);
  const Interruption interruption;
  const auto done = deploy::export_subjects(*engine.value(), spec, interruption.token());
  if (!done.ok()) return fail(invocation, done.error());
  warn_of_invented(done.value().invented);
  if (!invocation.json) {
    print_exported(spec, done.value());
    return ExitCode::kOk;
  }
  nlohmann::json document = {{"schema", "fuselab.export/1"},
                             {"file", spec.file.string()},
                             {"bytes", done.value().size.count},
                             {"tuned", done.value().tuned},
                             {"unconfirmed", done.value().unconfirmed},
                             {"defaults", done.value().defaults},
                             {"invented_weights", done.value().invented},
                             {"of_nearest_size", done.value().of_nearest_size},
                             {"without_gpu_kernel", done.value().without_gpu_kernel},
                             {"losses", nlohmann::json::array()}};
  for (const LibraryLoss& loss : done.value().losses)
    document["losses"].push_back({{"percent", loss.percent()}, {"pieces", loss.lines}});
  add_bundle_facts(document, done.value().manifest);
  return print_document(document);
}

// Formats other than bundles hold the model at one shape.
std::string one_binding(const ExportSpec& spec) {
  return spec.bindings.empty() ? "" : spec.bindings.front();
}

// What was tried of one kernel, as another tool writes it.
ExitCode export_trials(Invocation& invocation, const ExportSpec& spec, deploy::TrialFormat format) {
  if (spec.subjects.size() != 1) return fail(invocation, invalid_argument("this format is of one kernel; give one SUBJECT"));
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const auto set =
      deploy::stored_trials(*engine.value(), {spec.subjects.front(), one_binding(spec), spec.device, spec.dtype, spec.level});
  if (!set.ok()) return fail(invocation, set.error());
  if (const Status written = deploy::write_trials(spec.file, set.value(), format); !written.ok())
    return fail(invocation, written.error());
  const auto timed = std::ranges::count(set.value().trials, Outcome::kTimed, &deploy::TunedTrial::outcome);
  if (invocation.json)
    return print_document({{"schema", "fuselab.export-trials/1"},
                           {"file", spec.file.string()},
                           {"kernel", set.value().kernel},
                           {"device", set.value().device_id},
                           {"trials", set.value().trials.size()},
                           {"timed", timed}});
  std::printf("%s: %s of '%s' on %s, %s timed\n", plain_line(spec.file.string()).c_str(),
              counted(static_cast<std::int64_t>(set.value().trials.size()), "configuration").c_str(),
              plain_line(set.value().kernel).c_str(), plain_line(set.value().device).c_str(), std::to_string(timed).c_str());
  return ExitCode::kOk;
}

void print_modules(const deploy::ExportedModules& done) {
  for (const deploy::ExportedModule& each : done.pieces) {
    const std::string name = plain_line(each.piece);
    if (each.module.empty()) {
      std::printf("%s: not written: %s\n", name.c_str(), plain_line(each.why_not).c_str());
      continue;
    }
    const std::string beside = each.binary.empty() ? "not compiled: " + plain_line(each.why_not) : each.binary.filename().string();
    std::printf("%s: %s, %s, %s; %s\n", name.c_str(), plain_line(each.module.string()).c_str(), plain_line(beside).c_str(),
                each.config.text().c_str(), each.median_ns ? "measured" : "default");
  }
}

// Kernels as modules of Python, with their binaries beside them.
ExitCode export_modules(Invocation& invocation, const ExportSpec& spec) {
  if (spec.gpu_targets.size() > 1)
    return fail(invocation, invalid_argument("--format triton writes for one GPU; give one --target"));
  const std::string target = spec.gpu_targets.empty() ? "" : spec.gpu_targets.front();
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  deploy::ModuleSpec wanted{spec.subjects, one_binding(spec), spec.dtype, spec.level, target};
  wanted.file = spec.file;
  if (spec.device != ExportSpec().device) wanted.device = spec.device;
  const Interruption interruption;
  const auto done = deploy::export_modules(*engine.value(), wanted, interruption.token());
  if (!done.ok()) return fail(invocation, done.error());
  if (!invocation.json) {
    print_modules(done.value());
    return ExitCode::kOk;
  }
  nlohmann::json document = {
      {"schema", "fuselab.export-modules/1"}, {"target", done.value().target}, {"pieces", nlohmann::json::array()}};
  for (const deploy::ExportedModule& each : done.value().pieces) {
    nlohmann::json row = {{"piece", each.piece},
                          {"model", each.model},
                          {"binding", each.binding},
                          {"uses", each.uses},
                          {"configuration", each.config.text()},
                          {"measured", each.median_ns.has_value()},
                          {"module", each.module.string()},
                          {"binary", each.binary.string()},
                          {"reason", each.why_not}};
    if (each.median_ns) row["median_ns"] = *each.median_ns;
    document["pieces"].push_back(std::move(row));
  }
  return print_document(document);
}

std::optional<deploy::TrialFormat> trial_format(const std::string& name) {
  if (name == "t4") return deploy::TrialFormat::kT4;
  if (name == "kernel-tuner") return deploy::TrialFormat::kKernelTuner;
  if (name == "wisdom") return deploy::TrialFormat::kWisdom;
  return name == "csv" ? std::optional(deploy::TrialFormat::kCsv) : std::nullopt;
}

deploy::ExportFormat bundle_format(const std::string& name) {
  if (name == "header") return deploy::ExportFormat::kHeader;
  return name == "folder" ? deploy::ExportFormat::kFolder : deploy::ExportFormat::kBundle;
}

ExitCode exit_code_of(const deploy::VerifiedBundle& verified) {
  if (verified.has(deploy::PieceVerdict::kWrong)) return ExitCode::kNumerics;
  if (verified.has(deploy::PieceVerdict::kFailed)) return ExitCode::kInternal;
  return verified.has(deploy::PieceVerdict::kSlower) ? ExitCode::kRegression : ExitCode::kOk;
}

ExitCode verify(Invocation& invocation, const deploy::VerifySpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const Interruption interruption;
  const auto verified = deploy::verify_bundle(*engine.value(), spec, interruption.token());
  if (!verified.ok()) return fail(invocation, verified.error());
  if (invocation.json) {
    nlohmann::json document = {{"schema", "fuselab.verify/1"}, {"file", spec.file.string()}};
    add_verified(document, verified.value());
    print_document(document);
  } else {
    std::fputs((spec.file.string() + ": " + verified_text(verified.value(), Terminal::of_stdout())).c_str(), stdout);
  }
  return exit_code_of(verified.value());
}

}  // namespace

void add_export_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<ExportSpec>();
  spec->confirms = true;
  const auto checked = std::make_shared<deploy::VerifySpec>();
  CLI::Option* const verified =
      command
          .add_option("--verify", checked->file,
                      "Check a bundle, file or folder, instead: the loader opens and runs it, and each piece is "
                      "compared with the float64 reference and timed here")
          ->type_name("FILE");
  command.add_option("SUBJECT", spec->subjects, "Built-in model or workload, .onnx or graph file, or the text of a graph")
      ->excludes(verified);
  command.add_option("--to", spec->file, "The file to write; FOLDER/, or a bundle's folder that is there: the same as a folder")
      ->type_name("FILE")
      ->excludes(verified);
  const auto format = std::make_shared<std::string>("bundle");
  CLI::Option* const formats = command.add_option(
      "--format", *format,
      "bundle: all that runs it; folder: the same, its parts as files; header: the launch configurations alone, for C; triton: "
      "a Python module for each kernel, with its binary. t4, kernel-tuner, wisdom, csv: what was tried of one kernel, for other "
      "tools");
  allow_only(*formats->excludes(verified), "bundle|folder|header|triton|t4|kernel-tuner|wisdom|csv");
  command
      .add_option(
          "--target", spec->gpu_targets,
          "Also put kernels of Triton for this GPU into the bundle, several times for several; with --format triton: the GPU "
          "to write for. The GPU need not be here, e.g. sm_90a")
      ->type_name("TARGET")
      ->excludes(verified);
  command
      .add_option("--max-slowdown", checked->most_slowdown_percent,
                  "With --verify: fail where a piece is slower than this beside its exported time")
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->needs(verified);
  add_shape_option(command, spec->bindings, "; several times: one bundle for all of these, its weights packed once");
  command.add_option("--device", spec->device, "The CPU to export for")->type_name("DEVICE")->capture_default_str();
  command.add_option("--dtype", spec->dtype, "Element type of built-in workloads")
      ->type_name("f32|f64|f16|bf16")
      ->capture_default_str();
  add_level_option(command, spec->level);
  add_accept_option(command, spec->accepted);
  command.add_flag("!--no-measure", spec->confirms,
                   "Refuse pieces that no fresh process confirmed, instead of measuring them in one");
  command.add_flag("--allow-unconfirmed", spec->allow_unconfirmed,
                   "Take figures that no fresh process confirmed, and mark them in the bundle");
  command.add_flag("--require-complete", spec->require_complete,
                   "Fail for a piece that was never measured, instead of building its default configuration");
  command.add_flag("--invent-weights", spec->invent_weights,
                   "Pack random numbers for weights that a model's file declares and has no numbers for, instead of failing");
  command.add_flag("!--no-baseline", spec->baselines, "Leave out the builds for CPUs without this one's instructions");
  command.add_option("--max-loss", spec->most_loss_percent, "Fail where a model is slower than this without libraries' plans")
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--seed", spec->seed, "Of weights that the model's file does not hold")
      ->type_name("N")
      ->capture_default_str()
      ->check(not_negative());
  show_examples(command, {"fuselab export bert-layer --to bert.fuselab",
                          "fuselab export w3 --shape rows=128,cols=768 --to w3.fuselab --require-complete",
                          "fuselab export resnet50 --to models/resnet50/",
                          "fuselab export resnet50 --shape batch=1 --shape batch=8 --to resnet50.fuselab",
                          "fuselab export resnet50 llama-layer --to tuned.h --format header",
                          "fuselab export bert-layer --to kernels/ --format triton --target sm_90a",
                          "fuselab export bert-layer --to bert.fuselab --target sm_80 --target sm_90a",
                          "fuselab export --verify bert.fuselab", "fuselab export conv.toml --format t4 --to results.json"});
  command.callback([&invocation, spec, checked, format] {
    invocation.action = [&invocation, spec, checked, format] {
      checked->device = spec->device;
      spec->commit = engine::source_commit();
      spec->command = invocation.command_line;
      spec->on_confirming = [quiet = invocation.quiet](int pieces) {
        if (!quiet)
          std::fprintf(stderr, "confirming %s in a fresh process each (--no-measure refuses) …\n",
                       counted(pieces, "piece").c_str());
      };
      if (!checked->file.empty()) return verify(invocation, *checked);
      if (spec->subjects.empty() || spec->file.empty())
        return fail(invocation, invalid_argument("export needs a SUBJECT and --to FILE, or --verify FILE alone"));
      const bool has_kernels = *format == "bundle" || *format == "folder" || *format == "triton";
      if (!has_kernels && !spec->gpu_targets.empty())
        return fail(invocation,
                    invalid_argument("--format " + *format + " has no kernels in it; --target is of a bundle or --format triton"));
      const bool is_of_one = *format == "triton" || trial_format(*format);
      if (is_of_one && spec->bindings.size() > 1)
        return fail(invocation, invalid_argument("--format " + *format + " is of one --shape; bundles and headers take several"));
      if (const auto trials = trial_format(*format)) return export_trials(invocation, *spec, *trials);
      if (*format == "triton") return export_modules(invocation, *spec);
      spec->format = bundle_format(*format);
      return export_bundle(invocation, *spec);
    };
  });
}

}  // namespace fuselab::cli
