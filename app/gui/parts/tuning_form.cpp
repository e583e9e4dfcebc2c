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
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/wheel_guard.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/parts/subject_list.h"
#include "app/gui/parts/tuning_options.h"

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
  every_device_ = make_line(QStringLiteral("tuning.every_device"));
  show_line(every_device_, tr("None ticked: all"), Tone::kMuted);
  seconds_ = kTuningNamed(make_spin(1, kLongest, static_cast<int>(std::clamp(first.budget_seconds, 1.0, 1.0 * kLongest)), 30),
                          "seconds", tr("Budget in seconds"),
                          tr("Time for the whole job: first figures, tuning, confirming the recommended plans, comparing"));
  first_seconds_ = seconds_->value();
  seconds_->setSuffix(tr(" s"));
  cold_ =
      kTuningNamed(new QCheckBox(tr("Also cold")), "cold", tr("Also cold"),
                   tr("Measure the plans that stand at the end with emptied caches, too; that takes its time beside the budget"));
  cold_->setChecked(first.cold);
  options_ = new TuningOptions(first);
  more_ = kTuningNamed(new QToolButton, "more", tr("More options"),
                       tr("How it searches, what it accepts, a configuration of your own"));
  more_->setText(tr("More options"));
  more_->setCheckable(true);
  more_->setAutoRaise(true);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const auto fold = [this](bool open) {
    options_->setVisible(open);
    more_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
  };
  connect(more_, &QToolButton::toggled, this, fold);
  // What the command line said is seen.
  more_->setChecked(options_->is_any_set());
  fold(more_->isChecked());

  auto* form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setRowWrapPolicy(QFormLayout::WrapLongRows);
  const std::pair<QString, QWidget*> rows[] = {{tr("&Job"), verb_},
                                               {tr("&Models"), subjects_},
                                               {tr("S&hape"), bindings_},
                                               {tr("&Devices"), devices_},
                                               {tr("&Budget"), seconds_}};
  for (const auto& [text, field] : rows) form->addRow(make_row_label(text, field), field);
  form->insertRow(form->rowCount() - 1, QString(), every_device_);
  form->addRow(QString(), cold_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(form);
  column->addWidget(more_, 0, Qt::AlignLeft);
  column->addWidget(options_);

  connect(verb_, &QComboBox::currentIndexChanged, this, &TuningForm::changed);
  connect(subjects_, &QLineEdit::textChanged, this, &TuningForm::changed);
  connect(bindings_, &QLineEdit::textChanged, this, &TuningForm::changed);
  connect(devices_, &QListWidget::itemChanged, this, &TuningForm::changed);
  connect(this, &TuningForm::changed, this, [this] { every_device_->setVisible(ticked().empty()); });
  connect(seconds_, &QSpinBox::valueChanged, this, &TuningForm::changed);
  connect(cold_, &QCheckBox::toggled, this, &TuningForm::changed);
  connect(options_, &TuningOptions::changed, this, &TuningForm::changed);
  guard_from_wheel(*this);  // it lies in a scroll area
}

std::vector<std::string> TuningForm::ticked() const {
  std::vector<std::string> names;
  if (devices_->count() == 0) return first_.devices.only;  // before discovery has ended: as asked on the command line
  for (int row = 0; row < devices_->count(); ++row) {
    if (devices_->item(row)->checkState() == Qt::Checked)
      names.push_back(devices_->item(row)->data(Qt::UserRole).toString().toStdString());
  }
  return names;
}

Result<engine::JobSpec> TuningForm::spec() const {
  static const QRegularExpression kSpace(QStringLiteral("\\s+"));
  engine::JobSpec spec = first_;
  spec.verb = static_cast<engine::JobSpec::Verb>(verb_->currentData().toInt());
  spec.command = "fuselab-gui";
  spec.subjects = split_subjects(subjects_->text());
  spec.bindings = split_list(bindings_->text(), kSpace);
  spec.devices.only = ticked();
  // The field holds whole seconds of a week; what the command line said besides stays until somebody changes it.
  if (seconds_->value() != first_seconds_) spec.budget_seconds = seconds_->value();
  spec.cold = cold_->isChecked();
  FL_TRY_VOID(options_->fill(spec));
  return spec;
}

QString TuningForm::prior() const {
  return options_->prior();
}

void TuningForm::add_device(const std::string& id, const QString& words, bool ticked) {
  auto* item = new QListWidgetItem(QStringLiteral("%1 – %2").arg(text_of(id), words), devices_);
  item->setSizeHint(QSize(0, kDeviceRow));
  item->setData(Qt::UserRole, text_of(id));
  item->setToolTip(words);
  item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
}

void TuningForm::set_model(const QString& subject, const QString& binding) {
  subjects_->setText(joined_subjects({subject.toStdString()}));
  bindings_->setText(binding);
}

// Devices that are not in the list come into it, ticked: with none ticked a job would take every device.
void TuningForm::set_scope(const QStringList& devices, const QString& dtype) {
  if (!dtype.isEmpty()) options_->set_dtype(dtype);
  QStringList others = devices;
  for (int row = 0; row < devices_->count(); ++row) {
    const QString id = devices_->item(row)->data(Qt::UserRole).toString();
    devices_->item(row)->setCheckState(devices.contains(id) ? Qt::Checked : Qt::Unchecked);
    others.removeAll(id);
  }
  for (const QString& id : others) add_device(id.toStdString(), tr("not found here so far"), true);
}

void TuningForm::set_level(const QString& level) {
  options_->set_level(level);
}

// Devices that were asked for and are not here stay in the list, ticked: a job must not leave them out silently.
void TuningForm::set_devices(const std::vector<BackendReport>& backends) {
  const std::vector<std::string> chosen = ticked();
  std::set<std::string> found;
  struct Row {
    std::string id;
    QString words;
    bool ticked;
  };
  std::vector<Row> rows;
  for (const BackendReport& backend : backends) {
    if (!backend.availability.usable) continue;
    for (const DeviceInfo& device : backend.devices) {
      bool again = false;
      for (const std::string& name : chosen) {
        if (name != device.id && name != device.backend) continue;
        again = true;
        found.insert(name);
      }
      rows.push_back({device.id, text_of(device.name), again});
    }
  }
  for (const std::string& name : chosen) {
    if (!found.insert(name).second) continue;
    const auto owner = std::find_if(backends.begin(), backends.end(),
                                    [&](const BackendReport& backend) { return backend.id == name.substr(0, name.find(':')); });
    const bool unusable = owner != backends.end() && !owner->availability.usable;
    rows.push_back({name, unusable ? window_words(owner->availability.reason) : tr("there is no such device here"), true});
  }
  // What is ticked is seen without scrolling.
  std::stable_partition(rows.begin(), rows.end(), [](const Row& row) { return row.ticked; });
  const QSignalBlocker quiet(devices_);
  devices_->clear();
  for (const Row& row : rows) add_device(row.id, row.words, row.ticked);
  emit changed();
}

}  // namespace fuselab::gui
