// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/current_model.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

#include "app/gui/look/figures.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class CurrentModelOfTheWindow : public WindowTest {
 protected:
  void choose(const QString& subject, const QString& shape) {
    find<QComboBox>("model.subject")->setEditText(subject);
    find<QLineEdit>("model.shape")->setText(shape);
    QTest::keyClick(find<QLineEdit>("model.shape"), Qt::Key_Return);
    ASSERT_TRUE(settle());
  }
  CurrentModel& model() { return window_->bench().model; }
  QString subtitle(PageId page) {
    return window_->page(page)->findChild<QLabel*>(name_of(page) + QStringLiteral(".subtitle"))->text();
  }
};

TEST(CurrentModel, GoesBackAndForwardAndRemembersWhatWasChosen) {
  QTemporaryDir folder;
  Settings settings(folder.filePath("settings.ini"));
  CurrentModel model(settings);
  model.choose({"a", "batch=1"});
  model.choose({"b", ""});
  model.choose({"b", ""});
  model.choose({"", "batch=2"});
  EXPECT_EQ(model.choice().subject, "b") << "no subject is no choice";
  EXPECT_FALSE(model.can_go_forward());
  model.go_back();
  EXPECT_EQ(model.choice(), (ModelChoice{"a", "batch=1"}));
  EXPECT_FALSE(model.can_go_back());
  model.go_forward();
  EXPECT_EQ(model.choice().subject, "b");
  model.go_back();
  model.choose({"c", ""});
  EXPECT_FALSE(model.can_go_forward()) << "another choice ends the way forward";
  EXPECT_EQ(CurrentModel(settings).recent(), QStringList({"c", "b", "a"}));
}

TEST(CurrentModel, TheRunIsPartOfTheWayBack) {
  QTemporaryDir folder;
  Settings settings(folder.filePath("settings.ini"));
  CurrentModel model(settings);
  int models = 0, scopes = 0;
  QObject::connect(&model, &CurrentModel::changed, [&] { ++models; });
  QObject::connect(&model, &CurrentModel::scope_changed, [&] { ++scopes; });
  model.choose_run("run-1");
  EXPECT_TRUE(model.can_go_back()) << "to every run";
  model.choose({"a", ""});
  WorkScope scope = model.scope();
  scope.devices = QStringList("cpu:0");
  model.set_scope(scope);
  EXPECT_EQ(scopes, 2) << "the run, and the devices, which are no place to go back to";
  model.go_back();
  EXPECT_EQ(model.scope().run, "run-1");
  EXPECT_EQ(model.choice().subject, "a") << "no model is no choice";
  model.go_back();
  EXPECT_EQ(model.scope(), (WorkScope{QStringList("cpu:0"), {}, {}}));
  EXPECT_FALSE(model.can_go_back());
  model.go_forward();
  EXPECT_EQ(model.scope().run, "run-1");
  EXPECT_GE(models, 2);
}

TEST(CurrentModel, IsWhatAPageShowsUntilOneIsChosen) {
  QTemporaryDir folder;
  Settings settings(folder.filePath("settings.ini"));
  CurrentModel model(settings);
  model.take_shown({"shown", ""});
  EXPECT_EQ(model.choice().subject, "shown");
  EXPECT_FALSE(model.can_go_back());
  EXPECT_TRUE(model.recent().isEmpty()) << "nobody chose it";
  model.take_shown({"another", ""});
  EXPECT_EQ(model.choice().subject, "shown");
  model.choose({"chosen", ""});
  model.go_back();
  EXPECT_EQ(model.choice().subject, "shown");
}

TEST_F(CurrentModelOfTheWindow, IsTakenByEveryPage) {
  open();
  choose("resnet50", "batch=2");
  window_->show_page(PageId::kTuning);
  EXPECT_EQ(find<QLineEdit>("tuning.subjects")->text(), "resnet50");
  EXPECT_EQ(find<QLineEdit>("tuning.bindings")->text(), "batch=2");
  window_->show_page(PageId::kProfile);
  EXPECT_EQ(find<QComboBox>("profile.subject")->currentText(), "resnet50");
  EXPECT_EQ(find<QLineEdit>("profile.binding")->text(), "batch=2");
  window_->show_page(PageId::kExport);
  EXPECT_EQ(find<QComboBox>("export.subject")->currentText(), "resnet50");
  window_->show_page(PageId::kModels);
  EXPECT_EQ(find<QComboBox>("models.subject")->currentText(), "resnet50");
}

