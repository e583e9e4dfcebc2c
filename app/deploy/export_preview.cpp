// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/export_preview.h"

#include "app/deploy/bundle/bundle_words.h"
#include "app/deploy/export_decisions.h"
#include "app/views/plan_words.h"

namespace fuselab::deploy {
namespace {

std::string missing_of(const std::string& configured, const ExportSpec& spec) {
  if (configured == kUnconfirmed) return "not confirmed in a fresh process";
  if (configured == kDefault) return "never measured on " + spec.device;
  return "";
}

OutgoingPiece outgoing(const engine::Piece& piece, const std::vector<engine::CompareTable>& tables, const ExportSpec& spec,
                       const DeviceInfo& device, LibraryLoss& loss) {
  OutgoingPiece out;
  out.name = piece.operation.name;
  out.count = piece.operation.count;
  if (!piece.not_measured.empty()) {
    out.missing = piece.not_measured;
    out.refused = "'" + out.name + "' cannot be run: " + piece.not_measured;
    return out;
  }
  const auto decision = decide_piece(piece, row_of(tables, piece.key), device);
  if (!decision.ok()) {
    out.missing = out.refused = decision.error().message;
    return out;
  }
  loss.add(piece, decision.value());
  out.plan = engine::plan_word(decision.value().candidate.kind, piece.is_single());
  out.configured = decision.value().configured;
  out.config = decision.value().candidate.configs;
  out.figure = decision.value().figure;
  out.runner_up = decision.value().runner_up;
  out.missing = missing_of(out.configured, spec);
  if (const Status allowed = check_configured(spec, out.name, out.configured); !allowed.ok()) out.refused = allowed.error().message;
  return out;
}

Result<ExportPreview> preview(engine::Engine& engine, const ExportSpec& spec, const ExportTarget& target, const std::string& typed,
                              const engine::Subject& subject) {
  ExportPreview preview;
  preview.model = subject.name;
  preview.binding = subject.binding;
  preview.device = target.device.id;
  preview.target = target.device.target.id;
  preview.processor = target.device.name;
  const auto tables = stored_tables(engine, spec, typed, subject.binding);
  FL_TRY(const MeasuredCut cut, cut_as_measured(subject, target, tables));
  for (const engine::Piece& piece : cut.model.pieces) {
    const bool runs_nothing = !piece.not_measured.empty() && piece.operation.pattern != FusionPatternType::kOpaque;
    if (runs_nothing) continue;
    preview.pieces.push_back(outgoing(piece, tables, spec, target.device, preview.loss));
    if (preview.refused.empty()) preview.refused = preview.pieces.back().refused;
  }
  const Status fast = check_loss(spec, preview.model, preview.loss);
  if (preview.refused.empty() && !fast.ok()) preview.refused = fast.error().message;
  return preview;
}

}  // namespace

Result<std::vector<ExportPreview>> preview_export(engine::Engine& engine, const ExportSpec& spec) {
  FL_TRY(const DType dtype, engine::parse_element_type(spec.dtype));
  FL_TRY(const ExportTarget target, export_target(engine, spec));
  FL_TRY(const auto bindings, extents_of(spec));
  std::vector<ExportPreview> previews;
  for (const std::string& typed : spec.subjects) {
    for (const std::string& binding : bindings) {
      FL_TRY(const auto subjects, engine::resolve_subject(engine.config(), typed, binding, dtype));
      for (const engine::Subject& subject : subjects) {
        FL_TRY(ExportPreview made, preview(engine, spec, target, typed, subject));
        previews.push_back(std::move(made));
      }
    }
  }
  return previews;
}

std::vector<OutgoingPiece> pieces_of(const BundleManifest& manifest) {
  std::vector<OutgoingPiece> pieces;
  for (const BundlePiece& piece : manifest.pieces)
    pieces.push_back({piece.name, piece.count, piece.plan, piece.configured, configurations_of(manifest, piece), piece.figure,
                      piece.runner_up, "", ""});
  return pieces;
}

Result<InspectedBundle> inspect_bundle(const engine::Config& config, const std::filesystem::path& file) {
  db::Trust trust(config.key_directory);
  return read_bundle(file, trust);
}

}  // namespace fuselab::deploy
