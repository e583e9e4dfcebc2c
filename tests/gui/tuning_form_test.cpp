// SPDX-License-Identifier: Apache-2.0
// The form of a job against the command line: each option of the verbs is in it or is left out for a reason.
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QToolButton>
#include <QWheelEvent>
#include <map>
#include <set>

#include "app/gui/parts/tuning_form.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

// The field of each option; those without one, with the reason.
const std::map<std::string, const char*> kFields = {
    {"SUBJECT", "tuning.subjects"},   {"--shape", "tuning.bindings"},      {"--device", "tuning.devices"},
    {"--no-device", "tuning.except"}, {"--prefer", "tuning.prefer"},       {"--dtype", "tuning.dtype"},
    {"--level", "tuning.level"},      {"--mode", "tuning.mode"},           {"--accept", "tuning.accept_nan-loss"},
    {"--seed", "tuning.seed"},        {"--remeasure", "tuning.remeasure"}, {"--cold", "tuning.cold"},
    {"--whole", "tuning.whole"},      {"--decide", "tuning.decide"},       {"--strategy", "tuning.strategy"},
    {"--budget", "tuning.seconds"},   {"--trials", "tuning.trials"},       {"--prior", "tuning.prior"},
    {"--keep", "tuning.keep"},        {"--config", "tuning.config"},       {"--target", "tuning.target"},
    {"--dry-run", "tuning.estimate"}};
const std::map<std::string, const char*> kLeftOut = {
    {"-h,--help", "the guide opens by F1"},
    {"--wide", "the window has every column"},
    {"--compile-only", "Devices, Targets compiles for a target that need not be here"},
    {"--into", "it is for machines without a compiler, which have no window"},
    {"--new", "it writes a file to edit, and measures nothing"}};

TEST_F(WindowTest, TheFormHasEveryOptionOfTheVerbs) {
  open();
  window_->show_page(PageId::kTuning);
  QFile page(QStringLiteral(FUSELAB_SOURCES "/resources/docs/verbs.md"));  // which a test of the verbs holds to the program
  ASSERT_TRUE(page.open(QIODevice::ReadOnly));
  static const QRegularExpression kOption(QStringLiteral("^fuselab (run|bench|tune) (\\S+)"), QRegularExpression::MultilineOption);
  std::set<std::string> seen;
  for (auto match = kOption.globalMatch(QString::fromUtf8(page.readAll())); match.hasNext();)
    seen.insert(match.next().captured(2).toStdString());
  EXPECT_GT(seen.size(), 20U);
  for (const std::string& option : seen) {
    const auto field = kFields.find(option);
    if (field == kFields.end()) {
      EXPECT_EQ(kLeftOut.count(option), 1U) << option << " has no field and no reason";
    } else {
      EXPECT_NE(window_->findChild<QWidget*>(QLatin1String(field->second)), nullptr) << option;
    }
  }
  for (const auto& [option, field] : kFields) EXPECT_EQ(seen.count(option), 1U) << option << " is no option any more";
  for (const auto& [option, reason] : kLeftOut) EXPECT_EQ(seen.count(option), 1U) << option << " is no option any more";
}

TEST(TuningForm, ShowsMoreOptionsOnDemandOrWhereOneIsSet) {
  TuningForm usual{engine::JobSpec()};
  usual.show();
  auto* seed = usual.findChild<QSpinBox*>("tuning.seed");
  EXPECT_FALSE(seed->isVisible());
  usual.findChild<QToolButton*>("tuning.more")->setChecked(true);
  EXPECT_TRUE(seed->isVisible());
  engine::JobSpec spec;
  spec.devices.prefer = {"onednn", "cpu"};
  TuningForm asked(spec);
  asked.show();
  EXPECT_EQ(asked.findChild<QLineEdit*>("tuning.prefer")->text(), "onednn, cpu");
  EXPECT_TRUE(asked.findChild<QLineEdit*>("tuning.prefer")->isVisible()) << "what the command line said is seen";
}

TEST(TuningForm, GivesWhatItsFieldsSay) {
  engine::JobSpec first;
  first.seed = 1ULL << 40U;  // more than the field holds
  TuningForm form(first);
  ASSERT_TRUE(form.spec().ok());
  EXPECT_EQ(form.spec().value().seed, first.seed) << "nobody touched it";
  const auto line = [&](const char* name) { return form.findChild<QLineEdit*>(QLatin1String(name)); };
  const auto box = [&](const char* name) { return form.findChild<QCheckBox*>(QLatin1String(name)); };
  form.findChild<QSpinBox*>("tuning.seed")->setValue(7);
  line("tuning.prefer")->setText("onednn, cpu");
  line("tuning.except")->setText("opencl  null:0");
  line("tuning.prior")->setText(" /tmp/a folder ");
  box("tuning.accept_nan-loss")->setChecked(true);
  box("tuning.whole")->setChecked(true);
  box("tuning.decide")->setChecked(true);
  const auto spec = form.spec();
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec.value().seed, 7U);
  EXPECT_EQ(spec.value().devices.prefer, (std::vector<std::string>{"onednn", "cpu"}));
  EXPECT_EQ(spec.value().devices.except, (std::vector<std::string>{"opencl", "null:0"}));
  EXPECT_EQ(form.prior(), "/tmp/a folder");
  EXPECT_TRUE(spec.value().accepted.has(Drawback::kNanLoss));
  EXPECT_FALSE(spec.value().accepted.has(Drawback::kWinogradError));
  EXPECT_TRUE(spec.value().slow_whole_models);
  EXPECT_TRUE(spec.value().decide);
}

