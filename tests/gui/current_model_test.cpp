// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/current_model.h"

#include <QAction>
#include <QComboBox>
#include <QLineEdit>

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
