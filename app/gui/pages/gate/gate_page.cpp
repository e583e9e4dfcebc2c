// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/gate/gate_page.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/gate/baseline/baseline_making.h"
#include "app/gate/check/check.h"
#include "app/gate/check/check_record.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/tables/table_view.h"
#include "core/base/shell_word.h"

namespace fuselab::gui {
namespace {

const QString kFileKey = QStringLiteral("gate");

// Returns the baseline's file as `fuselab check` finds it.
std::filesystem::path baseline_of(const engine::CheckConfig& config) {
  return config.baseline.empty() ? (config.folder / "fuselab.baseline").lexically_normal() : config.baseline;
}

Result<FailOn> fail_on_of(const engine::CheckConfig& config) {
  return config.fail_on.empty() ? Result<FailOn>(usual_fail_on()) : parse_fail_on(config.fail_on);
}

Result<CheckReport> checked(const engine::Config& config, const std::filesystem::path& file,
                            const std::function<void(const CaseOutcome&, std::size_t)>& on_case, std::stop_token stop) {
  engine::CheckSpec spec;
  FL_TRY(spec.config, engine::read_check_config(file));
  FL_TRY(FailOn fail_on, fail_on_of(spec.config));
  spec.baseline = baseline_of(spec.config);
  spec.baseline_mode = spec.config.baseline_mode.value_or(engine::BaselineMode::kPaired);
  spec.selftest = spec.config.selftest;
  const std::string command =
      "fuselab check --config " + shell_word(file.string()) + " --db " + shell_word(config.database.string());
  spec.reproduce = [command](const std::string& name) { return name.empty() ? command : command + " --case " + shell_word(name); };
  FL_TRY(engine::CheckRun run, engine::run_check(config, spec, on_case, std::move(stop)));
  run.fail_on = std::move(fail_on);
  return engine::report_of(std::move(run));
}

Result<CheckReport> saved(const engine::Config& config, const std::filesystem::path& file, std::stop_token stop) {
  engine::BaselineSpec spec;
  FL_TRY(spec.config, engine::read_check_config(file));
  FL_TRY(const engine::MadeBaseline made, engine::save_baseline(config, spec, baseline_of(spec.config), {}, std::move(stop)));
  CheckReport report;  // of the kernels that were kept: each is the same as itself
  report.started_at = made.baseline.saved_at;
  report.commit = made.baseline.commit;
  for (const engine::BaselineKernel& each : made.baseline.kernels) {
    CaseOutcome& outcome = report.cases.emplace_back();
    outcome.name = each.piece.empty() ? each.case_name : each.piece;
    outcome.subject = each.subject;
    outcome.device = each.device_id;
    outcome.configuration = each.config_from + ": " + each.kernel.config.text();
    outcome.state = CaseState::kSame;
    outcome.reason = "kept in " + made.baseline.file;
  }
  for (const engine::NotSaved& each : made.left_out) {
    CaseOutcome& outcome = report.cases.emplace_back();
    outcome.name = each.name;
    outcome.device = each.device;
    outcome.where = each.where;
    outcome.state = CaseState::kNoBaseline;
    outcome.reason = "left out: " + each.reason;
  }
  return report;
}

}  // namespace

GatePage::GatePage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kGate, tr("One run of the performance gate: which cases became slower, and how sure that is"), bench_in, parent),
      model_(new GateModel(this)) {
  build_header();
  build_body();
  set_busy(false, {});
  const QStringList files = bench().history_files.isEmpty() ? bench().settings.files(kFileKey) : bench().history_files;
  if (files.isEmpty()) return;
  connect(&bench().engine, &EngineLink::opened, this, [this, files] { open_record(files.back()); });
  if (bench().engine.is_open()) open_record(files.back());
}

QPushButton* GatePage::add_button(const QString& name, const QString& text, const QString& tip, void (GatePage::*act)()) {
  auto* button = new QPushButton(text, this);
  button->setObjectName(QStringLiteral("gate.") + name);
  button->setAccessibleName(text);
  button->setToolTip(tip);
  connect(button, &QPushButton::clicked, this, act);
  header()->addWidget(button);
  offer(text, {}, button, [button] { button->click(); });
  return button;
}

void GatePage::build_header() {
  open_ = add_button(QStringLiteral("open"), tr("Open run…"),
                     tr("A run of the gate that was kept as lines of JSON or as a record, as CI does"), &GatePage::ask_for_record);
  check_ = add_button(QStringLiteral("check"), tr("Check…"),
                      tr("Run the gate of a fuselab.toml here. Its commands run with your rights"), &GatePage::ask_for_check);
  run_by(check_);
  save_ = add_button(QStringLiteral("save"), tr("Save baseline…"),
                     tr("Keep today's kernels of a fuselab.toml in its baseline file"), &GatePage::ask_for_baseline);
  cancel_ = add_button(QStringLiteral("cancel"), tr("Cancel"), tr("Stop; what was not compared by then is inconclusive"),
                       &GatePage::cancel);
}

