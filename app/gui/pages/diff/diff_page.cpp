// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/diff/diff_page.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/engine/compare/runs/run_choice.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/plots/run_plots.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kSwapWidth = 44;  // pixels

// "8 the very same on cpu:0, warm, at 1.002× the time before ±0.3 %".
QString drift_text(const StratumDrift& drift, bool alone) {
  const QString where = alone ? QString() : DiffPage::tr(" on %1").arg(text_of(drift.stratum));
  const QString count = drift.controls == 0 ? DiffPage::tr("none") : QString::number(drift.controls);
  if (!drift.enough) return DiffPage::tr("%1 the very same%2: too few to tell the drift").arg(count, where);
  return DiffPage::tr("%1 the very same%2, at %3× the time before ±%4 %")
      .arg(count, where)
      .arg(drift.drift, 0, 'f', 3)
      .arg(100 * std::expm1(drift.deviation), 0, 'f', 1);
}

// The results of one look at another file.
struct OtherFile {
  std::shared_ptr<ResultQueries> queries;
  std::vector<engine::ListedRun> runs;
};

Result<OtherFile> open_other(const engine::Config& config, const QString& file) {
  OtherFile other;
  FL_TRY(auto queries, engine::open_other_database(config, file.toStdString()));
  other.queries = std::move(queries);
  FL_TRY(other.runs, engine::list_runs(config, file.toStdString(), /*include_synthetic=*/true));
  if (other.runs.empty()) return Error{ErrorCode::kNotFound, file.toStdString() + " has no run with a trial"};
  return other;
}

}  // namespace

DiffPage::DiffPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kDiff, tr("Two runs beside each other: what became slower, beside what cannot have"), bench_in, parent),
      model_(new DiffModel(this)),
      environment_(new EnvironmentDiffModel(this)),
      proxy_(new QSortFilterProxyModel(this)) {
  proxy_->setSourceModel(model_);
  proxy_->setSortRole(TableModelBase::kSortRole);
  build_header();
  build_body();
  connect(&bench().runs, &RunList::changed, this, &DiffPage::refresh_runs);
  const auto add_given = [this] {
    for (const QString& file : bench().other_databases) add_file(file);
  };
  connect(&bench().engine, &EngineLink::opened, this, add_given);
  if (bench().engine.is_open()) add_given();
  wanted_ = bench().model.scope().run.toStdString();
  refresh_runs();
}

QComboBox* DiffPage::make_choice(const QString& name, const QString& label) {
  auto* box = new QComboBox(this);
  box->setObjectName(QStringLiteral("diff.") + name);
  box->setAccessibleName(label);
  box->setToolTip(label);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(18);
  box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(box, &QComboBox::activated, this, [this] {
    chosen_ = true;
    load();
  });
  offer(tr("Choose the run %1").arg(name), {}, box, [box] { box->setFocus(); });
  return box;
}

void DiffPage::build_header() {
  before_ = make_choice(QStringLiteral("before"), tr("The run before"));
  after_ = make_choice(QStringLiteral("after"), tr("The run after"));
  auto* swap_button = new QPushButton(tr("⇄"), this);
  swap_button->setObjectName(QStringLiteral("diff.swap"));
  swap_button->setAccessibleName(tr("Swap before and after"));
  swap_button->setToolTip(swap_button->accessibleName());
  swap_button->setFixedWidth(kSwapWidth);
  auto* open = new QPushButton(tr("Other file…"), this);
  open->setObjectName(QStringLiteral("diff.open"));
  open->setAccessibleName(tr("Add the runs of another database"));
  open->setToolTip(tr("Add the runs of another database: it is only read, and nothing in it is executed (Ctrl+O)"));
  open->setShortcut(QKeySequence::Open);
  header()->addWidget(open);
  connect(open, &QPushButton::clicked, this, &DiffPage::ask_for_file);
  connect(swap_button, &QPushButton::clicked, this, &DiffPage::swap);
  offer(tr("Add the runs of another database…"), QKeySequence::Open, open, [this] { ask_for_file(); });
  offer(swap_button->accessibleName(), {}, swap_button, [this] { swap(); });
  // A row of their own: what was typed tells runs apart, and it is long.
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(new QLabel(tr("Before"), this));
  row->addWidget(before_, 1);
  row->addWidget(swap_button);
  row->addWidget(new QLabel(tr("After"), this));
  row->addWidget(after_, 1);
  body()->addLayout(row);
}

