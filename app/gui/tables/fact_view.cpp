// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/fact_view.h"

#include <QHeaderView>
#include <algorithm>

#include "app/gui/tables/tone_delegate.h"

namespace fuselab::gui {
namespace {

constexpr int kCellMargins = 16;

}  // namespace

FactView::FactView(QWidget* parent) : TableView(parent), wrapping_(new ToneDelegate(this, true)) {
  setItemDelegate(wrapping_);
  setVerticalScrollMode(ScrollPerPixel);  // a row may be several lines
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // Nothing is cut, so there is nothing to drag; all the room is shared out here, at once.
  horizontalHeader()->setStretchLastSection(false);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

// Gives the names the width they need, at most two fifths, and the rest to the values, which matter most.
void FactView::fit_widths() {
  if (fitting_facts_ || model() == nullptr || model()->columnCount() != 2) return;
  fitting_facts_ = true;
  const int room = viewport()->width();
  int names = 0;
  for (int row = 0; row < model()->rowCount(); ++row)
    names = std::max(names, fontMetrics().horizontalAdvance(model()->index(row, 0).data().toString()) + kCellMargins);
  names = std::min(names, room * 2 / 5);
  set_widths({names, room - names});
  fitting_facts_ = false;
  fit_heights();
}

void FactView::fit_heights() {
  if (fitting_facts_ || model() == nullptr) return;
  const int spacing = verticalHeader()->defaultSectionSize() - fontMetrics().height();
  for (int row = 0; row < model()->rowCount(); ++row) {
    int height = fontMetrics().height();
    for (int column = 0; column < model()->columnCount(); ++column)
      height = std::max(height, wrapping_->height_of(model()->index(row, column), font(), columnWidth(column)));
    setRowHeight(row, height + spacing);
  }
}

}  // namespace fuselab::gui
