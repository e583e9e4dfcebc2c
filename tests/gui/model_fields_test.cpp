// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include "app/gui/look/nearest_name.h"
#include "app/gui/parts/refused_field.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

TEST(NearestName, IsTheOneThatWasMeant) {
  const QStringList names = {"resnet50", "bert-layer", "w3-residual-rmsnorm"};
  EXPECT_EQ(nearest_name("resnt50", names), "resnet50");
  EXPECT_EQ(nearest_name("ResNet-50", names), "resnet50");
  EXPECT_EQ(nearest_name("bert_layer", names), "bert-layer");
  EXPECT_EQ(nearest_name("llama", names), "") << "nothing is near it";
  EXPECT_EQ(nearest_name("batsh", {"batch", "seq"}), "batch");
  EXPECT_EQ(nearest_name("bacth", {"seq", "batch"}), "batch") << "two letters swapped are one mistake";
}

TEST(RefusedField, MarksTheFieldUntilItsTextIsChangedAndOffersTheNearestName) {
  QWidget form;
  QLineEdit subject(&form), shape(&form);
  subject.setObjectName("subject");
  subject.setText("resnt50");
  shape.setText("batsh=8");
  RefusedModel refused(&subject, &shape, {"resnet50", "bert-layer"});
  refused.refuse("no built-in workload is called 'resnt50'; the list of models lists them");
  EXPECT_TRUE(subject.property("refused").toBool());
  EXPECT_FALSE(shape.property("refused").toBool());
  EXPECT_TRUE(subject.accessibleDescription().contains("'resnt50'")) << "colour is not the only sign";
  auto* const button = subject.findChild<QPushButton*>("subject.nearest");
  ASSERT_FALSE(button->isHidden());
  EXPECT_EQ(button->text(), "Use resnet50");
  bool replaced = false;
  QObject::connect(&refused, &RefusedModel::replaced, [&] { replaced = true; });
  button->click();
  EXPECT_EQ(subject.text(), "resnet50");
  EXPECT_TRUE(replaced);
  EXPECT_FALSE(subject.property("refused").toBool());
  EXPECT_TRUE(button->isHidden());
  EXPECT_TRUE(subject.accessibleDescription().isEmpty());
}

TEST(RefusedField, OfAShapeOffersASymbolOfTheModel) {
  QWidget form;
  QLineEdit subject(&form), shape(&form);
  shape.setObjectName("shape");
  subject.setText("bert-layer");
  shape.setText("batsh=8,seq=128");
  RefusedModel refused(&subject, &shape, {});
  refused.refuse("Shape: 'batsh' is no symbol of these subjects; they have batch, seq");
  EXPECT_FALSE(subject.property("refused").toBool());
  EXPECT_TRUE(shape.property("refused").toBool());
  shape.findChild<QPushButton*>("shape.nearest")->click();
  EXPECT_EQ(shape.text(), "batch=8,seq=128");
  refused.refuse("bert-layer: the shape needs a value for seq: seq=… in the Shape field");
  EXPECT_TRUE(shape.property("refused").toBool()) << "there is nothing near what is missing";
  EXPECT_TRUE(shape.findChild<QPushButton*>("shape.nearest")->isHidden());
}

TEST(RefusedField, OfAShapeIsMarkedForEachWayInWhichItIsWrong) {
  QWidget form;
  QLineEdit subject(&form), shape(&form);
  shape.setObjectName("shape");
  subject.setText("small.onnx");
  RefusedModel refused(&subject, &shape, {});
  for (const auto& [typed, reason] : std::initializer_list<std::pair<const char*, const char*>>{
           {"abc", "shape 'abc': expected name=number; write it as batch=8,seq=128"},
           {"batch=0", "shape 'batch=0': an extent must lie between 1 and 1099511627776; write it as batch=8,seq=128"}}) {
    shape.setText(typed);
    EXPECT_FALSE(refused.refuse(reason));
    EXPECT_TRUE(shape.property("refused").toBool()) << typed;
    EXPECT_FALSE(subject.property("refused").toBool()) << typed;
  }
  shape.setText("bacth=3");
  refused.refuse("small.onnx: 'bacth' is no symbol of this graph; its inputs have batch");
  EXPECT_EQ(shape.findChild<QPushButton*>("shape.nearest")->text(), "Use batch");
}