void DiffPage::build_body() {
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("diff.table"));
  table_->setAccessibleName(tr("Kernels of both runs"));
  table_->setModel(proxy_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->horizontalHeader()->setSortIndicatorClearable(true);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  changes_ = new PlotPanel(QStringLiteral("diff.changes"));
  samples_ = new PlotPanel(QStringLiteral("diff.samples"));
  for (PlotPanel* plot : {changes_, samples_}) plot->set_spec(PlotSpec());
  environment_table_ = new TableView;
  environment_table_->setObjectName(QStringLiteral("diff.environment"));
  environment_table_->setAccessibleName(tr("What differs of the environment"));
  environment_table_->setModel(environment_);
  auto* tabs = new QTabWidget;
  tabs->setObjectName(QStringLiteral("diff.tabs"));
  tabs->setAccessibleName(tr("Plots"));
  tabs->addTab(changes_, tr("Changes"));
  tabs->addTab(samples_, tr("Samples"));
  auto* lower = make_splitter(Qt::Horizontal, {tabs, environment_table_}, {700, 400});
  auto* all = make_splitter(Qt::Vertical, {table_, lower}, {330, 300});
  empty_ = new EmptyState(tr("Two runs are needed"), {}, nullptr);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  remember(lower, QStringLiteral("lower"));
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("kernels"));
  remember(environment_table_, QStringLiteral("facts"));
  hand_over_from(table_, [this] { return chosen_kernel(); });
  for (const PlotPanel* panel : {changes_, samples_}) hand_over_from(panel->canvas(), [this] { return chosen_kernel(); });
  connect(table_, &TableView::row_chosen, this, &DiffPage::show_row);
  connect(changes_->canvas(), &PlotCanvas::point_chosen, this, [this](const QString& key) {
    table_->select_row(proxy_->mapFromSource(model_->index(std::max(0, model_->row_of_key(key)), 0)).row());
  });
}

void DiffPage::ask_for_file() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Add the runs of another database"), {}, tr("Databases (*.db);;All files (*)"));
  if (!file.isEmpty() && bench().engine.is_open()) add_file(file);
}

void DiffPage::add_file(const QString& file) {
  bench().engine.query(
      this, [file](engine::Engine& opened) { return open_other(opened.config(), file); },
      [this, file](Result<OtherFile> opened) {
        refused_file_ = opened.ok() ? QString() : window_words(opened.error());
        if (!opened.ok()) {
          emit bench().views.failed(refused_file_);
          if (diff_ == nullptr) load();
          return;
        }
        std::erase_if(others_, [&file](const Choice& choice) { return choice.file == file; });  // as it is now
        for (engine::ListedRun& run : opened.value().runs) others_.push_back({opened.value().queries, file, std::move(run)});
        chosen_ = false;
        newest_file_ = file;
        fill_choices();
        load();
      });
}

void DiffPage::refresh_runs() {
  if (bench().runs.failure().isEmpty() && bench().views.catalog() == nullptr) return;  // not read yet
  if (!bench().runs.failure().isEmpty()) emit bench().views.failed(bench().runs.failure());
  own_.clear();
  for (const engine::ListedRun& run : bench().runs.runs()) own_.push_back({nullptr, {}, run});
  fill_choices();
  load();
}

// "small_cnn batch=8 · cpu, onednn · 273 trials · 2026-03-01 17:04 (interrupted)".
QString DiffPage::run_text(const Choice& choice) const {
  const RunRecord& run = choice.run();
  QString text = text_of(choice.listed.called());
  if (run.marks.pinned) text.prepend(tr("Baseline: "));
  if (run.state != "finished") text += QStringLiteral(" (%1)").arg(text_of(run.state));
  return choice.file.isEmpty() ? text : QStringLiteral("%1: %2").arg(QFileInfo(choice.file).fileName(), text);
}

