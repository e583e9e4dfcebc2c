// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/tuning_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSpinBox>
#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/parts/subject_list.h"

namespace fuselab::gui {
namespace {

constexpr int kDeviceRow = 24;
constexpr int kLongest = 7 * 24 * 3600;  // seconds

constexpr Named kTuningNamed{"tuning."};

std::vector<std::string> split_list(const QString& text, const QRegularExpression& at) {
  std::vector<std::string> parts;
  for (const QString& part : text.split(at, Qt::SkipEmptyParts)) parts.push_back(part.toStdString());
  return parts;
}

QSpinBox* make_spin(int low, int high, int value, int step) {
  auto* spin = new QSpinBox;
  spin->setRange(low, high);
  spin->setSingleStep(step);
  spin->setValue(value);
  return spin;
}

// A label as wide as it is painted: the underlined letter stands for itself, which undoes the kerning that its size hint counts on.
QLabel* make_row_label(const QString& text, QWidget* field) {
  auto* label = new QLabel(text);
  label->setBuddy(field);
  const QString plain = QString(text).remove(QLatin1Char('&'));
  const QFontMetrics metrics = label->fontMetrics();
  int apart = 0;
  for (const QChar letter : plain) apart += metrics.horizontalAdvance(letter);
  label->setMinimumWidth(label->sizeHint().width() + std::max(0, apart - metrics.horizontalAdvance(plain)) + 1);
  return label;
}

}  // namespace

TuningForm::TuningForm(const engine::JobSpec& first, QWidget* parent) : QWidget(parent), first_(first) {
  verb_ = kTuningNamed(new QComboBox, "verb", tr("What to do"), tr("Measure every piece once, tune it, or both"));
  verb_->addItem(tr("Measure, then tune"), static_cast<int>(engine::JobSpec::Verb::kRun));
  verb_->addItem(tr("Tune only"), static_cast<int>(engine::JobSpec::Verb::kTune));
  verb_->addItem(tr("Measure once"), static_cast<int>(engine::JobSpec::Verb::kBench));
  subjects_ =
      kTuningNamed(new QLineEdit, "subjects", tr("Models or workloads"),
                   tr("Models, workloads, ONNX files or graph(…) {…} texts, separated by spaces: resnet50 w3 \"my model.onnx\""));
  subjects_->setPlaceholderText(tr("the built-in models"));
  bindings_ = kTuningNamed(new QLineEdit, "bindings", tr("Shape"), tr("Values of symbolic dimensions: batch=8,seq=128"));
  bindings_->setPlaceholderText(tr("as the model says"));
  verb_->setCurrentIndex(verb_->findData(static_cast<int>(first.verb)));
  subjects_->setText(joined_subjects(first.subjects));
  bindings_->setText(joined_subjects(first.bindings));
  devices_ = kTuningNamed(new QListWidget, "devices", tr("Devices"), tr("None ticked: every usable device"));
  devices_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  devices_->setTextElideMode(Qt::ElideRight);
  devices_->setMaximumHeight(4 * kDeviceRow);
  strategy_ = kTuningNamed(new QComboBox, "strategy", tr("Search strategy"), tr("How launch configurations are chosen"));
  for (const char* id : {"coordinate-descent", "evolutionary", "random", "exhaustive"}) strategy_->addItem(QLatin1String(id));
  strategy_->setCurrentText(text_of(first.strategy));
  seconds_ = kTuningNamed(make_spin(1, kLongest, static_cast<int>(std::clamp(first.budget_seconds, 1.0, 1.0 * kLongest)), 30),
                          "seconds", tr("Budget in seconds"),
                          tr("Time for the whole job: first figures, tuning, confirming the recommended plans, comparing"));
  first_seconds_ = seconds_->value();
  seconds_->setSuffix(tr(" s"));
  trials_ = kTuningNamed(make_spin(1, 1'000'000, first.budget_trials, 16), "trials", tr("Trials per piece"),
                         tr("Launch configurations tried per piece and device, at most"));
  level_ = kTuningNamed(new QComboBox, "level", tr("Optimisation level"),
                        tr("O0: no fusion · O1: strict · O2: balanced · O3: aggressive"));
  for (const char* level : {"O0", "O1", "O2", "O3"}) level_->addItem(QLatin1String(level));
  level_->setCurrentText(text_of(first.level));
  dtype_ = kTuningNamed(new QComboBox, "dtype", tr("Element type"), tr("Type of every floating-point tensor"));
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) dtype_->addItem(QLatin1String(dtype));
  dtype_->setCurrentText(text_of(first.dtype));
  mode_ = kTuningNamed(
      new QComboBox, "mode", tr("What is timed"),
      tr("Warm caches, caches emptied before each run, buffers in rotation, or the first launch in a process: different "
         "figures, stored apart"));
  for (const CacheMode mode : kCacheModes) mode_->addItem(text_of(name_of(mode)), static_cast<int>(mode));
  mode_->setCurrentIndex(mode_->findData(static_cast<int>(first.protocol.mode)));
  cold_ =
      kTuningNamed(new QCheckBox(tr("Also cold")), "cold", tr("Also cold"),
                   tr("Measure the plans that stand at the end with emptied caches, too; that takes its time beside the budget"));
  remeasure_ = kTuningNamed(new QCheckBox(tr("Measure again")), "remeasure", tr("Measure again"),
                            tr("Ignore stored results that are still valid"));
  keep_ = kTuningNamed(new QCheckBox(tr("Keep all binaries")), "keep", tr("Keep all binaries"),
                       tr("Also of losers; source is kept anyway"));