TEST_F(CurrentModelOfTheWindow, IsTheOneThatCompareShowsFirst) {
  MainWindow::Options options;
  options.subjects = {"bert-base-layer"};
  open(options);
  EXPECT_EQ(model().choice(), (ModelChoice{"bert-base-layer", "batch=1,seq=128"}));
  EXPECT_EQ(find<QComboBox>("model.subject")->currentText(), "bert-base-layer");
  EXPECT_FALSE(model().can_go_back());
}

TEST_F(CurrentModelOfTheWindow, IsNamedWhereNoPageCouldOpenIt) {
  open();
  EXPECT_EQ(model().choice().subject, "") << "the name of a file that is not here";
  EXPECT_EQ(find<QComboBox>("model.subject")->lineEdit()->placeholderText(), "bert-base-layer");
  window_->show_page(PageId::kDecide);
  EXPECT_EQ(find<QComboBox>("model.subject")->lineEdit()->placeholderText(), "no model chosen");
}

TEST_F(CurrentModelOfTheWindow, ThatIsNotStoredIsSaidByCompare) {
  open();
  choose("resnet50", "");
  EXPECT_TRUE(subtitle(PageId::kCompare).contains("nothing is stored of resnet50, so this is bert-base-layer"))
      << subtitle(PageId::kCompare).toStdString();
}

TEST_F(CurrentModelOfTheWindow, OneRunIsWhatThePagesShow) {
  open();
  const QString id = text_of(script_->catalog.runs.front().id);
  window_->show_page(PageId::kResults);
  window_->show_page(PageId::kDevices);
  window_->show_page(PageId::kCompare);
  model().choose_run(id);
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->last_compare.run, id.toStdString());
  EXPECT_EQ(find<QComboBox>("model.run")->currentData().toString(), id);
  EXPECT_TRUE(subtitle(PageId::kCompare).startsWith("Only the run “" + id.left(8))) << subtitle(PageId::kCompare).toStdString();
  EXPECT_TRUE(window_->page(PageId::kCompare)->own_command().ends_with("--run " + id.toStdString()));
  window_->show_page(PageId::kDecide);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(subtitle(PageId::kDecide).startsWith("Only the run"));
  window_->show_page(PageId::kDevices);
  EXPECT_TRUE(subtitle(PageId::kDevices).startsWith("The chosen run has no effect here"));
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(QTest::qWaitFor(
      [this, &id] {
        const std::lock_guard lock(script_->mutex);
        return script_->last_filter.run_id == id.toStdString();
      },
      60'000));
  find<QComboBox>("results.run")->setCurrentIndex(0);
  emit find<QComboBox>("results.run")->activated(0);
  ASSERT_TRUE(settle());
  EXPECT_EQ(model().scope().run, "") << "the run of a page is the window's";
  EXPECT_FALSE(subtitle(PageId::kResults).contains("Only the run"));
  model().go_back();
  EXPECT_EQ(find<QComboBox>("model.run")->currentData().toString(), id);
}

TEST_F(CurrentModelOfTheWindow, IsWhatAPageWasToldByTheUser) {
  open();
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  auto* const subject = find<QComboBox>("models.subject");
  subject->setEditText("resnet50");
  QTest::keyClick(subject->lineEdit(), Qt::Key_Return);
  ASSERT_TRUE(settle());
  EXPECT_EQ(model().choice().subject, "resnet50");
  EXPECT_EQ(find<QComboBox>("model.subject")->currentText(), "resnet50");
}

TEST_F(CurrentModelOfTheWindow, OfAnotherSubjectHasNoExtentsOfTheOneBefore) {
  open();
  choose("resnet50", "batch=2");
  find<QComboBox>("model.subject")->setEditText("bert-base-layer");
  QTest::keyClick(find<QComboBox>("model.subject")->lineEdit(), Qt::Key_Return);
  EXPECT_EQ(model().choice(), (ModelChoice{"bert-base-layer", ""}));
  model().go_back();
  EXPECT_EQ(find<QLineEdit>("model.shape")->text(), "batch=2");
}

}  // namespace
}  // namespace fuselab::gui::test
