// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemView>
#include <QAccessible>
#include <QComboBox>
#include <QHash>
#include <QHeaderView>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QSet>
#include <QTemporaryDir>

#include "app/gui/graph/graph_canvas.h"
#include "app/gui/plots/figure_panel.h"
#include "app/gui/shell/screenshot.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using Accessibility = WindowTest;

// Parts that Qt makes and names by their owner.
bool is_inner_part(const QWidget* widget) {
  return qobject_cast<const QHeaderView*>(widget) != nullptr || qobject_cast<const QScrollBar*>(widget) != nullptr ||
         widget->inherits("QComboBoxListView") || widget->objectName().startsWith(QLatin1String("qt_"));
}

TEST_F(Accessibility, NoFocusableWidgetIsUnnamed) {
  open();
  for (PageId page : kAllPages) {
    window_->show_page(page);
    ASSERT_TRUE(settle());
  }
  int seen = 0;
  for (const QWidget* widget : window_->findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || is_inner_part(widget)) continue;
    ++seen;
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
    ASSERT_NE(face, nullptr) << widget->metaObject()->className();
    EXPECT_FALSE(face->text(QAccessible::Name).isEmpty())
        << widget->metaObject()->className() << " '" << widget->objectName().toStdString() << "' below '"
        << (widget->parentWidget() != nullptr ? widget->parentWidget()->objectName().toStdString() : "") << "'";
  }
  EXPECT_GT(seen, 40);
}

TEST_F(Accessibility, EveryFocusableWidgetHasARoleThatSaysWhatItIs) {
  open();
  for (const PageId page : kAllPages) {
    window_->show_page(page);
    ASSERT_TRUE(settle());
  }
  int charts = 0;
  for (QWidget* widget : window_->findChildren<QWidget*>()) {
    // A tab widget leaves its focus to its bar.
    if (widget->focusPolicy() == Qt::NoFocus || widget->focusProxy() != nullptr || is_inner_part(widget)) continue;
    const QAccessible::Role role = QAccessible::queryAccessibleInterface(widget)->role();
    charts += role == QAccessible::Chart;
    EXPECT_TRUE(role != QAccessible::NoRole && role != QAccessible::Client)
        << widget->metaObject()->className() << " '" << widget->objectName().toStdString() << "'";
  }
  EXPECT_GE(charts, 12);
}

// Of widgets beside or below each other in one parent, the left or the upper one is reached first.
TEST_F(Accessibility, TabGoesAsOneReads) {
  open();
  int compared = 0;
  for (const PageId page : kAllPages) {
    window_->show_page(page);
    ASSERT_TRUE(settle());
    QHash<const QWidget*, const QWidget*> last;  // that was reached, by the parent
    for (const QWidget* walk = window_->nextInFocusChain(); walk != window_.get(); walk = walk->nextInFocusChain()) {
      if (!window_->page(page)->isAncestorOf(walk) || !walk->isVisible() || (walk->focusPolicy() & Qt::TabFocus) == 0 ||
          is_inner_part(walk))
        continue;
      const QWidget* before = last.value(walk->parentWidget());
      last[walk->parentWidget()] = walk;
      if (before == nullptr) continue;
      ++compared;
      const QRect upper = before->geometry(), lower = walk->geometry();
      const bool beside = upper.top() <= lower.bottom() && lower.top() <= upper.bottom();
      EXPECT_TRUE(beside ? upper.left() < lower.left() : upper.top() < lower.top())
          << name_of(page).toStdString() << ": " << before->objectName().toStdString() << " before "
          << walk->objectName().toStdString();
    }
  }
  EXPECT_GT(compared, 20);
}

TEST_F(Accessibility, EveryPlotHasItsTableOneToggleAway) {
  open();
  for (PageId page : kAllPages) window_->page(page);
  const auto plots = window_->findChildren<FigurePanel*>();
  EXPECT_GE(plots.size(), 12);
  for (const FigurePanel* plot : plots) {
    for (const char* part : {".toggle", ".table", ".export"}) {
      const QRegularExpression named(QRegularExpression::escape(QLatin1String(part)) + QLatin1String("$"));
      EXPECT_EQ(plot->findChildren<QWidget*>(named).size(), 1) << part << " of " << plot->objectName().toStdString();
    }
  }
}

TEST_F(Accessibility, TabReachesTheTablesOfEveryPage) {
  open();
  int tables = 0;
  for (const PageId page : kAllPages) {
    window_->show_page(page);
    ASSERT_TRUE(settle());
    // The focus chain is a ring through all widgets: walking it must pass every table.
    QSet<const QWidget*> reached;
    for (const QWidget* walk = window_->nextInFocusChain(); walk != window_.get(); walk = walk->nextInFocusChain())
      reached.insert(walk);
    for (const QWidget* table : window_->page(page)->findChildren<QWidget*>()) {
      const bool shows_rows =
          qobject_cast<const QAbstractItemView*>(table) != nullptr || qobject_cast<const GraphCanvas*>(table) != nullptr;
      if (!shows_rows || !table->isVisible() || is_inner_part(table)) continue;
      ++tables;
      EXPECT_TRUE(reached.contains(table) && (table->focusPolicy() & Qt::TabFocus) != 0)
          << name_of(page).toStdString() << ": " << table->objectName().toStdString();
    }
  }
  EXPECT_GE(tables, 4) << "of Devices, Compare, Results and Models";
}

TEST_F(Accessibility, EveryPageIsDrawnInBothThemes) {
  for (ThemeChoice theme : {ThemeChoice::kLight, ThemeChoice::kDark}) {
    apply_theme(*qApp, theme);
    open();
    for (PageId page : kAllPages) {
      window_->show_page(page);
      const QString file = folder_.filePath(name_of(page) + QLatin1String(".png"));
      const Status taken = take_screenshot(*window_, file, 30);
      ASSERT_TRUE(taken.ok()) << taken.error().message;
      const QImage image(file);
      ASSERT_EQ(image.size(), window_->size() * window_->devicePixelRatioF());
      QSet<QRgb> colors;
      for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3) colors.insert(image.pixel(x, y));
      }
      EXPECT_GT(colors.size(), 20) << name_of(page).toStdString() << " looks empty";
      EXPECT_EQ(image.pixelColor(image.width() - 4, image.height() / 2), colors_of(theme == ThemeChoice::kDark).window)
          << "the page's margin is in the theme's colour";
    }
  }
  apply_theme(*qApp, ThemeChoice::kLight);
}

}  // namespace
}  // namespace fuselab::gui::test