TEST(TuningForm, AConfigurationBelongsToMeasuringOnce) {
  TuningForm form{engine::JobSpec()};
  auto* config = form.findChild<QLineEdit*>("tuning.config");
  config->setText("threads=1,unroll=4");
  ASSERT_FALSE(form.spec().ok());
  EXPECT_NE(form.spec().error().message.find("Measure once"), std::string::npos) << form.spec().error().message;
  auto* job = form.findChild<QComboBox*>("tuning.verb");
  job->setCurrentText("Measure once");
  ASSERT_TRUE(form.spec().ok());
  EXPECT_EQ(form.spec().value().config.text(), "threads=1,unroll=4");
  config->setText("threads");
  ASSERT_FALSE(form.spec().ok());
  EXPECT_NE(form.spec().error().message.find("Configuration"), std::string::npos) << form.spec().error().message;
}

TEST_F(WindowTest, APriorThatCannotBeReadIsSaidOnTheCard) {
  open();
  window_->show_page(PageId::kTuning);
  find<QLineEdit>("tuning.prior")->setText(folder_.filePath("nosuch.json"));
  click(find<QAbstractButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->starts, 0);
  EXPECT_TRUE(find<QLabel>("tuning.activity")->text().startsWith("Begin with"))
      << find<QLabel>("tuning.activity")->text().toStdString();
}

TEST_F(WindowTest, TheFormSaysWhatItWillDoOnWhichDevicesAndHowLong) {
  open();
  window_->show_page(PageId::kTuning);
  auto* line = find<QLabel>("tuning.estimate");
  ASSERT_TRUE(QTest::qWaitFor([&] { return line->text().startsWith("About "); }, 60'000)) << line->text().toStdString();
  EXPECT_TRUE(line->text().contains("cpu:0")) << line->text().toStdString();
  EXPECT_TRUE(line->toolTip().contains("usual values") || line->toolTip().contains("has stored")) << line->toolTip().toStdString();
  find<QLineEdit>("tuning.config")->setText("threads=1");
  ASSERT_TRUE(QTest::qWaitFor([&] { return line->text().contains("Measure once"); }, 60'000)) << "what is wrong with the form";
  EXPECT_TRUE(find<QAbstractButton>("tuning.start")->isEnabled()) << "it blocks nothing";
}

TEST_F(WindowTest, WhatIsAskedForTheEstimateEndsWhenAJobStarts) {
  open();
  script_->compares_slowly = true;
  window_->show_page(PageId::kTuning);
  ASSERT_FALSE(window_->is_settled()) << "the estimate is being asked for";
  click(find<QAbstractButton>("tuning.start"));
  ASSERT_TRUE(QTest::qWaitFor([this] { return script_->compares_ended > 0; }, 60'000));
  ASSERT_TRUE(QTest::qWaitFor([this] { return window_->bench().job.active(); }, 60'000));
  auto* line = find<QLabel>("tuning.estimate");
  EXPECT_FALSE(line->text().contains("cancelled")) << line->text().toStdString();
  script_->compares_slowly = false;
  script_->job->end(engine::JobState::kFinished);
  EXPECT_TRUE(QTest::qWaitFor([&] { return line->text().startsWith("About "); }, 60'000)) << "asked again after the job";
}

TEST_F(WindowTest, TheEstimateReadsWhatTheSearchesBeginWith) {
  open();
  window_->show_page(PageId::kTuning);
  auto* line = find<QLabel>("tuning.estimate");
  ASSERT_TRUE(QTest::qWaitFor([&] { return line->text().startsWith("About "); }, 60'000)) << line->text().toStdString();
  find<QLineEdit>("tuning.prior")->setText(folder_.filePath("nosuch.json"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return line->text().startsWith("Begin with"); }, 60'000)) << line->text().toStdString();
}

TEST(TuningForm, TheWheelScrollsPastItsFields) {
  TuningForm form({});
  form.show();
  int fields = 0;
  for (auto* list : form.findChildren<QComboBox*>()) {
    const int before = list->currentIndex();
    list->clearFocus();
    for (const int turn : {-120, 120}) {
      QWheelEvent wheel(QPointF(4, 4), list->mapToGlobal(QPointF(4, 4)), {}, {0, turn}, Qt::NoButton, Qt::NoModifier,
                        Qt::NoScrollPhase, false);
      QApplication::sendEvent(list, &wheel);
      EXPECT_EQ(list->currentIndex(), before) << list->objectName().toStdString();
    }
    ++fields;
  }
  EXPECT_GE(fields, 5);
}

}  // namespace
}  // namespace fuselab::gui::test
