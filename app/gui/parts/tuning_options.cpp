// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/tuning_options.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "app/gui/look/figures.h"
#include "app/gui/parts/arrangement.h"

namespace fuselab::gui {
namespace {

constexpr Named kOptionsNamed{"tuning."};
constexpr int kChooseWidth = 32;  // pixels, of three dots

std::vector<std::string> names_in(const QLineEdit* field) {
  static const QRegularExpression kBetween(QStringLiteral("[,\\s]+"));
  std::vector<std::string> names;
  for (const QString& name : field->text().split(kBetween, Qt::SkipEmptyParts)) names.push_back(name.toStdString());
  return names;
}

QString joined_names(const std::vector<std::string>& names) {
  QStringList all;
  for (const std::string& name : names) all << text_of(name);
  return all.join(QStringLiteral(", "));
}

QComboBox* make_choice(std::initializer_list<const char*> ids, const std::string& first) {
  auto* box = new QComboBox;
  for (const char* id : ids) box->addItem(QLatin1String(id));
  box->setCurrentText(text_of(first));
  return box;
}

}  // namespace

// The underlined letter stands for itself, which undoes the kerning that a label's size hint counts on.
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

TuningOptions::TuningOptions(const engine::JobSpec& first, QWidget* parent) : QWidget(parent), form_(new QFormLayout(this)) {
  form_->setContentsMargins(0, 0, 4, 0);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  build_search(first);
  build_choice(first);
  build_given(first);
  for (QLineEdit* field : findChildren<QLineEdit*>()) connect(field, &QLineEdit::textChanged, this, &TuningOptions::changed);
  for (QComboBox* field : findChildren<QComboBox*>())
    connect(field, &QComboBox::currentIndexChanged, this, &TuningOptions::changed);
  for (QSpinBox* field : findChildren<QSpinBox*>()) connect(field, &QSpinBox::valueChanged, this, &TuningOptions::changed);
  for (QCheckBox* field : findChildren<QCheckBox*>()) connect(field, &QCheckBox::toggled, this, &TuningOptions::changed);
}

void TuningOptions::add_row(const QString& text, QWidget* field) {
  form_->addRow(make_row_label(text, field), field);
}

QCheckBox* TuningOptions::add_box(const char* name, const QString& text, const QString& tip, bool checked) {
  auto* box = kOptionsNamed(new QCheckBox(text), name, text, tip);
  box->setChecked(checked);
  form_->addRow(box);
  return box;
}

void TuningOptions::build_search(const engine::JobSpec& first) {
  strategy_ = kOptionsNamed(make_choice({"coordinate-descent", "evolutionary", "random", "exhaustive"}, first.strategy), "strategy",
                            tr("Search strategy"), tr("How launch configurations are chosen"));
  trials_ = kOptionsNamed(new QSpinBox, "trials", tr("Trials per piece"),
                          tr("Launch configurations tried per piece and device, at most"));
  trials_->setRange(1, 1'000'000);
  trials_->setSingleStep(16);
  trials_->setValue(first.budget_trials);
  seed_ = kOptionsNamed(new QSpinBox, "seed", tr("Seed of the search"), tr("Another seed lets a search try other configurations"));
  seed_->setRange(0, std::numeric_limits<int>::max());
  first_seed_ = first.seed;
  seed_->setValue(static_cast<int>(std::min<std::uint64_t>(first.seed, std::numeric_limits<int>::max())));
  add_row(tr("&Strategy"), strategy_);
  add_row(tr("&Trials"), trials_);
  add_row(tr("S&eed"), seed_);
  add_row(tr("Begin &with"), build_prior());
}

QWidget* TuningOptions::build_prior() {
  prior_ =
      kOptionsNamed(new QLineEdit, "prior", tr("Begin the searches with"),
                    tr("Try what was fast elsewhere first: a cache of Triton's autotuner or a folder of them, a cache of Kernel "
                       "Tuner, or results in T4"));
  prior_->setPlaceholderText(tr("nothing"));
  prior_->setClearButtonEnabled(true);
  auto* choose = kOptionsNamed(new QPushButton(tr("…")), "choose_prior", tr("Choose the file to begin with"),
                               tr("Choose the file to begin with"));
  choose->setMaximumWidth(kChooseWidth);
  connect(choose, &QPushButton::clicked, this, [this] {
    const QString file = QFileDialog::getOpenFileName(this, tr("What was fast elsewhere"), {},
                                                      tr("Results of other tuners (*.json *.json.gz);;All files (*)"));
    if (!file.isEmpty()) prior_->setText(file);
  });
  auto* row = make_row({prior_, choose}, prior_);
  row->setFocusProxy(prior_);
  return row;
}

void TuningOptions::build_choice(const engine::JobSpec& first) {
  level_ = kOptionsNamed(make_choice({"O0", "O1", "O2", "O3"}, first.level), "level", tr("Optimisation level"),
                         tr("O0: no fusion · O1: strict · O2: balanced · O3: aggressive"));
  dtype_ = kOptionsNamed(make_choice({"f32", "f16", "bf16", "f64"}, first.dtype), "dtype", tr("Element type"),
                         tr("Type of every floating-point tensor of a built-in workload"));
  mode_ = kOptionsNamed(
      new QComboBox, "mode", tr("What is timed"),
      tr("Warm caches, caches emptied before each run, buffers in rotation, or the first launch in a process: different "
         "figures, stored apart"));
  for (const CacheMode mode : kCacheModes) mode_->addItem(text_of(name_of(mode)), static_cast<int>(mode));
  mode_->setCurrentIndex(mode_->findData(static_cast<int>(first.protocol.mode)));
  prefer_ =
      kOptionsNamed(new QLineEdit, "prefer", tr("Preferred devices"),
                    tr("Take these devices or backends where several are equal within noise, and list them first; best first"));
  prefer_->setPlaceholderText(tr("cpu, onednn"));
  prefer_->setText(joined_names(first.devices.prefer));
  except_ = kOptionsNamed(new QLineEdit, "except", tr("Devices left out"), tr("Leave these devices or backends out of the job"));
  except_->setPlaceholderText(tr("none"));
  except_->setText(joined_names(first.devices.except));
  add_row(tr("&Level"), level_);
  add_row(tr("T&ype"), dtype_);
  add_row(tr("&Caches"), mode_);
  add_row(tr("&Prefer"), prefer_);
  add_row(tr("Leave &out"), except_);
  for (const DrawbackInfo& info : kDrawbacks) {
    auto* box = add_box((std::string("accept_") + std::string(info.name)).c_str(), tr("Accept: %1").arg(text_of(info.verb)),
                        tr("Choose a kernel, too, that %1").arg(text_of(info.meaning)), first.accepted.has(info.drawback));
    accepted_.emplace_back(info.drawback, box);
  }
}

void TuningOptions::build_given(const engine::JobSpec& first) {
  remeasure_ = add_box("remeasure", tr("Measure again"), tr("Ignore stored results that are still valid"), first.remeasure);
  whole_ = add_box("whole", tr("Slow whole models"),
                   tr("Give stacks that take whole models also those whose float64 reference takes long"), first.slow_whole_models);
  decide_ = add_box("decide", tr("Decide gains"),
                    tr("Spend more fresh processes on gains that are undecided: as many as the gate would"), first.decide);
  keep_ = add_box("keep", tr("Keep all binaries"), tr("Also of losers; source is kept anyway"), first.keep_all_binaries);
  config_ = kOptionsNamed(new QLineEdit, "config", tr("Launch configuration of your own"),
                          tr("With the job Measure once: measure each model as one kernel in this configuration, e.g. "
                             "threads=1,unroll=4; what it leaves out is as in the default"));
  config_->setPlaceholderText(tr("the best known"));
  config_->setText(text_of(first.config.text()));
  target_ = kOptionsNamed(new QLineEdit, "target", tr("Target to generate for"),
                          tr("With the job Measure once: generate for this level of the device: avx512, avx2, baseline"));
  target_->setPlaceholderText(tr("the device's best"));
  target_->setText(text_of(first.target));
  add_row(tr("Co&nfiguration"), config_);
  add_row(tr("&Generate for"), target_);
}

void TuningOptions::set_dtype(const QString& dtype) {
  dtype_->setCurrentText(dtype);
}

void TuningOptions::set_level(const QString& level) {
  level_->setCurrentText(level);
}

QString TuningOptions::prior() const {
  return prior_->text().trimmed();
}

Status TuningOptions::fill(engine::JobSpec& spec) const {
  spec.strategy = strategy_->currentText().toStdString();
  spec.budget_trials = trials_->value();
  // The field holds less than a seed may be; what the command line said stays until it is changed.
  if (static_cast<std::uint64_t>(seed_->value()) != std::min<std::uint64_t>(first_seed_, std::numeric_limits<int>::max()))
    spec.seed = static_cast<std::uint64_t>(seed_->value());
  spec.level = level_->currentText().toStdString();
  spec.dtype = dtype_->currentText().toStdString();
  spec.protocol.mode = static_cast<CacheMode>(mode_->currentData().toInt());
  spec.devices.prefer = names_in(prefer_);
  spec.devices.except = names_in(except_);
  spec.accepted = {};
  for (const auto& [drawback, box] : accepted_) {
    if (box->isChecked()) spec.accepted.add(drawback);
  }
  spec.remeasure = remeasure_->isChecked();
  spec.slow_whole_models = whole_->isChecked();
  spec.decide = decide_->isChecked();
  spec.keep_all_binaries = keep_->isChecked();
  const bool is_once = spec.verb == engine::JobSpec::Verb::kBench;
  spec.target = is_once ? target_->text().trimmed().toStdString() : std::string();
  spec.config = {};
  const QString config = config_->text().trimmed();
  if (!is_once && !(config.isEmpty() && target_->text().trimmed().isEmpty()))
    return invalid_argument("Configuration and Generate for belong to the job Measure once: choose it, or empty them");
  if (config.isEmpty()) return {};
  auto parsed = LaunchConfig::parse(config.toStdString());
  if (!parsed.ok()) return parsed.error().within("Configuration");
  spec.config = std::move(parsed).value();
  return {};
}

bool TuningOptions::is_any_set() const {
  const engine::JobSpec usual;
  engine::JobSpec now = usual;
  now.verb = engine::JobSpec::Verb::kBench;
  if (!fill(now).ok() || !prior().isEmpty()) return true;
  const auto text = [](const engine::JobSpec& spec) {
    return std::tuple(spec.strategy, spec.budget_trials, spec.seed, spec.level, spec.dtype, spec.protocol.mode, spec.devices.prefer,
                      spec.devices.except, spec.accepted == engine::Accepted(), spec.remeasure, spec.slow_whole_models, spec.decide,
                      spec.keep_all_binaries, spec.target, spec.config.text());
  };
  return text(now) != text(usual);
}

}  // namespace fuselab::gui