  cold_->setChecked(first.cold);
  remeasure_->setChecked(first.remeasure);
  keep_->setChecked(first.keep_all_binaries);

  auto* form = new QFormLayout(this);
  form->setContentsMargins(0, 0, 0, 0);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  const std::pair<QString, QWidget*> rows[] = {{tr("&Job"), verb_},        {tr("&Models"), subjects_},   {tr("S&hape"), bindings_},
                                               {tr("&Devices"), devices_}, {tr("&Strategy"), strategy_}, {tr("&Budget"), seconds_},
                                               {tr("&Trials"), trials_},   {tr("&Level"), level_},       {tr("T&ype"), dtype_},
                                               {tr("&Caches"), mode_}};
  for (const auto& [text, field] : rows) form->addRow(make_row_label(text, field), field);
  form->addRow(QString(), cold_);
  form->addRow(QString(), remeasure_);
  form->addRow(QString(), keep_);
}

engine::JobSpec TuningForm::spec() const {
  static const QRegularExpression kSpace(QStringLiteral("\\s+"));
  engine::JobSpec spec = first_;
  spec.verb = static_cast<engine::JobSpec::Verb>(verb_->currentData().toInt());
  spec.command = "fuselab-gui";
  spec.subjects = split_subjects(subjects_->text());
  spec.bindings = split_list(bindings_->text(), kSpace);
  if (devices_->count() > 0) spec.devices.only.clear();  // before discovery has ended: as asked on the command line
  for (int row = 0; row < devices_->count(); ++row) {
    if (devices_->item(row)->checkState() == Qt::Checked)
      spec.devices.only.push_back(devices_->item(row)->data(Qt::UserRole).toString().toStdString());
  }
  spec.strategy = strategy_->currentText().toStdString();
  // The field holds whole seconds of a week; what the command line said besides stays until somebody changes it.
  if (seconds_->value() != first_seconds_) spec.budget_seconds = seconds_->value();
  spec.budget_trials = trials_->value();
  spec.level = level_->currentText().toStdString();
  spec.dtype = dtype_->currentText().toStdString();
  spec.protocol.mode = static_cast<CacheMode>(mode_->currentData().toInt());
  spec.cold = cold_->isChecked();
  spec.remeasure = remeasure_->isChecked();
  spec.keep_all_binaries = keep_->isChecked();
  return spec;
}

void TuningForm::add_device(const std::string& id, const QString& words, bool ticked) {
  auto* item = new QListWidgetItem(QStringLiteral("%1 – %2").arg(text_of(id), words), devices_);
  item->setSizeHint(QSize(0, kDeviceRow));
  item->setData(Qt::UserRole, text_of(id));
  item->setToolTip(words);
  item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
}

// Devices that were asked for and are not here stay in the list, ticked: a job must not leave them out silently.
void TuningForm::set_model(const QString& subject, const QString& binding) {
  subjects_->setText(joined_subjects({subject.toStdString()}));
  bindings_->setText(binding);
}

void TuningForm::set_scope(const QStringList& devices, const QString& dtype) {
  if (!dtype.isEmpty()) dtype_->setCurrentText(dtype);
  for (int row = 0; row < devices_->count(); ++row) {
    const bool ticked = devices.contains(devices_->item(row)->data(Qt::UserRole).toString());
    devices_->item(row)->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
  }
}

void TuningForm::set_devices(const std::vector<BackendReport>& backends) {
  const std::vector<std::string> ticked = spec().devices.only;
  std::set<std::string> found;
  devices_->clear();
  for (const BackendReport& backend : backends) {
    if (!backend.availability.usable) continue;
    for (const DeviceInfo& device : backend.devices) {
      bool again = false;
      for (const std::string& name : ticked) {
        if (name != device.id && name != device.backend) continue;
        again = true;
        found.insert(name);
      }
      add_device(device.id, text_of(device.name), again);
    }
  }
  for (const std::string& name : ticked) {
    if (!found.insert(name).second) continue;
    const auto owner = std::find_if(backends.begin(), backends.end(),
                                    [&](const BackendReport& backend) { return backend.id == name.substr(0, name.find(':')); });
    const bool unusable = owner != backends.end() && !owner->availability.usable;
    add_device(name, unusable ? window_words(owner->availability.reason) : tr("there is no such device here"), true);
  }
}

}  // namespace fuselab::gui