TEST(RefusedField, OfAFileOffersTheOneBesideItWhoseNameIsNearest) {
  const QTemporaryDir folder;
  QFile beside(folder.filePath("small_cnn.onnx")), cut(folder.filePath("cut.onnx"));
  ASSERT_TRUE(beside.open(QIODevice::WriteOnly) && cut.open(QIODevice::WriteOnly));
  QWidget form;
  auto* box = new QComboBox(&form);
  box->setObjectName("box");
  box->setEditable(true);
  QLineEdit shape(&form);
  RefusedModel refused(box->lineEdit(), &shape, {"cut", "resent50", "resnet50"});
  const auto nearest = [&] { return box->lineEdit()->findChild<QPushButton*>("box.nearest"); };
  box->setEditText(folder.filePath("smal_cnn.onnx"));
  EXPECT_TRUE(refused.refuse("there is no file '" + box->currentText() + "'; check its folder and its name"));
  EXPECT_TRUE(box->property("refused").toBool()) << "the frame is the box's";
  EXPECT_EQ(nearest()->text(), "Use small_cnn.onnx");
  nearest()->click();
  EXPECT_EQ(box->currentText(), beside.fileName());
  EXPECT_FALSE(box->property("refused").toBool());
  // What is wrong in a file is said of its name alone, and no other file is meant.
  box->setEditText(cut.fileName());
  EXPECT_TRUE(refused.refuse("cut.onnx: is not a valid ONNX file: it is cut off, damaged or of another format"));
  EXPECT_TRUE(nearest()->isHidden());
  // A name that was refused may be one of those that were chosen last: it is not offered.
  box->setEditText("resent50");
  EXPECT_TRUE(refused.refuse("'resent50' is neither a file nor a built-in model"));
  EXPECT_EQ(nearest()->text(), "Use resnet50");
}

class ModelFields : public WindowTest {
 protected:
  QAction* device(const QString& id) {
    for (QAction* action : find<QToolButton>("model.devices")->menu()->actions()) {
      if (action->data().toString() == id) return action;
    }
    ADD_FAILURE() << id.toStdString();
    return nullptr;
  }
};

TEST_F(ModelFields, OfTheWindowMarkAModelThatIsNotKnown) {
  open();
  auto* const subject = find<QComboBox>("model.subject")->lineEdit();
  subject->setText("resnt50");
  QTest::keyClick(subject, Qt::Key_Return);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(subject->property("refused").toBool());
  auto* const nearest = find<QPushButton>("model.subject.nearest");
  EXPECT_EQ(nearest->text(), "Use resnet50");
  nearest->click();
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_->bench().model.choice().subject, "resnet50");
  EXPECT_FALSE(subject->property("refused").toBool());
}

TEST_F(ModelFields, DevicesAndTypeAreTakenByEveryPage) {
  open();
  EXPECT_EQ(find<QToolButton>("model.devices")->text(), QString::fromUtf8("All devices ▾"));
  device("cpu:0")->setChecked(true);
  auto* const dtype = find<QComboBox>("model.dtype");
  dtype->setCurrentText("f16");
  emit dtype->activated(dtype->currentIndex());
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QToolButton>("model.devices")->text(), QString::fromUtf8("cpu:0 ▾"));
  EXPECT_EQ(script_->last_compare.devices.only, std::vector<std::string>{"cpu:0"});
  EXPECT_EQ(script_->last_compare.dtype, "f16");
  window_->show_page(PageId::kTuning);
  auto* const devices = find<QListWidget>("tuning.devices");
  for (int row = 0; row < devices->count(); ++row) {
    const bool is_cpu = devices->item(row)->data(Qt::UserRole).toString() == "cpu:0";
    EXPECT_EQ(devices->item(row)->checkState() == Qt::Checked, is_cpu);
  }
  EXPECT_EQ(find<QComboBox>("tuning.dtype")->currentText(), "f16");
  window_->show_page(PageId::kExport);
  EXPECT_EQ(find<QComboBox>("export.dtype")->currentText(), "f16");
  window_->show_page(PageId::kProfile);
  EXPECT_EQ(find<QComboBox>("profile.device")->currentData().toString(), "cpu:0");
  EXPECT_EQ(window_->page(PageId::kDecide)->own_command(), "fuselab decide --device cpu:0 --dtype f16");
  device("cpu:0")->setChecked(false);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(script_->last_compare.devices.only.empty()) << "all devices again";
}

TEST_F(ModelFields, TheMenuHasTheModelsThatWereChosenLast) {
  open();
  window_->bench().model.choose({"resnet50", ""});
  window_->bench().model.choose({"bert-layer", ""});
  auto* const menu = window_->menuBar()->findChild<QMenu*>("menu.recent-models");
  ASSERT_NE(menu, nullptr);
  emit menu->aboutToShow();
  ASSERT_EQ(menu->actions().size(), 2);
  EXPECT_EQ(menu->actions()[1]->text(), "resnet50");
  menu->actions()[1]->trigger();
  EXPECT_EQ(window_->bench().model.choice().subject, "resnet50");
}

}  // namespace
}  // namespace fuselab::gui::test
