// SPDX-License-Identifier: Apache-2.0
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMessageBox>
#include <QTextBrowser>

#include "app/gui/pages/page_spec.h"
#include "app/gui/shell/guide.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class Menus : public WindowTest {
 protected:
  void choose(const char* name) {
    auto* action = window_->menuBar()->findChild<QAction*>(QLatin1String("menu.") + QLatin1String(name));
    ASSERT_NE(action, nullptr) << name;
    action->trigger();
  }
};

TEST_F(Menus, HoldEveryPageAndTheJob) {
  open();
  QStringList texts;
  for (const QAction* menu : window_->menuBar()->actions()) {
    for (const QAction* action : menu->menu()->actions()) texts << action->text();
  }
  for (const PageSpec& spec : page_specs()) EXPECT_TRUE(texts.contains("Go to " + title_of(spec.id))) << spec.name;
  for (const char* text :
       {"Run", "Pause", "Cancel", "Measure built-in models…", "Doctor…", "Trusted keys…", "Guide to this page", "About Fuselab"})
    EXPECT_TRUE(texts.contains(QString::fromUtf8(text))) << text << " of " << texts.join(", ").toStdString();
}

TEST_F(Menus, GuideShowsThePartOfTheShownPage) {
  open();
  window_->show_page(PageId::kResults);
  choose("guide");
  EXPECT_TRUE(find<QTextBrowser>("guide.text")->toPlainText().contains("lists every stored trial"));
}

TEST(Guide, HasAPartForEveryPage) {
  for (const PageSpec& spec : page_specs()) {
    const QString part = guide_to(title_of(spec.id));
    EXPECT_TRUE(part.startsWith("## ")) << spec.name;
    EXPECT_EQ(part.count("\n## "), 0) << spec.name;
  }
}

TEST_F(Menus, DoctorSaysWhatMeasuringDependsOn) {
  MainWindow::Options options;
  options.config.database = folder_.filePath("none.db").toStdString();
  open(options);
  choose("doctor");
  const auto* table = find<TableView>("doctor.table");
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->model()->rowCount() > 3; }, 60'000));
  EXPECT_TRUE(find<QLabel>("doctor.verdict")->text().contains("it to measure"))
      << find<QLabel>("doctor.verdict")->text().toStdString();
}

TEST_F(Menus, ATextThatIsNoKeyIsNotTrusted) {
  MainWindow::Options options;
  options.config.key_directory = folder_.path().toStdString();
  open(options);
  choose("trust");
  EXPECT_TRUE(find<QLineEdit>("trust.own")->text().startsWith("fuselab-ed25519"));
  find<QLineEdit>("trust.key")->setText("nonsense");
  click(find<QAbstractButton>("trust.add"));
  EXPECT_FALSE(find<QLabel>("trust.answer")->text().isEmpty());
}

TEST_F(Menus, AboutNamesTheLicences) {
  open();
  choose("about");
  EXPECT_TRUE(find<QMessageBox>("about")->informativeText().contains("Apache-2.0"));
}

}  // namespace
}  // namespace fuselab::gui::test
