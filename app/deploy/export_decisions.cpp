// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/export_decisions.h"

#include <algorithm>
#include <cstdio>

#include "app/engine/workers/selected_devices.h"

namespace fuselab::deploy {
namespace {

using engine::CompareTable;
using engine::FusedModel;
using engine::Piece;

Result<DeviceInfo> device_of(engine::Engine& engine, const std::string& id, const std::vector<BackendReport>& backends) {
  DeviceChoice choice;
  choice.only = {id};
  FL_TRY(const auto devices, engine::select_devices(backends, choice, engine.config().synthetic));
  if (devices.size() != 1 || devices.front().backend != "cpu")
    return Error{ErrorCode::kUnsupported, "'" + id + "' cannot be exported for: a bundle holds kernels for one CPU (cpu:0)"};
  return devices.front();
}

}  // namespace

Result<ExportTarget> export_target(engine::Engine& engine, const ExportSpec& spec) {
  ExportTarget target;
  FL_TRY(target.level, parse_optimization_level(spec.level));
  FL_TRY(target.backends, engine.devices(false));
  FL_TRY(target.device, device_of(engine, spec.device, target.backends));
  FL_TRY(target.alone, engine.limits({target.device}, spec.level));
  if (const auto every = engine::select_devices(target.backends, {}, false); every.ok()) {
    FL_TRY(target.together, engine.limits(every.value(), spec.level));
  }
  return target;
}

Result<std::vector<std::string>> extents_of(const ExportSpec& spec) {
  if (spec.bindings.size() > 1 && spec.subjects.size() > 1)
    return invalid_argument("several extents are of one subject: export each subject by itself, or give the extents once");
  for (std::size_t i = 1; i < spec.bindings.size(); ++i) {
    if (std::find(spec.bindings.begin(), spec.bindings.begin() + static_cast<std::ptrdiff_t>(i), spec.bindings[i]) !=
        spec.bindings.begin() + static_cast<std::ptrdiff_t>(i))
      return invalid_argument("the extents '" + spec.bindings[i] + "' are given twice");
  }
  return spec.bindings.empty() ? std::vector<std::string>{""} : spec.bindings;
}

std::vector<CompareTable> stored_tables(engine::Engine& engine, const ExportSpec& spec, const std::string& typed,
                                        const std::string& binding) {
  engine::CompareSpec stored;
  stored.subjects = {typed};
  stored.bindings = {binding};
  stored.level = spec.level;
  stored.dtype = spec.dtype;
  stored.accepted = spec.accepted;
  auto tables = engine.compare(stored);
  return tables.ok() ? std::move(tables).value() : std::vector<CompareTable>();
}

Result<MeasuredCut> cut_as_measured(const engine::Subject& subject, const ExportTarget& target,
                                    const std::vector<CompareTable>& tables) {
  const auto measured = [&](const FusedModel& model) {
    return std::count_if(model.pieces.begin(), model.pieces.end(),
                         [&](const Piece& piece) { return row_of(tables, piece.key) != nullptr; });
  };
  FL_TRY(FusedModel alone, engine::cut(subject, target.level, target.alone));
  if (target.together.empty()) return MeasuredCut{std::move(alone), false};
  auto together = engine::cut(subject, target.level, target.together);
  if (together.ok() && measured(together.value()) > measured(alone)) return MeasuredCut{std::move(together).value(), true};
  return MeasuredCut{std::move(alone), false};
}

Status check_configured(const ExportSpec& spec, const std::string& piece, std::string_view configured) {
  const std::string who = "'" + piece + "' ";
  if (configured == kUnconfirmed && !spec.allow_unconfirmed) {
    const char* const why = spec.confirms ? "is not confirmed: what a fresh process measured now is not to be trusted, or failed; "
                                          : "was measured, and not confirmed in a fresh process: `fuselab export` without "
                                            "--no-measure does that, ";
    return Error{ErrorCode::kUnavailable, who + why + "--allow-unconfirmed takes it as it is"};
  }
  if (configured == kDefault && spec.require_complete) {
    return Error{ErrorCode::kUnavailable, who + "was never measured on " + spec.device +
                                              ": `fuselab tune` does, and without "
                                              "--require-complete it goes out in its default configuration"};
  }
  return {};
}

Status check_loss(const ExportSpec& spec, const std::string& model, const LibraryLoss& loss) {
  if (loss.percent() <= spec.most_loss_percent) return {};
  char text[160];
  std::snprintf(text, sizeof text, "it would be %.1f %% slower without what cannot be exported, more than --max-loss %g; ",
                loss.percent(), spec.most_loss_percent);
  return Error{ErrorCode::kUnavailable, model + ": " + text + loss.lines.front()};
}

}  // namespace fuselab::deploy
