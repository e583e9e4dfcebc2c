// SPDX-License-Identifier: Apache-2.0
#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>

#include "app/gui/pages/page_spec.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class Palette : public WindowTest {
 protected:
  // Opens it as Ctrl+Shift+P does and types; the entries that are left, those that cannot be used in brackets.
  QStringList entries(const QString& typed) {
    auto* palette = find<QDialog>("commandPalette");
    palette->hide();
    for (QAction* action : window_->actions()) {
      if (action->shortcut() == QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)) action->trigger();
    }
    input_ = palette->findChild<QLineEdit*>();
    input_->setText(typed);
    QStringList texts;
    const auto* list = palette->findChild<QListWidget*>();
    for (int row = 0; row < list->count(); ++row) {
      const bool usable = list->item(row)->flags().testFlag(Qt::ItemIsEnabled);
      texts << (usable ? list->item(row)->text() : QStringLiteral("(%1)").arg(list->item(row)->text()));
    }
    return texts;
  }
  void enter() { QTest::keyClick(input_, Qt::Key_Return); }

  QLineEdit* input_ = nullptr;
};

TEST_F(Palette, HoldsWhatThePageThatIsShownCanDo) {
  open();
  const QStringList on_compare = entries("export the");  // not the page that is called Export
  ASSERT_EQ(on_compare.size(), 2) << on_compare.join('\n').toStdString();
  EXPECT_TRUE(on_compare[0].startsWith("Export the plot as PNG, SVG or CSV"));
  EXPECT_TRUE(on_compare.join(' ').contains("Model total"));
  EXPECT_FALSE(entries("logarithmic").isEmpty());
  EXPECT_FALSE(entries("table behind").isEmpty());
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  EXPECT_EQ(entries("model or"), QStringList(QString::fromUtf8("Open a model or a kernel…   (Ctrl+O)")));
  EXPECT_EQ(entries("search"), QStringList("Search operators   (Ctrl+F)"));
  EXPECT_TRUE(entries("export the").front().startsWith('(')) << "no plot here: greyed, not missing";
  window_->show_page(PageId::kDevices);
  ASSERT_TRUE(settle());
  EXPECT_EQ(entries("probe"), QStringList("Probe again"));
  EXPECT_EQ(entries("go to").size(), static_cast<qsizetype>(page_specs().size()));
}

TEST_F(Palette, GreysWhatCannotBeDoneNow) {
  open();
  EXPECT_EQ(entries("pause"), QStringList("(Pause   (F6))"));
  enter();
  EXPECT_TRUE(input_->isVisible()) << "nothing was run";
  EXPECT_EQ(entries("markdown"), QStringList("(Copy the chosen rows as Markdown   (Ctrl+Shift+C))"));
  find<TableView>("compare.table")->select_row(1);
  EXPECT_EQ(entries("markdown"), QStringList("Copy the chosen rows as Markdown   (Ctrl+Shift+C)"));
}

TEST_F(Palette, RunsTheFirstThatMatches) {
  open();
  entries("go to results");
  enter();
  EXPECT_EQ(window_->current_page(), PageId::kResults);
  window_->show_page(PageId::kCompare);
  ASSERT_TRUE(settle());
  entries("table behind");
  enter();
  EXPECT_EQ(entries("plot instead").size(), 1) << "the table is shown";
}

}  // namespace
}  // namespace fuselab::gui::test
