// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/models/model_facts_model.h"

#include "app/gui/look/figures.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

QString extents_text(const Shape& shape) {
  QStringList parts;
  for (const Dim& dim : shape) parts << (dim.is_symbol() ? text_of(dim.name()) : QString::number(dim.extent()));
  return parts.isEmpty() ? WeightModel::tr("scalar") : parts.join(QStringLiteral(" × "));
}

}  // namespace

WeightModel::WeightModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Weight"), {}, false, 320, 140, false, true},
               {tr("Type"), {}, false, 60},
               {tr("Extents"), {}, false, 170},
               {tr("Size"), {}, true, 90},
               {tr("Share"), tr("Of the bytes of all weights"), true, 70},
               {tr("Numbers"), tr("Where its numbers are: in the model's file, in a file beside it, or nowhere"), false, 170}});
}

void WeightModel::show(ModelFactsPtr facts) {
  beginResetModel();
  facts_ = std::move(facts);
  total_bytes_ = 0;
  if (facts_ != nullptr) {
    for (const engine::ModelWeight& weight : facts_->weights) total_bytes_ += weight.size.value_or(Bytes{}).count;
  }
  endResetModel();
}

TableCell WeightModel::cell(int row, int column) const {
  const engine::ModelWeight& weight = facts_->weights[static_cast<std::size_t>(row)];
  const double bytes = weight.size ? weight.size->count : 0;
  switch (column) {
    case 0: return {text_of(weight.name), text_of(weight.name)};
    case 1: return {text_of(name_of(weight.type.dtype))};
    case 2: return {extents_text(weight.type.shape), {}, bytes};
    case 3:
      return weight.size ? TableCell{text_of(format_bytes(*weight.size)), tr("%1 bytes").arg(count_text(weight.size->count)), bytes}
                         : TableCell{QStringLiteral("–"), tr("An extent is open"), bytes, Tone::kMuted};
    case 4: return {total_bytes_ > 0 ? percent_text(bytes / total_bytes_) : QStringLiteral("–"), {}, bytes};
    default: {
      const QString text = text_of(engine::weight_source_text(weight));
      if (weight.file) return {text, text};
      return {text, tr("The model has no numbers for it: what runs takes random ones, made from the seed"), {}, Tone::kWarning};
    }
  }
}

BarrierModel::BarrierModel(QObject* parent) : TableModelBase(parent) {
  set_columns(
      {{tr("Operator"), {}, false, 140},
       {tr("Uses"), tr("Operators of this type that are barriers for this reason"), true, 60},
       {tr("Takes along"), tr("Operators behind them that are barriers too: the types of what they read are not known"), true, 96},
       {tr("Why"), {}, false, 420, 160, false, true},
       {tr("First one"), tr("The first of them in the model, by its name"), false, 200, 80, true}});
}

void BarrierModel::show(ModelFactsPtr facts) {
  beginResetModel();
  facts_ = std::move(facts);
  endResetModel();
}

TableCell BarrierModel::cell(int row, int column) const {
  const engine::BarrierCause& cause = facts_->barriers[static_cast<std::size_t>(row)];
  switch (column) {
    case 0: return {text_of(cause.op), {}, {}, Tone::kNeutral, true};
    case 1: return {count_text(cause.operators), {}, cause.operators};
    case 2: return {count_text(cause.taken_along), {}, cause.taken_along, cause.taken_along > 0 ? Tone::kWarning : Tone::kMuted};
    case 3: return {text_of(cause.because), text_of(cause.because)};
    default: return {text_of(cause.first), text_of(cause.first), {}, Tone::kMuted};
  }
}

}  // namespace fuselab::gui