// Somebody who names a file wants to see it beside the newest run of this database.
std::pair<int, int> DiffPage::usual_choice() const {
  std::vector<engine::ListedRun> runs;
  for (const Choice& choice : choices_) runs.push_back(choice.listed);
  for (std::size_t place = 1; !newest_file_.isEmpty() && place < choices_.size(); ++place) {
    if (choices_[place].file == newest_file_) return {static_cast<int>(place), 0};
  }
  const auto wanted = engine::find_run(runs, wanted_);
  const std::size_t after = wanted.ok() ? wanted.value() : engine::usual_after(runs);
  const std::size_t before = engine::usual_before(runs, after).value_or(std::min(after + 1, runs.size() - 1));
  return {static_cast<int>(before), static_cast<int>(after)};
}

void DiffPage::fill_choices() {
  choices_ = own_;
  choices_.insert(choices_.end(), others_.begin(), others_.end());
  const QString earlier = before_->currentData().toString(), later = after_->currentData().toString();
  for (QComboBox* box : {before_, after_}) {
    const QSignalBlocker quiet(box);
    box->clear();
    for (const Choice& choice : choices_) {
      const QString text = run_text(choice);
      box->addItem(text, choice.file + QLatin1Char('\n') + text_of(choice.run().id));
      const QString whole = text + QLatin1Char('\n') + text_of(choice.run().command);
      box->setItemData(box->count() - 1, choice.file.isEmpty() ? whole : choice.file + QLatin1Char('\n') + whole, Qt::ToolTipRole);
    }
    box->setEnabled(choices_.size() > 1);
  }
  if (choices_.size() < 2) before_->setCurrentIndex(-1);  // one run is not compared with itself
  if (choices_.size() < 2) return;
  const int same_after = after_->findData(later), same_before = before_->findData(earlier);
  const bool kept = chosen_ && same_after >= 0 && same_before >= 0;
  const auto [usual_before, usual_after] = usual_choice();
  after_->setCurrentIndex(kept ? same_after : usual_after);
  before_->setCurrentIndex(kept ? same_before : usual_before);
}

void DiffPage::go_to(const QString& key) {
  wanted_ = key.toStdString();
  chosen_ = false;
  newest_file_.clear();
  fill_choices();
  load();
}

// The run of the window is the later one.
void DiffPage::take_scope(const WorkScope& scope) {
  if (const QString before = std::exchange(scope_run_, scope.run); before != scope.run) go_to(scope.run);
}

const DiffPage::Choice* DiffPage::shown(const QComboBox* box) const {
  const int at = box->currentIndex();
  return at < 0 || at >= static_cast<int>(choices_.size()) ? nullptr : &choices_[static_cast<std::size_t>(at)];
}

std::string DiffPage::own_command() const {
  const Choice *const before = shown(before_), *const after = shown(after_);
  if (before == nullptr || after == nullptr || before == after || before->other != nullptr || after->other != nullptr) return {};
  return CommandText(bench().config, "diff").word(before->run().id).word(after->run().id).text();
}

void DiffPage::swap() {
  chosen_ = true;
  const int earlier = before_->currentIndex();
  before_->setCurrentIndex(after_->currentIndex());
  after_->setCurrentIndex(earlier);
  load();
}

void DiffPage::show_problem(const QString& title, const QString& text) {
  empty_->set_text(title, text);
  stack_->setCurrentIndex(0);
}

void DiffPage::load() {
  if (!bench().engine.is_open()) return;
  const int question = ++asked_;
  if (choices_.size() < 2) {
    const QString what =
        tr("Measure once more, with “Measure again” ticked if nothing changed, or open another database: “Other file…” adds its "
           "runs. It "
           "is only read.");
    if (!refused_file_.isEmpty()) return show_problem(tr("The other file cannot be opened"), refused_file_);
    if (choices_.empty()) return show_problem(tr("Two runs are needed"), what);
    return show_problem(tr("There is one run, and nothing to compare it with"),
                        QStringLiteral("%1\n%2").arg(run_text(choices_.front()), what));
  }
  if (before_->currentIndex() == after_->currentIndex())
    return show_problem(tr("This is one run"), tr("Choose another one above: a run differs in nothing from itself."));
  const Choice earlier = choices_[static_cast<std::size_t>(before_->currentIndex())];
  const Choice later = choices_[static_cast<std::size_t>(after_->currentIndex())];
  const bool scripted = bench().views.compares_scripted() || bench().views.scripted_wanted();
  bench().engine.query(
      this,
      [earlier, later, scripted](engine::Engine& opened) {
        const auto stored = [&opened](const Choice& choice) {
          return engine::StoredRun{choice.other == nullptr ? &opened.queries() : choice.other.get(), choice.run().id};
        };
        return engine::diff_runs(stored(earlier), stored(later), scripted);
      },
      [this, question](Result<engine::RunDiff> found) {
        if (question != asked_) return;  // others were chosen meanwhile
        if (!found.ok()) return show_problem(tr("The runs cannot be compared"), window_words(found.error()));
        show_diff(std::make_shared<const engine::RunDiff>(std::move(found).value()));
      });
}

