// SPDX-License-Identifier: Apache-2.0
#include <QAccessible>
#include <QComboBox>
#include <QHeaderView>
#include <QScreen>
#include <QScrollBar>
#include <QTemporaryDir>

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

TEST_F(Accessibility, EveryPlotHasItsTableOneToggleAway) {
  open();
  for (PageId page : kAllPages) window_->page(page);
  for (const char* plot :
       {"devices.plot", "tuning.plot", "compare.times", "compare.backends", "compare.roofline", "compare.sums", "results.order",
        "results.spread", "results.distribution", "diff.changes", "diff.samples", "history.plot"}) {
    EXPECT_NE(window_->findChild<QWidget*>(QLatin1String(plot) + QLatin1String(".toggle")), nullptr) << plot;
    EXPECT_NE(window_->findChild<QWidget*>(QLatin1String(plot) + QLatin1String(".table")), nullptr) << plot;
    EXPECT_NE(window_->findChild<QWidget*>(QLatin1String(plot) + QLatin1String(".export")), nullptr) << plot;
  }
}

TEST_F(Accessibility, TabReachesTheTableOfEveryPage) {
  open();
  const std::pair<PageId, const char*> tables[] = {{PageId::kDevices, "devices.table"},
                                                   {PageId::kCompare, "compare.table"},
                                                   {PageId::kResults, "results.table"},
                                                   {PageId::kModels, "models.graph"}};
  for (const auto& [page, name] : tables) {
    window_->show_page(page);
    ASSERT_TRUE(settle());
    QWidget* wanted = find<QWidget>(name);
    // The focus chain is a ring through all widgets: walking it must pass the wanted one.
    const QWidget* walk = window_.get();
    bool found = false;
    for (int step = 0; step < 1000 && !found; ++step) {
      walk = walk->nextInFocusChain();
      found = walk == wanted && walk->isVisible() && (walk->focusPolicy() & Qt::TabFocus) != 0;
    }
    EXPECT_TRUE(found) << name;
  }
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
