// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/model_run.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>
#include <limits>

#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/arrangement.h"
#include "app/gui/tables/table_view.h"
#include "app/views/execution_words.h"

namespace fuselab::gui {
namespace {

constexpr Named kRunNamed{"models.run."};

}  // namespace

ModelRun::ModelRun(EngineLink& engine, JobBridge& job, Snapshots& views, QWidget* parent)
    : QWidget(parent),
      engine_(engine),
      job_(job),
      views_(views),
      inputs_(new RunInputModel(this)),
      outputs_(new RunOutputModel(this)),
      pieces_(new RunPieceModel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(8);
  column->addWidget(build_controls());
  line_ = make_line(QStringLiteral("models.run.line"));
  column->addWidget(line_);
  column->addWidget(make_splitter(Qt::Horizontal, {build_inputs(), build_results()}, {360, 700}), 1);
  connect(&job_, &JobBridge::started, this, &ModelRun::update_buttons);
  connect(&job_, &JobBridge::ended, this, &ModelRun::update_buttons);
  connect(&views_, &Snapshots::devices_changed, this, &ModelRun::list_devices);
  list_devices();
  update_buttons();
  show_line(line_,
            tr("Runs the model: each piece where it is fastest by what was measured, else in its default "
               "configuration."),
            Tone::kMuted);
}

ModelRun::~ModelRun() {
  stop_.request_stop();
}

QWidget* ModelRun::build_controls() {
  run_button_ = kRunNamed(new QPushButton(tr("Run")), "start", tr("Run the model"), {});
  run_button_->setProperty("primary", true);
  cancel_button_ = kRunNamed(new QPushButton(tr("Cancel")), "cancel", tr("Cancel the run"), tr("Cancel the running measurement"));
  device_ = kRunNamed(new QComboBox, "device", tr("Device"),
                      tr("Where each piece is fastest, and on another device where that fails; or one device alone"));
  device_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  seed_ = kRunNamed(new QSpinBox, "seed", tr("Seed"),
                    tr("Of inputs that are not given and of weights that the model has no numbers for"));
  seed_->setRange(0, std::numeric_limits<int>::max());
  seed_->setValue(1);
  seed_->setPrefix(tr("seed "));
  steady_ = kRunNamed(new QSpinBox, "steady", tr("Further passes"),
                      tr("Launches of all kernels on the same buffers after the run, for their steady times"));
  steady_->setRange(0, 10'000);
  steady_->setValue(5);
  steady_->setPrefix(tr("steady: "));
  steady_->setSuffix(tr(" passes"));
  check_ = kRunNamed(new QCheckBox(tr("Check")), "check", tr("Check against the float64 reference"),
                     tr("Hold the outputs against the float64 reference, which takes long for large models"));
  connect(run_button_, &QPushButton::clicked, this, &ModelRun::run);
  connect(cancel_button_, &QPushButton::clicked, this, &ModelRun::cancel);
  return make_row({run_button_, cancel_button_, device_, seed_, steady_, check_});
}

QWidget* ModelRun::build_inputs() {
  input_table_ = new TableView;
  input_table_->setObjectName(QStringLiteral("models.run.inputs"));
  input_table_->setAccessibleName(tr("Inputs and what each gets"));
  input_table_->setModel(inputs_);
  input_table_->setSelectionMode(QAbstractItemView::SingleSelection);
  data_ = kRunNamed(
      new QLineEdit, "data", tr("Data of the chosen input"),
      tr("For the chosen input: nothing for random numbers, one number for all its elements, or the name of a file of numpy.save"));
  data_->setPlaceholderText(tr("random; or a number, or a .npy, .npz or .pb file"));
  data_->setClearButtonEnabled(true);
  file_ = kRunNamed(new QPushButton(tr("File…")), "file", tr("Choose a file for the chosen input"),
                    tr("A file of numpy.save for the chosen input"));
  connect(input_table_, &TableView::row_chosen, this, &ModelRun::show_input);
  connect(data_, &QLineEdit::textChanged, this,
          [this](const QString& text) { inputs_->give(input_table_->currentIndex().row(), text.trimmed()); });
  connect(file_, &QPushButton::clicked, this, &ModelRun::choose_file);
  return make_column({make_section(tr("Inputs")), input_table_, make_row({data_, file_}, data_)});
}

QWidget* ModelRun::build_results() {
  auto* outputs = new TableView;
  outputs->setObjectName(QStringLiteral("models.run.outputs"));
  outputs->setAccessibleName(tr("Outputs in figures"));
  outputs->setModel(outputs_);
  auto* pieces = new TableView;
  pieces->setObjectName(QStringLiteral("models.run.pieces"));
  pieces->setAccessibleName(tr("Pieces, where they ran and how long"));
  pieces->setModel(pieces_);
  return make_splitter(Qt::Vertical,
                       {make_column({make_section(tr("Outputs")), outputs}), make_column({make_section(tr("Pieces")), pieces})},
                       {170, 300});
}

void ModelRun::set_model(const std::string& subject, const std::string& binding, const std::string& level,
                         std::vector<engine::ModelInput> inputs) {
  const bool same = model_.subject == subject && model_.binding == binding;
  if (same && model_.level == level) return;
  cancel();
  ++asked_;
  running_ = false;
  model_.subject = subject;
  model_.binding = binding;
  model_.level = level;
  if (!same) {
    inputs_->set_inputs(std::move(inputs));
    input_table_->select_row(0);
    show_input(0);
  }
  outputs_->show(nullptr);
  pieces_->show(nullptr);
  update_buttons();
}

void ModelRun::show_input(int row) {
  const bool any = row >= 0 && row < inputs_->rowCount();
  data_->setEnabled(any);
  file_->setEnabled(any);
  const QSignalBlocker quiet(data_);
  data_->setText(any ? inputs_->given(row) : QString());
}

void ModelRun::choose_file() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Numbers of an input"), {}, tr("Tensors (*.npy *.npz *.pb);;All files (*)"));
  if (!file.isEmpty()) data_->setText(file);
}

void ModelRun::list_devices() {
  const QString chosen = device_->currentData().toString();
  device_->clear();
  device_->addItem(tr("where it is fastest"), QString());
  for (const DeviceInfo& device : views_.usable_devices()) {
    if (!device.synthetic) device_->addItem(tr("%1 alone").arg(text_of(device.id)), text_of(device.id));
  }
  device_->setCurrentIndex(std::max(0, device_->findData(chosen)));
}

void ModelRun::update_buttons() {
  const bool measuring = job_.active();
  run_button_->setEnabled(!running_ && !measuring && !model_.subject.empty());
  run_button_->setToolTip(measuring ? tr("A job is measuring, which a run would disturb")
                                    : tr("Run the model on these inputs; nothing is stored"));
  cancel_button_->setEnabled(running_ && !stop_.stop_requested());
}

engine::ExecuteSpec ModelRun::spec() const {
  engine::ExecuteSpec spec = model_;
  spec.given = inputs_->tensors();
  spec.seed = static_cast<std::uint64_t>(seed_->value());
  spec.steady = steady_->value();
  spec.check = check_->isChecked();
  if (const QString device = device_->currentData().toString(); !device.isEmpty()) {
    spec.devices.only = {device.toStdString()};
    spec.fall_back = false;
  }
  return spec;
}

std::string ModelRun::command(const engine::Config& config) const {
  const engine::ExecuteSpec asked = spec(), usual;
  if (asked.subject.empty()) return {};
  CommandText command(config, "exec");
  command.word(asked.subject).option("shape", asked.binding).devices(asked.devices);
  command.option("level", asked.level, usual.level).accepted(asked.accepted);
  const auto quoted = [](const std::string& name) { return name.find('=') == std::string::npos ? name : '"' + name + '"'; };
  for (const auto& [name, files] : asked.given.inputs) {
    for (const std::filesystem::path& file : files) command.option("input", quoted(name) + "=" + file.string());
  }
  for (const auto& [name, value] : asked.given.values)
    command.option("value", quoted(name) + "=" + QString::number(value, 'g', 17).toStdString());
  if (asked.seed != usual.seed) command.option("seed", std::to_string(asked.seed));
  command.number("steady", asked.steady, usual.steady).flag("check", asked.check);
  return command.flag("no-fallback", !asked.fall_back).text();
}

void ModelRun::run() {
  if (running_ || !engine_.is_open() || !run_button_->isEnabled()) return;
  running_ = true;
  stop_ = std::stop_source();
  outputs_->show(nullptr);
  pieces_->show(nullptr);
  show_line(line_, tr("Running…"), Tone::kNeutral);
  update_buttons();
  const int asked = ++asked_;
  engine_.query(
      this, stop_,
      [spec = spec()](engine::Engine& engine, const std::stop_token& stop) { return engine::execute_subject(engine, spec, stop); },
      [this, asked](Result<std::vector<engine::ExecutedSubject>> executed) {
        if (asked == asked_) take(std::move(executed));
      });
}

void ModelRun::cancel() {
  if (!running_) return;
  stop_.request_stop();
  show_line(line_, tr("Cancelling…"), Tone::kMuted);
  update_buttons();
}

void ModelRun::take(Result<std::vector<engine::ExecutedSubject>> executed) {
  running_ = false;
  update_buttons();
  if (!executed.ok()) {
    const bool cancelled = executed.error().code == ErrorCode::kCancelled;
    const QString why = window_words(executed.error());
    show_line(line_, cancelled ? tr("Cancelled") : why, cancelled ? Tone::kMuted : Tone::kBad);
    if (const int row = inputs_->row_named_in(why); row >= 0) input_table_->select_row(row);
    return;
  }
  show_result(std::make_shared<const engine::ExecutedSubject>(std::move(executed.value().front())));
}

void ModelRun::show_result(const ExecutedPtr& executed) {
  outputs_->show(executed);
  pieces_->show(executed);
  double first = 0, steady = 0;
  for (const engine::ExecutedUse& use : executed->runs.back().uses) {
    first += use.execution.count;
    steady += use.steady.count;
  }
  QStringList parts{tr("%1 in all kernels").arg(duration_text(first))};
  if (steady > 0) parts << tr("steady %1").arg(duration_text(steady));
  parts << tr("inputs and weights: %1 given, %2 from the file, %3 from the seed")
               .arg(executed->given)
               .arg(executed->from_file)
               .arg(executed->from_seed);
  parts << text_of(executed->memory);
  QString text = parts.join(QStringLiteral(" · "));
  Tone tone = Tone::kNeutral;
  const std::size_t degraded = executed->runs.back().degradations.size();
  if (degraded > 0) {
    text += u'\n' + tr("%1 ran elsewhere than chosen: point at where they ran")
                        .arg(counted_text(static_cast<std::int64_t>(degraded), tr("piece"), tr("pieces")));
    tone = Tone::kWarning;
  }
  if (executed->verification) {
    text += u'\n' + text_of(engine::numerics_text(*executed->verification));
    if (!executed->verification->passed) tone = Tone::kBad;
  }
  if (executed->file_check) {
    text += u'\n' + text_of(engine::file_check_text(*executed->file_check));
    if (executed->file_check->failed()) tone = Tone::kBad;
  }
  if (!executed->invented.empty()) {
    text += u'\n' + text_of(engine::invented_text(executed->invented));
    if (tone != Tone::kBad) tone = Tone::kWarning;
  }
  show_line(line_, text, tone);
}

}  // namespace fuselab::gui