void DiffPage::show_diff(RunDiffPtr diff) {
  diff_ = std::move(diff);
  model_->set_diff(diff_);
  environment_->set_diff(diff_);
  changes_->set_spec(diff_plot(*diff_));
  samples_->set_spec(diff_samples_plot(engine::DiffRow()));
  set_subtitle(summary());
  if (diff_->rows.empty()) {
    show_problem(tr("No kernel was timed in both runs"),
                 tr("%1 only before, %2 only after. A run that reused what was stored has timed nothing of its own: "
                    "“Measure again” on the Tuning page times it again.")
                     .arg(counted_text(diff_->only_before, tr("kernel"), tr("kernels")),
                          counted_text(diff_->only_after, tr("kernel"), tr("kernels"))));
    return;
  }
  stack_->setCurrentIndex(1);
  show_row(0);
}

void DiffPage::show_row(int row) {
  const engine::DiffRow* const found = model_->row(proxy_->mapToSource(proxy_->index(row, 0)).row());
  if (found == nullptr) return;
  samples_->set_spec(diff_samples_plot(*found));
  changes_->canvas()->select(table_->selected_rows().empty() ? QString() : key_of(*found));
}

// A trial of another file is not in this database.
Handed DiffPage::chosen_kernel() const {
  const engine::DiffRow* const row = model_->row(proxy_->mapToSource(table_->currentIndex()).row());
  if (row == nullptr) return {};
  Handed handed = stored_piece(bench().views, bench().model, row->piece_key);
  handed.piece = text_of(row->name);
  handed.graph = text_of(row->graph);
  handed.device = text_of(row->device_id);
  const auto is_here = [this](const QComboBox* box) {
    const Choice* const choice = shown(box);
    return choice != nullptr && choice->other == nullptr;
  };
  handed.trial = is_here(after_) ? text_of(row->after.trial_id) : is_here(before_) ? text_of(row->before.trial_id) : QString();
  return handed;
}

QString DiffPage::summary() const {
  const engine::DiffCounts counts = engine::count_verdicts(*diff_);
  QStringList verdicts{tr("%1 regressed").arg(counts.regressed), tr("%1 improved").arg(counts.improved)};
  if (counts.equivalent > 0) verdicts << tr("%1 equivalent").arg(counts.equivalent);
  if (counts.inconclusive > 0) verdicts << tr("%1 inconclusive").arg(counts.inconclusive);
  if (counts.unfinished > 0) verdicts << tr("%1 not measured to the end").arg(counts.unfinished);
  QStringList parts{tr("%1 in both").arg(counted_text(static_cast<std::int64_t>(diff_->rows.size()), tr("kernel"), tr("kernels"))),
                    verdicts.join(QStringLiteral(", "))};
  const std::vector<StratumDrift>& strata = diff_->apart.strata;
  for (const StratumDrift& drift : strata) parts << drift_text(drift, strata.size() == 1);
  if (diff_->only_before + diff_->only_after > 0)
    parts << tr("%1 only before, %2 only after").arg(diff_->only_before).arg(diff_->only_after);
  parts << tr("measured at different times: only Gate runs both side by side");
  return parts.join(QStringLiteral(" · "));
}

Page* make_diff_page(const Workbench& bench) {
  return new DiffPage(bench);
}

}  // namespace fuselab::gui
