// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/model_bar.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>

#include "app/gui/look/figures.h"
#include "app/gui/parts/arrangement.h"

namespace fuselab::gui {
namespace {

constexpr Named kModelNamed{"model."};

}  // namespace

ModelBar::ModelBar(CurrentModel& model, const std::vector<std::string>& subjects, QWidget* parent)
    : QToolBar(tr("Model"), parent),
      model_(model),
      back_(
          addAction(style()->standardIcon(QStyle::SP_ArrowBack), tr("Back to the model before"), &model_, &CurrentModel::go_back)),
      forward_(addAction(style()->standardIcon(QStyle::SP_ArrowForward), tr("Forward to the next model"), &model_,
                         &CurrentModel::go_forward)),
      subject_(kModelNamed(new QComboBox(this), "subject", tr("Model of the window"),
                           tr("The model, ONNX file or workload that every page works on"))),
      binding_(kModelNamed(new QLineEdit(this), "shape", tr("Shape of the model"),
                           tr("Values of symbolic dimensions: batch=8,seq=128"))) {
  setObjectName(QStringLiteral("modelBar"));
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  setIconSize(QSize(16, 16));
  back_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
  forward_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Right));
  for (QAction* action : {back_, forward_}) {
    QWidget* const button = widgetForAction(action);
    button->setAccessibleName(action->text());
    button->setFocusPolicy(Qt::TabFocus);
    button->setObjectName(action == back_ ? QStringLiteral("model.back") : QStringLiteral("model.forward"));
  }
  for (const std::string& subject : subjects) subjects_ << text_of(subject);
  subject_->setEditable(true);
  subject_->setInsertPolicy(QComboBox::NoInsert);
  subject_->setMinimumContentsLength(12);
  subject_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  subject_->setMaximumWidth(420);
  subject_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  subject_->lineEdit()->setAccessibleName(subject_->accessibleName());
  subject_->lineEdit()->setPlaceholderText(tr("no model chosen"));
  binding_->setPlaceholderText(tr("shape: as the model says"));
  binding_->setMinimumWidth(90);
  binding_->setMaximumWidth(220);
  auto* open =
      kModelNamed(new QPushButton(tr("Open…"), this), "open", tr("Open a model file"), tr("Choose an ONNX file for every page"));
  addWidget(subject_);
  addWidget(binding_);
  addWidget(open);
  connect(subject_, &QComboBox::textActivated, this, &ModelBar::choose);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ModelBar::choose);
  connect(binding_, &QLineEdit::returnPressed, this, &ModelBar::choose);
  connect(open, &QPushButton::clicked, this, &ModelBar::open_file);
  connect(&model_, &CurrentModel::changed, this, &ModelBar::show_choice);
  show_choice();
}

void ModelBar::fill_subjects() {
  const QSignalBlocker quiet(subject_);
  subject_->clear();
  QStringList all = model_.recent();
  for (const QString& each : subjects_) {
    if (!all.contains(each)) all << each;
  }
  subject_->addItems(all);
}

void ModelBar::show_choice() {
  fill_subjects();
  subject_->setCurrentIndex(-1);
  subject_->setEditText(model_.choice().subject);
  subject_->lineEdit()->setToolTip(model_.choice().subject);
  binding_->setText(model_.choice().binding);
  back_->setEnabled(model_.can_go_back());
  forward_->setEnabled(model_.can_go_forward());
}

void ModelBar::choose() {
  const QString subject = subject_->currentText().trimmed();
  // Extents belong to one model.
  const bool same = subject == model_.choice().subject;
  model_.choose({subject, same || model_.choice().subject.isEmpty() ? binding_->text().trimmed() : QString()});
}

void ModelBar::open_file() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open a model"), {}, tr("Models (*.onnx *.toml);;All files (*)"));
  if (!file.isEmpty()) model_.choose({file, {}});
}

}  // namespace fuselab::gui