void GatePage::build_body() {
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("gate.table"));
  table_->setAccessibleName(tr("Cases and their verdicts"));
  table_->setModel(model_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  plot_ = new PlotPanel(QStringLiteral("gate.plot"));
  plot_->set_spec(PlotSpec());
  facts_ = new QPlainTextEdit;
  facts_->setObjectName(QStringLiteral("gate.facts"));
  facts_->setAccessibleName(tr("The chosen case, and the command that repeats it"));
  facts_->setReadOnly(true);
  facts_->setTabChangesFocus(true);
  auto* all = make_splitter(Qt::Vertical, {table_, plot_, facts_}, {190, 300, 130});
  auto* open = new QAction(open_->text(), this);
  connect(open, &QAction::triggered, this, &GatePage::ask_for_record);
  empty_ = new EmptyState(tr("No run of the gate opened"),
                          tr("Open what CI kept of a run of the gate, or run the gate of a fuselab.toml here with Check…"), open);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("cases"));
  for (QWidget* marks : std::initializer_list<QWidget*>{table_, plot_->canvas()})
    hand_over_from(marks, [this] { return chosen_case(); });
  connect(table_, &TableView::row_chosen, this, &GatePage::show_case);
}

void GatePage::set_busy(bool busy, const QString& what) {
  for (QPushButton* button : {open_, check_, save_}) button->setEnabled(!busy);
  cancel_->setEnabled(busy);
  if (!what.isEmpty()) set_subtitle(what);
}

void GatePage::ask_for_record() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open a run of the gate"), {}, tr("Runs of the gate (*.jsonl *.json);;All files (*)"));
  if (!file.isEmpty() && bench().engine.is_open()) open_record(file);
}

QString GatePage::ask_for_config(const QString& title) {
  const QString file = QFileDialog::getOpenFileName(this, title, {}, tr("Cases of the gate (*.toml);;All files (*)"));
  return bench().engine.is_open() ? file : QString();
}

void GatePage::ask_for_check() {
  const QString file = ask_for_config(tr("Run the gate of"));
  if (!file.isEmpty()) run_check(file);
}

void GatePage::ask_for_baseline() {
  const QString file = ask_for_config(tr("Save the baseline of"));
  if (!file.isEmpty()) save_baseline(file);
}

void GatePage::open_record(const QString& file) {
  set_busy(true, tr("Reading %1…").arg(file));
  bench().engine.query(
      this, [file](engine::Engine& /*session*/) { return engine::read_check_report(file.toStdString()); },
      [this, file](Result<CheckReport> loaded) {
        if (loaded.ok()) bench().settings.set_files(kFileKey, {file});
        take(file, std::move(loaded));
      });
}

void GatePage::run_check(const QString& config) {
  stop_ = std::stop_source();
  set_busy(true, tr("Checking %1…").arg(config));
  const auto on_case = [page = QPointer<GatePage>(this)](const CaseOutcome& outcome, std::size_t done) {
    const QString text = tr("%1 compared: %2 %3").arg(done).arg(text_of(outcome.name), text_of(outcome.device));
    QMetaObject::invokeMethod(qApp, [page, text] {
      if (page) page->set_subtitle(text);
    });
  };
  bench().engine.query(
      this, stop_,
      [config, on_case](engine::Engine& session, std::stop_token stop) {
        return checked(session.config(), config.toStdString(), on_case, std::move(stop));
      },
      [this, config](Result<CheckReport> done) { take(config, std::move(done)); });
}

void GatePage::save_baseline(const QString& config) {
  stop_ = std::stop_source();
  set_busy(true, tr("Saving the baseline of %1…").arg(config));
  bench().engine.query(
      this, stop_,
      [config](engine::Engine& session, std::stop_token stop) {
        return saved(session.config(), config.toStdString(), std::move(stop));
      },
      [this, config](Result<CheckReport> done) { take(config, std::move(done)); });
}

void GatePage::cancel() {
  stop_.request_stop();
  set_subtitle(tr("Stopping…"));
}

void GatePage::take(const QString& name, Result<CheckReport> loaded) {
  set_busy(false, {});
  if (!loaded.ok()) {
    // A run that is shown stays; where there is none, the page itself gives the reason.
    empty_->set_text(tr("The run cannot be shown"), window_words(loaded.error()));
    set_subtitle(window_words(loaded.error()));
    return;
  }
  model_->set_report(std::make_shared<const CheckReport>(std::move(loaded).value()));
  stack_->setCurrentIndex(1);
  set_subtitle(gate_summary(*model_->report()) + QStringLiteral(" · ") + name);
  table_->select_row(0);
  show_case(0);
}

void GatePage::show_case(int row) {
  const CaseOutcome* const outcome = model_->outcome(row);
  plot_->set_spec(outcome == nullptr ? PlotSpec() : gate_plot(*outcome));
  facts_->setPlainText(outcome == nullptr ? QString() : gate_facts(*outcome));
}

Handed GatePage::chosen_case() const {
  const CaseOutcome* const outcome = model_->outcome(table_->currentIndex().row());
  // A program of the user's own is no model.
  if (outcome == nullptr || outcome->backend == kCommandBackend) return {};
  return gated_subject(outcome->subject, outcome->device);
}

// A record says itself how the case was measured.
std::string GatePage::own_command() const {
  const CaseOutcome* const outcome = model_->outcome(table_->currentIndex().row());
  if (outcome != nullptr && !outcome->reproduce.empty()) return outcome->reproduce;
  return model_->report() == nullptr ? std::string() : model_->report()->reproduce;
}

void GatePage::go_to(const QString& key) {
  for (int row = 0; const CaseOutcome* outcome = model_->outcome(row); ++row) {
    if (text_of(outcome->name) != key) continue;
    table_->select_row(row);
    return;
  }
}

Page* make_gate_page(const Workbench& bench) {
  return new GatePage(bench);
}

}  // namespace fuselab::gui
