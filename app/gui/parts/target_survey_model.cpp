// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/target_survey_model.h"

#include "app/gui/look/figures.h"

namespace fuselab::gui {
namespace {

using engine::TargetPiece;

TableCell unknown() {
  return {QStringLiteral("–"), TargetSurveyModel::tr("Not known"), {}, Tone::kMuted};
}

TableCell resource_cell(const TargetPiece& piece, const char* name) {
  const auto found = piece.kernel.resources.find(name);
  if (found == piece.kernel.resources.end()) return unknown();
  return {count_text(found->second), {}, static_cast<qlonglong>(found->second)};
}

Tone tone_of(const TargetPiece& piece) {
  if (!piece.outcome().ok()) return Tone::kBad;
  if (piece.state == TargetPiece::State::kCompiled) return piece.kernel.problem.empty() ? Tone::kGood : Tone::kWarning;
  return piece.state == TargetPiece::State::kRefused ? Tone::kWarning : Tone::kMuted;
}

}  // namespace

TargetSurveyModel::TargetSurveyModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Piece"), tr("Each distinct piece once"), false, 240, 120},
               {tr("Uses"), tr("Equal pieces of the model"), true, 50},
               {tr("Result"), tr("Matched: its text gave the reference's results on an emulator, at reduced extents"), false, 110},
               {tr("Registers"), tr("Of a thread"), true, 76},
               {tr("Shared"), tr("Shared memory of a block, bytes"), true, 70},
               {tr("Spills"), tr("Bytes that a thread spills"), true, 60},
               {tr("Occupancy"), tr("Share of a multiprocessor's threads that can be resident"), true, 80},
               {tr("Limited by"), tr("What lets no further block fit on a multiprocessor"), false, 110},
               {tr("Fusions"), tr("What XLA made of the piece, by kind, and calls of a library"), false, 150},
               {tr("Memory"), tr("Arguments, outputs, temporaries and code of an XLA program, bytes"), true, 90},
               {tr("Vendor's estimate"), tr("What the vendor's own model of cost says; nothing was timed"), true, 110},
               {tr("Compiling"), tr("Time of the compiler"), true, 84},
               {tr("Note"), {}, false, 240, 100, false, true}});
}

void TargetSurveyModel::show(engine::TargetSurveyReport report) {
  beginResetModel();
  report_ = std::move(report);
  lines_.clear();
  for (const engine::TargetSurvey& survey : report_.models) {
    for (const TargetPiece& piece : survey.pieces) lines_.push_back({&survey, &piece});
  }
  endResetModel();
}

TableCell TargetSurveyModel::cell(int row, int column) const {
  const Line& line = lines_[static_cast<std::size_t>(row)];
  const TargetPiece& piece = *line.piece;
  if (column == kPiece) return {text_of(piece.name), text_of(line.survey->model + " (" + line.survey->binding + ")")};
  if (column == kUses) return {count_text(piece.uses), {}, piece.uses};
  if (column == kResult) return {text_of(piece.result()), text_of(piece.problem.message), {}, tone_of(piece), true};
  if (column == kNote) return {text_of(piece.note()), text_of(piece.note())};
  if (piece.state != TargetPiece::State::kCompiled) return {};
  switch (column) {
    case kRegisters: return resource_cell(piece, "registers");
    case kShared: return resource_cell(piece, "shared_bytes");
    case kSpills: return resource_cell(piece, "spill_bytes");
    case kOccupancy:
      if (!piece.kernel.occupancy) return unknown();
      return {percent_text(*piece.kernel.occupancy), {}, *piece.kernel.occupancy};
    case kLimitedBy: return piece.kernel.limited_by.empty() ? unknown() : TableCell{text_of(piece.kernel.limited_by)};
    case kFusions: {
      const std::string fusions = engine::fusion_words(piece.kernel.resources);
      return fusions.empty() ? unknown() : TableCell{text_of(fusions), text_of(fusions)};
    }
    case kMemory: {
      const auto memory = engine::program_memory(piece.kernel.resources);
      return memory ? TableCell{count_text(memory->count), {}, static_cast<qlonglong>(memory->count)} : unknown();
    }
    case kEstimate: {
      const auto& estimate = piece.kernel.estimate;
      return estimate ? TableCell{duration_text(estimate->time.count), text_of(estimate->source), estimate->time.count} : unknown();
    }
    default: return {duration_text(piece.kernel.compile_time.count), {}, piece.kernel.compile_time.count};
  }
}

}  // namespace fuselab::gui
