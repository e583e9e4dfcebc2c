// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/span_model.h"

#include "app/gui/look/figures.h"

namespace fuselab::gui {

SpanModel::SpanModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Began"), tr("Since the first span"), true, 90},
               {tr("Took"), {}, true, 90},
               {tr("Kind"), {}, false, 80},
               {tr("Where"), tr("Device or engine, and the process"), false, 170},
               {tr("What"), {}, false, 400, 120, false, true}});
}

void SpanModel::show(std::vector<TraceSpan> spans) {
  beginResetModel();
  spans_ = std::move(spans);
  endResetModel();
}

TableCell SpanModel::cell(int row, int column) const {
  const TraceSpan& span = spans_[static_cast<std::size_t>(row)];
  const double began = span.start.count - spans_.front().start.count;
  switch (column) {
    case 0: return {duration_text(began), {}, began};
    case 1: return {duration_text(span.duration.count), {}, span.duration.count};
    case 2: return {text_of(span.category)};
    case 3: return {text_of(span.track.process + ", " + span.track.thread), {}, {}, Tone::kMuted};
    default: return {text_of(span.name), text_of(span.name)};
  }
}

}  // namespace fuselab::gui
