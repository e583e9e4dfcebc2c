// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/fuse_statistics.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/cli/steps/fused_subject.h"
#include "app/engine/subject/subject.h"
#include "app/engine/workers/selected_devices.h"
#include "app/views/plan_words.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/fusion/explain/why_not.h"
#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"

namespace fuselab::cli {
namespace {

struct FuseOptions {
  FusedSubject of;
  bool reasons = false;
  bool statistics = false;
  bool verify = false;
  std::vector<std::string> pair;  // the two operators that --why asks about; empty: all neighbours
};

// A piece whose extents are open has no size.
nlohmann::json size_json(const FusedOperation& operation, Bytes size) {
  return operation.graph.is_concrete() ? nlohmann::json(size.count) : nlohmann::json();
}

nlohmann::json operation_json(const FusedOperation& operation) {
  const bool open = !operation.graph.is_concrete();
  nlohmann::json row = {{"id", operation.id},
                        {"name", operation.name},
                        {"pattern", std::string(name_of(operation.pattern))},
                        {"count", operation.count},
                        {"operators", operation.nodes.size()},
                        {"ideal_bytes", size_json(operation, operation.cost.ideal())},
                        {"eager_bytes", size_json(operation, operation.cost.eager())},
                        {"flops", open ? nlohmann::json() : nlohmann::json(operation.cost.flops)},
                        {"traffic_bound", open ? nlohmann::json() : nlohmann::json(operation.cost.traffic_bound())},
                        {"graph", canonical_text(operation.graph)}};
  if (!operation.prologue.empty()) row["prologue"] = operation.prologue;
  return row;
}

// Counts pieces by kind: only those that run something get a kernel.
struct PieceCounts {
  int kernels = 0, barriers = 0, views = 0;
};

PieceCounts counts_of(const FusionResult& fusion) {
  PieceCounts counts;
  for (const FusedOperation& operation : fusion.operations) {
    const bool barrier = operation.pattern == FusionPatternType::kOpaque;
    ++(barrier ? counts.barriers : engine::running_operators(operation.graph) == 0 ? counts.views : counts.kernels);
  }
  return counts;
}

// "1 kernel, 2 barriers and 1 view": what is not there is not named, except for kernels.
std::string counts_text(const PieceCounts& counts) {
  std::vector<std::string> parts{counted(counts.kernels, "kernel")};
  if (counts.barriers > 0) parts.push_back(counted(counts.barriers, "barrier"));
  if (counts.views > 0) parts.push_back(counted(counts.views, "view"));
  std::string text = parts.front();
  for (std::size_t index = 1; index < parts.size(); ++index) text += (index + 1 == parts.size() ? " and " : ", ") + parts[index];
  return text;
}

nlohmann::json rejected_json(const FusionRejected& pair) {
  nlohmann::json row{{"producer", pair.producer}, {"consumer", pair.consumer}, {"reason", pair.reason}};
  if (!pair.backend.empty()) row["backend"] = pair.backend;
  return row;
}

nlohmann::json shared_json(const SharedIntermediate& shared) {
  return {{"producer", shared.producer}, {"pieces", shared.pieces}, {"recomputed", shared.recomputed}, {"reason", shared.reason}};
}

nlohmann::json fusion_json(const FuseOptions& options, const FusionResult& fusion) {
  nlohmann::json operations = nlohmann::json::array(), rejected = nlohmann::json::array(), shared = nlohmann::json::array();
  for (const FusedOperation& operation : deduplicate(fusion.operations)) operations.push_back(operation_json(operation));
  for (const FusionRejected& pair : fusion.rejected) rejected.push_back(rejected_json(pair));
  for (const SharedIntermediate& each : fusion.shared) shared.push_back(shared_json(each));
  const PieceCounts counts = counts_of(fusion);
  nlohmann::json document = {{"schema", "fuselab.fuse/1"},
                             {"subject", options.of.subject},
                             {"original_op_count", fusion.original_op_count},
                             {"fused_op_count", fusion.fused_op_count},
                             {"kernels", counts.kernels},
                             {"barriers", counts.barriers},
                             {"views", counts.views},
                             {"covered_share", fusion.covered_share},
                             {"operations", operations},
                             {"rejected", rejected},
                             {"shared", shared},
                             {"folds", fusion.imported.fold_notes},
                             {"notes", fusion.notes}};
  add_runnable(fusion, document);
  return document;
}

// Prints what is no operator any more, one line each; without the reasons the first of many.
void print_folds(const FusionResult& fusion, bool reasons) {
  constexpr std::size_t kMost = 8;
  for (const std::string& fold : fold_sentences(fusion.imported, reasons ? fusion.imported.fold_notes.size() : kMost))
    std::printf("  %s\n", plain_line(fold).c_str());
}

// Prints the intermediates that several pieces read: those computed in each, and with the reasons also those stored once.
void print_shared(const FusionResult& fusion, bool reasons) {
  for (const SharedIntermediate& shared : fusion.shared) {
    if (!shared.recomputed && !reasons) continue;
    std::printf("  %s, which %d pieces read, is %s\n", plain_line(shared.producer).c_str(), shared.pieces,
                plain_line(shared.reason).c_str());
  }
}

void print_text(const FusionResult& fusion, bool reasons) {
  std::vector<std::vector<std::string>> rows;
  for (const FusedOperation& operation : deduplicate(fusion.operations)) {
    const bool open = !operation.graph.is_concrete();
    char bound[32];
    std::snprintf(bound, sizeof bound, "%.2fx", operation.cost.traffic_bound());
    rows.push_back({operation.id, operation.name, std::string(name_of(operation.pattern)), std::to_string(operation.nodes.size()),
                    std::to_string(operation.count), open ? "…" : format_bytes(operation.cost.ideal()),
                    open ? "…" : format_bytes(operation.cost.eager()), open ? "…" : bound});
  }
  std::fputs(render_table({{"id"},
                           {"piece"},
                           {"pattern"},
                           {"operators", Align::kRight},
                           {"count", Align::kRight},
                           {"ideal", Align::kRight},
                           {"eager", Align::kRight},
                           {"traffic bound", Align::kRight}},
                          rows, Terminal::of_stdout())
                 .c_str(),
             stdout);
  std::printf("\n%s became %s; %s; %s stayed apart.\n", counted(fusion.original_op_count, "operator").c_str(),
              counts_text(counts_of(fusion)).c_str(), shares_text(fusion).c_str(),
              counted(std::ssize(fusion.rejected), "neighbouring pair").c_str());
  print_not_runnable(fusion);
  print_open_extents(fusion.graph);
  print_folds(fusion, reasons);
  print_notes(fusion);
  print_shared(fusion, reasons);
  if (!reasons) {
    if (!fusion.rejected.empty()) std::puts("--why lists the reasons.");
    return;
  }
  for (const FusedOperation& operation : deduplicate(fusion.operations)) {
    if (!operation.prologue.empty())
      std::printf("  %s: %s\n", plain_line(operation.name).c_str(), plain_line(operation.prologue).c_str());
  }
  for (const FusionRejected& pair : fusion.rejected) {
    std::printf("  %s → %s: %s\n", plain_line(pair.producer).c_str(), plain_line(pair.consumer).c_str(),
                plain_line(pair.reason).c_str());
  }
}

nlohmann::json why_json(const FuseOptions& options, const WhyNot& answer) {
  nlohmann::json cuts = nlohmann::json::array();
  for (const FusionRejected& pair : answer.cuts) cuts.push_back(rejected_json(pair));
  return {{"schema", "fuselab.fuse-why/1"}, {"subject", options.of.subject}, {"first", answer.first}, {"second", answer.second},
          {"fused", answer.fused},          {"path", answer.path},           {"cuts", cuts},          {"text", answer.text}};
}

// The devices that `--device` names; none without it.
Result<std::vector<DeviceInfo>> asked_devices(Invocation& invocation, const FuseOptions& options) {
  if (options.of.devices.only.empty() && options.of.devices.except.empty()) return std::vector<DeviceInfo>();
  FL_TRY(engine::Engine* const opened, invocation.engine());
  FL_TRY(const auto backends, opened->devices(false));
  return engine::select_devices(backends, options.of.devices, opened->config().synthetic);
}

// Explains why two operators of the subject are not in one piece.
ExitCode explain_pair(Invocation& invocation, const FuseOptions& options, const FusionResult& fusion) {
  const auto answer = why_not_fused(fusion, options.pair.front(), options.pair.back());
  if (!answer.ok()) return fail(invocation, answer.error());
  if (invocation.json) return print_document(why_json(options, answer.value()));
  std::puts(plain_line(answer.value().text).c_str());
  return ExitCode::kOk;
}

ExitCode fuse_subject(Invocation& invocation, const FuseOptions& options) {
  const auto fusion = fused(invocation, options.of, options.pair.empty());
  if (!fusion.ok()) return fail(invocation, fusion.error());
  if (!options.pair.empty()) return explain_pair(invocation, options, fusion.value());
  FusionVerification verified;
  std::vector<PieceFinding> findings;
  if (options.verify) {
    const auto asked = asked_devices(invocation, options);
    if (!asked.ok()) return fail(invocation, asked.error());
    findings = findings_of(fusion.value(), asked.value());
    verified = verify_fusion(fusion.value());
  }
  const auto problem = verified.passed ? std::nullopt : std::optional(Error{ErrorCode::kNumerics, verified.detail});
  if (invocation.json) {
    nlohmann::json document = fusion_json(options, fusion.value());
    if (options.statistics) document["statistics"] = statistics_json(statistics_of(fusion.value()));
    if (options.verify) {
      document["validation"] = findings_json(findings);
      document["verification"] = verification_json(verified);
    }
    return print_document(std::move(document), problem);
  }
  print_text(fusion.value(), options.reasons);
  if (options.statistics) std::fputs(statistics_text(statistics_of(fusion.value())).c_str(), stdout);
  if (options.verify) {
    std::fputs(findings_text(findings).c_str(), stdout);
    std::fputs(verification_text(verified).c_str(), stdout);
  }
  return verified.passed ? ExitCode::kOk : ExitCode::kNumerics;
}

}  // namespace

void add_fuse_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<FuseOptions>();
  add_fused_subject(command, options->of);
  show_examples(command, {"fuselab fuse llama-layer --why", "fuselab fuse w3 --why sum y --level O1"});
  add_level_option(command, options->of.level);
  add_device_options(
      command, options->of.devices,
      "Cut as a job on this device would, by what its backend says one kernel may hold; repeat for several (default: "
      "no device is asked)");
  command.add_flag("--statistics", options->statistics, "Also how much was fused, by pattern, and what was rejected how often");
  command.add_flag(
      "--verify", options->verify,
      "Also compute each piece at once and operator by operator, 10 inputs each, and compare; exit 7 where they differ");
  CLI::Option* const why = command.add_flag("--why", options->reasons, "Also why each neighbouring pair was not fused");
  command
      .add_option("OPERATORS", options->pair,
                  "Two operators, by their names or their outputs': with --why, only why these two were not fused")
      ->expected(2)
      ->needs(why);
  command.callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return fuse_subject(invocation, *options); }; });
}

}  // namespace fuselab::cli
