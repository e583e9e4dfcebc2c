// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/model_bar.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/parts/refused_field.h"

namespace fuselab::gui {
namespace {

constexpr Named kModelNamed{"model."};
constexpr int kOpenWidth = 36, kWidestRun = 300, kWidestList = 640, kScrollBar = 28;  // pixels

}  // namespace

ModelBar::ModelBar(CurrentModel& model, const std::vector<std::string>& subjects, QWidget* parent)
    : QToolBar(tr("Model"), parent),
      model_(model),
      back_(addAction(style()->standardIcon(QStyle::SP_ArrowBack), tr("Back to the run or model before"), &model_,
                      &CurrentModel::go_back)),
      forward_(addAction(style()->standardIcon(QStyle::SP_ArrowForward), tr("Forward to the next run or model"), &model_,
                         &CurrentModel::go_forward)),
      subject_(kModelNamed(new QComboBox(this), "subject", tr("Model of the window"),
                           tr("The model, ONNX file or workload that every page works on"))),
      binding_(kModelNamed(new QLineEdit(this), "shape", tr("Shape of the model"),
                           tr("Values of symbolic dimensions: batch=8,seq=128"))),
      devices_(kModelNamed(new QToolButton(this), "devices", tr("Devices of the window"),
                           tr("The devices that every page works on; none ticked: every usable one"))),
      dtype_(kModelNamed(new QComboBox(this), "dtype", tr("Element type of the window"),
                         tr("Type of built-in models and workloads on every page; a model's file has its own"))),
      run_(kModelNamed(new QComboBox(this), "run", tr("Run of the window"),
                       tr("The stored run whose trials and figures the pages show"))) {
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
  subject_->setMinimumContentsLength(10);
  subject_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  subject_->setMaximumWidth(420);
  subject_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  subject_->lineEdit()->setAccessibleName(subject_->accessibleName());
  subject_->lineEdit()->setPlaceholderText(tr("no model chosen"));
  binding_->setPlaceholderText(tr("shape: as the model says"));
  binding_->setMinimumWidth(90);
  binding_->setMaximumWidth(220);
  auto* open =
      kModelNamed(new QPushButton(tr("…"), this), "open", tr("Open a model file"), tr("Choose an ONNX file for every page"));
  open->setMaximumWidth(kOpenWidth);
  dtype_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  addWidget(subject_);
  addWidget(binding_);
  addWidget(open);
  devices_->setPopupMode(QToolButton::InstantPopup);
  devices_->setFocusPolicy(Qt::TabFocus);
  devices_->setMenu(new QMenu(devices_));
  devices_->setText(tr("All devices ▾"));
  dtype_->addItem(tr("Any type"), QString());
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) dtype_->addItem(QLatin1String(dtype), QLatin1String(dtype));
  addWidget(devices_);
  addWidget(dtype_);
  run_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  run_->setMinimumContentsLength(6);
  run_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  run_->setMaximumWidth(kWidestRun);
  run_->view()->setTextElideMode(Qt::ElideMiddle);
  addWidget(run_);
  set_runs({});
  refused_ = new RefusedModel(subject_->lineEdit(), binding_, subjects_ + model_.recent());
  connect(refused_, &RefusedModel::replaced, this, &ModelBar::choose);
  for (QComboBox* box : {dtype_, run_}) connect(box, &QComboBox::activated, this, &ModelBar::choose_scope);
  connect(subject_, &QComboBox::textActivated, this, &ModelBar::choose);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ModelBar::choose);
  connect(binding_, &QLineEdit::returnPressed, this, &ModelBar::choose);
  connect(open, &QPushButton::clicked, this, &ModelBar::open_file);
  connect(&model_, &CurrentModel::changed, this, &ModelBar::show_choice);
  connect(&model_, &CurrentModel::shown_changed, this, &ModelBar::show_choice);
  connect(&model_, &CurrentModel::scope_changed, this, &ModelBar::show_scope);
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

// Those that were ticked stay so.
void ModelBar::set_devices(const std::vector<DeviceInfo>& devices) {
  QMenu* const menu = devices_->menu();
  menu->clear();
  for (const DeviceInfo& device : devices) {
    QAction* const action = menu->addAction(QStringLiteral("%1 – %2").arg(text_of(device.id), text_of(device.name)));
    action->setData(text_of(device.id));
    action->setCheckable(true);
    action->setChecked(model_.scope().devices.contains(text_of(device.id)));
    connect(action, &QAction::toggled, this, &ModelBar::choose_scope);
  }
  menu->addSeparator();
  menu->addAction(tr("All devices"), this, [this] {
    for (QAction* action : devices_->menu()->actions()) action->setChecked(false);
  });
}

void ModelBar::set_runs(const std::vector<engine::ListedRun>& runs) {
  const QSignalBlocker quiet(run_);
  run_->clear();
  run_->addItem(tr("All runs"), QString());
  for (const engine::ListedRun& listed : runs) run_->addItem(text_of(listed.called()), text_of(listed.run.id));
  for (int row = 1; row < run_->count(); ++row) run_->setItemData(row, run_->itemText(row), Qt::ToolTipRole);
  run_->view()->setMinimumWidth(std::min(run_->view()->sizeHintForColumn(0) + kScrollBar, kWidestList));
  show_scope();
}

void ModelBar::show_scope() {
  const QString& run = model_.scope().run;
  if (run_->findData(run) < 0) run_->addItem(run, run);  // one of scripted devices, or not read yet
  run_->setCurrentIndex(run_->findData(run));
  run_->setToolTip(run.isEmpty() ? tr("The stored run whose trials and figures the pages show") : run_->currentText());
  back_->setEnabled(model_.can_go_back());
  forward_->setEnabled(model_.can_go_forward());
}

void ModelBar::choose_scope() {
  WorkScope scope;
  for (const QAction* action : devices_->menu()->actions()) {
    if (action->isChecked()) scope.devices << action->data().toString();
  }
  scope.dtype = dtype_->currentData().toString();
  scope.run = run_->currentData().toString();
  const qsizetype count = scope.devices.size();
  devices_->setText(tr("%1 ▾").arg(count == 0   ? tr("All devices")
                                   : count == 1 ? scope.devices.front()
                                                : counted_text(count, tr("device"), tr("devices"))));
  model_.set_scope(scope);
}

void ModelBar::show_check(const QString& reason) {
  if (refused_->refuse(reason)) model_.forget(model_.choice().subject);
}

void ModelBar::show_choice() {
  fill_subjects();
  subject_->setCurrentIndex(-1);
  subject_->setEditText(model_.choice().subject);
  subject_->lineEdit()->setToolTip(model_.choice().subject);
  subject_->lineEdit()->setPlaceholderText(model_.shown_name().isEmpty() ? tr("no model chosen") : model_.shown_name());
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
