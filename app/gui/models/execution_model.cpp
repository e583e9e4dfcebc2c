// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/execution_model.h"

#include <QLocale>

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {

RunInputModel::RunInputModel(QObject* parent) : TableModelBase(parent) {
  set_columns(
      {{tr("Input"), {}, false, 150, 70},
       {tr("Type"), {}, false, 130, 60},
       {tr("Gets"), tr("Random numbers, made from the seed, unless you give a number or a file"), false, 160, 80, false, true}});
}

void RunInputModel::set_inputs(std::vector<engine::ModelInput> inputs) {
  beginResetModel();
  inputs_ = std::move(inputs);
  given_.assign(inputs_.size(), QString());
  endResetModel();
}

void RunInputModel::give(int row, const QString& text) {
  if (row < 0 || row >= rows() || given(row) == text) return;
  given_[static_cast<std::size_t>(row)] = text;
  emit dataChanged(index(row, 0), index(row, columnCount() - 1));
}

engine::GivenTensors RunInputModel::tensors() const {
  engine::GivenTensors given;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (given_[i].isEmpty()) continue;
    bool is_number = false;
    const double number = QLocale::c().toDouble(given_[i], &is_number);
    if (is_number) {
      given.values[inputs_[i].name] = number;
    } else {
      given.inputs[inputs_[i].name] = {std::filesystem::path(given_[i].toStdString())};
    }
  }
  return given;
}

int RunInputModel::row_named_in(const QString& error) const {
  for (int row = 0; row < rows(); ++row) {
    if (error.contains(QStringLiteral("'%1'").arg(text_of(inputs_[static_cast<std::size_t>(row)].name)))) return row;
  }
  return -1;
}

TableCell RunInputModel::cell(int row, int column) const {
  const engine::ModelInput& input = inputs_[static_cast<std::size_t>(row)];
  const QString type = text_of(type_text(input.type));
  if (column == 0) return {text_of(input.name), text_of(input.name)};
  if (column == 1) return {type, type};
  const QString text = given(row);
  return text.isEmpty() ? TableCell{tr("random"), {}, {}, Tone::kMuted} : TableCell{text, text};
}

RunOutputModel::RunOutputModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Output"), {}, false, 170, 70, false, true},
               {tr("Type"), {}, false, 130, 70},
               {tr("Min"), tr("Of the finite values"), true, 84},
               {tr("Mean"), tr("Of the finite values"), true, 84},
               {tr("Max"), tr("Of the finite values"), true, 84},
               {tr("Non-finite"), tr("Values that are infinite or no number"), true, 76},
               {tr("SHA-256"), tr("Of the output's bytes; the whole hash on pointing at it"), false, 140, 60, true}});
}

void RunOutputModel::show(ExecutedPtr executed) {
  beginResetModel();
  executed_ = std::move(executed);
  endResetModel();
}

TableCell RunOutputModel::cell(int row, int column) const {
  const engine::OutputSummary& output = executed_->outputs[static_cast<std::size_t>(row)];
  const auto number = [](double value) {
    return TableCell{QString::number(value, 'g', 5), QString::number(value, 'g', 17), value};
  };
  switch (column) {
    case 0: return {text_of(output.name), text_of(output.name)};
    case 1: return {text_of(type_text(output.type)), text_of(type_text(output.type))};
    case 2: return number(output.minimum);
    case 3: return number(output.mean);
    case 4: return number(output.maximum);
    case 5:
      return {count_text(output.not_finite),
              {},
              static_cast<qlonglong>(output.not_finite),
              output.not_finite > 0 ? Tone::kWarning : Tone::kMuted};
    default: return {text_of(output.hash.substr(0, 16)), text_of(output.hash), {}, Tone::kMuted};
  }
}

RunPieceModel::RunPieceModel(QObject* parent) : TableModelBase(parent) {
  set_columns(
      {{tr("Piece"), {}, false, 190, 90, false, true},
       {tr("Ran on"), {}, false, 120, 70},
       {tr("First"), tr("Its time in the run that gave the outputs; of a kernel's very first launch with what comes with that"),
        true, 84},
       {tr("Steady"), tr("The median of further launches on the same buffers, once weights are laid out"), true, 84},
       {tr("Why there"), {}, false, 240, 80, true}});
}

void RunPieceModel::show(ExecutedPtr executed) {
  beginResetModel();
  executed_ = std::move(executed);
  QStringList names;
  if (executed_ != nullptr && !executed_->runs.empty()) {
    for (const engine::ExecutedUse& use : executed_->runs.back().uses) names << text_of(use.name);
  }
  brief_ = brief_names(names);
  endResetModel();
}

int RunPieceModel::rows() const {
  return executed_ == nullptr || executed_->runs.empty() ? 0 : static_cast<int>(executed_->runs.back().uses.size());
}

TableCell RunPieceModel::cell(int row, int column) const {
  const engine::ExecutionResult& run = executed_->runs.back();
  const engine::ExecutedUse& use = run.uses[static_cast<std::size_t>(row)];
  switch (column) {
    case 0: return {text_of(use.name), text_of(use.name), {}, Tone::kNeutral, false, brief_[row]};
    case 1: {
      QString degraded;
      for (const engine::Degradation& each : run.degradations) {
        if (each.piece == use.name && each.to == use.ran_on)
          degraded = tr("not on %1: %2").arg(text_of(each.from), window_words(each.reason));
      }
      return {text_of(use.ran_on), degraded, {}, degraded.isEmpty() ? Tone::kNeutral : Tone::kWarning};
    }
    case 2:
      return {duration_text(use.execution.count), use.first_launch ? tr("With the first launch of a kernel") : QString(),
              use.execution.count};
    case 3:
      return use.steady.count > 0 ? TableCell{duration_text(use.steady.count), {}, use.steady.count}
                                  : TableCell{QStringLiteral("–"), tr("Not launched again"), 0.0, Tone::kMuted};
    default: return {text_of(use.why), text_of(use.why), {}, Tone::kMuted};
  }
}

}  // namespace fuselab::gui
