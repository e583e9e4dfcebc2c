// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/tab_order.h"

#include <QGridLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>
#include <array>
#include <vector>

namespace fuselab::gui {
namespace {

void collect(QWidget* widget, std::vector<QWidget*>& order);

void collect(QLayout& layout, std::vector<QWidget*>& order) {
  std::vector<int> items(static_cast<std::size_t>(layout.count()));
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i);
  if (auto* grid = qobject_cast<QGridLayout*>(&layout); grid != nullptr) {
    const auto place = [grid](int item) {
      int row = 0, column = 0, rows = 0, columns = 0;
      grid->getItemPosition(item, &row, &column, &rows, &columns);
      return std::array{row, column};
    };
    std::stable_sort(items.begin(), items.end(), [&](int a, int b) { return place(a) < place(b); });
  }
  for (const int i : items) {
    QLayoutItem* item = layout.itemAt(i);
    if (item->widget() != nullptr) collect(item->widget(), order);
    if (item->layout() != nullptr) collect(*item->layout(), order);
  }
}

void collect(QWidget* widget, std::vector<QWidget*>& order) {
  if (widget == nullptr) return;
  if ((widget->focusPolicy() & Qt::TabFocus) != 0) order.push_back(widget);
  if (const auto* splitter = qobject_cast<QSplitter*>(widget); splitter != nullptr) {
    for (int i = 0; i < splitter->count(); ++i) collect(splitter->widget(i), order);
  } else if (const auto* tabs = qobject_cast<QTabWidget*>(widget); tabs != nullptr) {
    collect(tabs->tabBar(), order);
    collect(tabs->cornerWidget(), order);
    for (int i = 0; i < tabs->count(); ++i) collect(tabs->widget(i), order);
  } else if (const auto* stack = qobject_cast<QStackedWidget*>(widget); stack != nullptr) {
    for (int i = 0; i < stack->count(); ++i) collect(stack->widget(i), order);
  } else if (const auto* area = qobject_cast<QScrollArea*>(widget); area != nullptr) {
    collect(area->widget(), order);
  } else if (widget->layout() != nullptr) {
    collect(*widget->layout(), order);
  }
}

}  // namespace

void order_tabs(QWidget& widget) {
  std::vector<QWidget*> order;
  collect(&widget, order);
  for (std::size_t i = 1; i < order.size(); ++i) QWidget::setTabOrder(order[i - 1], order[i]);
}

}  // namespace fuselab::gui
