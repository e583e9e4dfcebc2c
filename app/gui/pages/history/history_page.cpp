// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/history/history_page.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/gate/history/history_files.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/plots/run_plots.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

const QString kFilesKey = QStringLiteral("history");

// Blocks for as long as judging takes: a series of a thousand runs, some seconds.
Result<GateHistory> read_history(const QStringList& files) {
  std::vector<std::string> names;
  for (const QString& file : files) names.push_back(file.toStdString());
  GateHistory history;
  FL_TRY(history.reports, engine::read_check_files(names));
  FL_TRY(history.series, engine::judged_histories(history.reports, {}));
  put_changed_first(history.series);
  return history;
}

}  // namespace

HistoryPage::HistoryPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kHistory, tr("Many runs of the gate: where the level of a case changed, and between which commits"), bench_in,
           parent),
      model_(new HistoryModel(this)),
      changes_(new ChangeModel(this)) {
  build_header();
  build_body();
  const QStringList files = bench().history_files.isEmpty() ? bench().settings.files(kFilesKey) : bench().history_files;
  if (files.isEmpty()) return;
  connect(&bench().engine, &EngineLink::opened, this, [this, files] { load(files); });
  if (bench().engine.is_open()) load(files);
}

void HistoryPage::build_header() {
  open_ = new QAction(tr("Open runs…"), this);
  open_->setToolTip(tr("Runs of the gate that were kept as lines of JSON, one file or many (Ctrl+O)"));
  connect(open_, &QAction::triggered, this, &HistoryPage::ask_for_files);
  auto* button = new QPushButton(open_->text(), this);
  button->setObjectName(QStringLiteral("history.open"));
  button->setAccessibleName(tr("Open runs of the gate"));
  button->setToolTip(open_->toolTip());
  button->setShortcut(QKeySequence::Open);
  connect(button, &QPushButton::clicked, open_, &QAction::trigger);
  header()->addWidget(button);
  offer(tr("Open runs of the gate…"), QKeySequence::Open, button, [this] { open_->trigger(); });
}

void HistoryPage::build_body() {
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("history.table"));
  table_->setAccessibleName(tr("Cases and what changed of them"));
  table_->setModel(model_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  plot_ = new PlotPanel(QStringLiteral("history.plot"));
  plot_->set_spec(PlotSpec());
  change_table_ = new TableView;
  change_table_->setObjectName(QStringLiteral("history.changes"));
  change_table_->setAccessibleName(tr("Changes of the chosen case"));
  change_table_->setModel(changes_);
  change_table_->setSelectionMode(QAbstractItemView::SingleSelection);
  auto* all = make_splitter(Qt::Vertical, {table_, plot_, change_table_}, {190, 330, 120});
  empty_ = new EmptyState(tr("No runs of the gate opened"),
                          tr("Let CI keep each run of the gate as lines of JSON, and open the files here, in any order."), open_);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("series"));
  remember(change_table_, QStringLiteral("changes"));
  for (QWidget* marks : std::initializer_list<QWidget*>{table_, plot_->canvas(), change_table_})
    hand_over_from(marks, [this] { return chosen_case(); });
  connect(table_, &TableView::row_chosen, this, &HistoryPage::show_series);
}

void HistoryPage::ask_for_files() {
  const QStringList files =
      QFileDialog::getOpenFileNames(this, tr("Open runs of the gate"), {}, tr("Runs of the gate (*.jsonl *.json);;All files (*)"));
  if (!files.isEmpty() && bench().engine.is_open()) load(files);
}

void HistoryPage::load(const QStringList& files) {
  set_subtitle(tr("Reading %1…").arg(files.size() == 1 ? files.front() : tr("%1 files").arg(files.size())));
  bench().engine.query(
      this, [files](engine::Engine& /*session*/) { return read_history(files); },
      [this, files](Result<GateHistory> loaded) { take(files, std::move(loaded)); });
}

void HistoryPage::take(const QStringList& files, Result<GateHistory> loaded) {
  if (!loaded.ok()) {
    // Runs that are shown stay; where there are none, the page itself gives the reason.
    empty_->set_text(tr("The runs cannot be read"), window_words(loaded.error()));
    set_subtitle(window_words(loaded.error()));
    return;
  }
  history_ = std::make_shared<const GateHistory>(std::move(loaded).value());
  files_ = files;
  bench().settings.set_files(kFilesKey, files);
  changes_->show(nullptr, nullptr);
  model_->set_history(history_);
  stack_->setCurrentIndex(1);
  set_subtitle(summary());
  table_->select_row(0);
  show_series(0);
}

QString HistoryPage::summary() const {
  int changed = 0, drifting = 0;
  for (const JudgedHistory& series : history_->series) {
    changed += series.found.changes.empty() ? 0 : 1;
    drifting += series.found.drifts.empty() ? 0 : 1;
  }
  QStringList parts{counted_text(static_cast<std::int64_t>(history_->reports.size()), tr("run"), tr("runs")),
                    counted_text(static_cast<std::int64_t>(history_->series.size()), tr("series"), tr("series")),
                    changed == 0 ? tr("none changed its level") : tr("%1 changed").arg(changed)};
  if (drifting > 0) parts << tr("%1 drift").arg(drifting);
  parts << tr("for trends; only the gate, side by side, decides");
  return parts.join(QStringLiteral(" · "));
}

void HistoryPage::show_series(int row) {
  const JudgedHistory* const series = model_->series(row);
  changes_->show(history_, series);
  plot_->set_spec(series == nullptr ? PlotSpec() : history_plot(*series));
}

Handed HistoryPage::chosen_case() const {
  const JudgedHistory* const series = model_->series(table_->currentIndex().row());
  return series == nullptr ? Handed() : gated_subject(series->history.subject, series->history.device);
}

std::string HistoryPage::own_command() const {
  if (files_.isEmpty()) return {};
  CommandText command(bench().config, "history");
  for (const QString& file : files_) command.word(file.toStdString());
  return command.text();
}

void HistoryPage::go_to(const QString& key) {
  for (int row = 0; const JudgedHistory* series = model_->series(row); ++row) {
    if (text_of(series->history.name) != key) continue;
    table_->select_row(row);
    return;
  }
}

Page* make_history_page(const Workbench& bench) {
  return new HistoryPage(bench);
}

}  // namespace fuselab::gui
