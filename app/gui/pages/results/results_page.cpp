// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/results/results_page.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/pages/results/engine_pages.h"
#include "app/gui/pages/results/result_model.h"
#include "app/gui/pages/results/trial_detail.h"
#include "app/gui/tables/column_menu.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kNewsMilliseconds = 1000;
constexpr const char* kColumnsKey = "results.columns";

void refill(QComboBox* box, const std::vector<std::pair<QString, QString>>& entries) {
  const QSignalBlocker quiet(box);
  const QVariant chosen = box->currentData();
  while (box->count() > 1) box->removeItem(1);
  for (const auto& [text, value] : entries) {
    box->addItem(text, value);
    box->setItemData(box->count() - 1, text, Qt::ToolTipRole);
  }
  box->setCurrentIndex(std::max(0, box->findData(chosen)));
  constexpr int kRoom = 28, kWidest = 560;  // scroll bar and margins
  box->view()->setMinimumWidth(std::min(box->view()->sizeHintForColumn(0) + kRoom, kWidest));
}

}  // namespace

ResultsPage::ResultsPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kResults, tr("Every stored trial, losers included"), bench_in, parent),
      model_(new ResultModel(std::make_unique<EnginePages>(bench_in.engine), this)) {
  build_filters();
  build_body();
  fill_filters();
  news_timer_.setSingleShot(true);
  news_timer_.setInterval(kNewsMilliseconds);
  connect(&news_timer_, &QTimer::timeout, this, &ResultsPage::news_arrived);
  connect(&bench().views, &Snapshots::catalog_changed, this, &ResultsPage::fill_filters);
  connect(&bench().runs, &RunList::changed, this, &ResultsPage::fill_filters);
  connect(&bench().views, &Snapshots::scripted_wanted_changed, this, [this] { synthetic_->setChecked(true); });
  connect(&bench().views, &Snapshots::trials_changed, this, [this] {
    explain_emptiness();
    if (!news_timer_.isActive()) news_timer_.start();
  });
  connect(&bench().engine, &EngineLink::opened, this, &ResultsPage::run_query);
  connect(model_, &ResultModel::counted, this, &ResultsPage::counted);
  connect(model_, &ResultModel::failed, &bench().views, &Snapshots::failed);
  connect(table_, &TableView::row_chosen, this, [this](int row) {
    const TrialRow* trial = model_->row(row);
    detail_->show();
    detail_->show_trial(trial == nullptr ? QString() : text_of(trial->id));
  });
  connect(detail_, &TrialDetail::trusted, &bench().views, &Snapshots::reload_stored);
  connect(detail_, &TrialDetail::profile_wanted, this,
          [this](const QString& trial) { emit navigate(PageId::kProfile, QStringLiteral("trial:") + trial); });
  if (bench().engine.is_open()) run_query();
}

QComboBox* ResultsPage::make_filter(const QString& name, const QString& label, const QString& all) {
  auto* box = new QComboBox(this);
  box->setObjectName(QStringLiteral("results.") + name);
  box->setAccessibleName(label);
  box->setToolTip(label);
  box->addItem(all, QString());
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(7);
  box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // they share the width there is
  constexpr int kArrow = 34;
  box->setMinimumWidth(box->fontMetrics().horizontalAdvance(all) + kArrow);
  connect(box, &QComboBox::currentIndexChanged, this, &ResultsPage::run_query);
  return box;
}

void ResultsPage::build_filters() {
  piece_ = make_filter(QStringLiteral("piece"), tr("Filter by piece"), tr("All pieces"));
  model_box_ = make_filter(QStringLiteral("model"), tr("Filter by model"), tr("All models"));
  mode_ = make_filter(QStringLiteral("mode"), tr("Filter by what was timed"), tr("All modes"));
  device_ = make_filter(QStringLiteral("device"), tr("Filter by device"), tr("All devices"));
  backend_ = make_filter(QStringLiteral("backend"), tr("Filter by backend"), tr("All backends"));
  kind_ = make_filter(QStringLiteral("kind"), tr("Filter by kind of plan"), tr("All plans"));
  outcome_ = make_filter(QStringLiteral("outcome"), tr("Filter by outcome"), tr("All outcomes"));
  run_ = make_filter(QStringLiteral("run"), tr("Filter by run"), tr("All runs"));
  connect(run_, &QComboBox::activated, this, [this] { bench().model.choose_run(run_->currentData().toString()); });
  order_ = make_filter(QStringLiteral("order"), tr("Order"), tr("Newest first"));
  {
    const QSignalBlocker quiet(kind_);
    for (PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) kind_->addItem(kind_text(kind), static_cast<int>(kind));
  }
  build_orders();
  synthetic_ = new QCheckBox(tr("Synthetic"), this);
  synthetic_->setObjectName(QStringLiteral("results.synthetic"));
  synthetic_->setAccessibleName(tr("Include synthetic devices"));
  synthetic_->setToolTip(tr("Also show trials of devices whose latencies are scripted"));
  synthetic_->setChecked(bench().views.scripted_wanted());
  connect(synthetic_, &QCheckBox::toggled, this, &ResultsPage::run_query);
  fresh_ = new QPushButton(tr("Show new trials"), this);
  fresh_->setObjectName(QStringLiteral("results.fresh"));
  fresh_->setAccessibleName(tr("Show new trials"));
  fresh_->setToolTip(tr("Trials were stored since this table was filled"));
  fresh_->hide();
  connect(fresh_, &QPushButton::clicked, this, &ResultsPage::run_query);
  connect(model_box_, &QComboBox::currentIndexChanged, this, &ResultsPage::fill_pieces);
  auto* bar = new QVBoxLayout;
  bar->setSpacing(6);
  for (const auto& boxes : {std::vector<QComboBox*>{model_box_, piece_, run_}, {mode_, kind_, device_, backend_, outcome_}}) {
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    for (QComboBox* box : boxes) row->addWidget(box, 1);
    bar->addLayout(row);
  }
  clear_ = new QPushButton(tr("Clear filters"), this);
  clear_->setObjectName(QStringLiteral("results.clear"));
  clear_->setAccessibleName(clear_->text());
  clear_->setToolTip(tr("Show every stored trial again"));
  connect(clear_, &QPushButton::clicked, this, &ResultsPage::clear_filters);
  offer(clear_->text(), {}, clear_, [this] { clear_filters(); });
  header()->addWidget(fresh_);
  header()->addWidget(clear_);
  columns_ = new QPushButton(tr("Columns"), this);
  columns_->setObjectName(QStringLiteral("results.columns"));
  columns_->setAccessibleName(columns_->text());
  columns_->setToolTip(tr("Choose the columns of the table, launch parameters among them"));
  header()->addWidget(synthetic_);
  header()->addWidget(columns_);
  order_->setMinimumContentsLength(13);
  order_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  header()->addWidget(order_);
  body()->addLayout(bar);
}

// Beside the table's headers, which take no keys.
void ResultsPage::build_orders() {
  const QSignalBlocker quiet(order_);
  order_->clear();
  const auto add = [this](const QString& text, TrialOrder order) { order_->addItem(text, static_cast<int>(order)); };
  add(tr("Newest first"), TrialOrder::kNewestFirst);
  add(tr("Oldest first"), TrialOrder::kOldestFirst);
  add(tr("Fastest first"), TrialOrder::kFastestFirst);
  add(tr("Slowest first"), TrialOrder::kSlowestFirst);
  for (const int column : {ResultModel::kPiece, ResultModel::kDevice, ResultModel::kOutcome, ResultModel::kKind, ResultModel::kMode,
                           ResultModel::kPattern}) {
    const QString title = model_->columns()[static_cast<std::size_t>(column)].title;
    add(tr("By %1").arg(title.toLower()), *ResultModel::order_by(column, false));
    add(tr("By %1, backwards").arg(title.toLower()), *ResultModel::order_by(column, true));
  }
}

TrialOrder ResultsPage::order() const {
  return static_cast<TrialOrder>(order_->currentData().toInt());
}

void ResultsPage::build_columns() {
  turned_columns_ = QString::fromUtf8(bench().settings.layout(QLatin1String(kColumnsKey))).split(u'\n', Qt::SkipEmptyParts);
  auto* const menu = new ColumnMenu(table_, this);
  columns_->setMenu(menu);
  connect(menu, &ColumnMenu::chosen, this, &ResultsPage::columns_chosen);
  connect(model_, &QAbstractItemModel::columnsInserted, this, &ResultsPage::show_columns);
  show_columns();
}

// Launch parameters are shown where the user wants them, all other columns unless.
void ResultsPage::show_columns() {
  for (int column = 0; column < model_->columnCount(); ++column) {
    const bool turned = turned_columns_.contains(model_->columns()[static_cast<std::size_t>(column)].title);
    table_->setColumnHidden(column, column < ResultModel::kFirstParameter ? turned : !turned);
  }
  if (!table_->has_own_widths()) table_->apply_widths();
  show_order();
}

void ResultsPage::columns_chosen() {
  for (int column = 0; column < model_->columnCount(); ++column) {
    const QString title = model_->columns()[static_cast<std::size_t>(column)].title;
    turned_columns_.removeAll(title);
    if (table_->isColumnHidden(column) == (column < ResultModel::kFirstParameter)) turned_columns_ << title;
  }
  bench().settings.set_layout(QLatin1String(kColumnsKey), turned_columns_.join(u'\n').toUtf8());
  if (!table_->has_own_widths()) table_->apply_widths();
}

void ResultsPage::build_body() {
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("results.table"));
  table_->setAccessibleName(tr("Stored trials"));
  table_->setModel(model_);
  table_->setSelectionMode(QAbstractItemView::ContiguousSelection);
  table_->horizontalHeader()->setSectionsClickable(true);
  table_->horizontalHeader()->setSortIndicatorShown(true);
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, this, &ResultsPage::sort_by);
  detail_ = new TrialDetail(bench().engine);
  auto* all = make_splitter(Qt::Horizontal, {table_, detail_}, {740, 340});
  empty_ = new EmptyState(tr("Nothing measured yet"), tr("Every trial, the failed ones too, will be listed here."),
                          bench().control.measure_action());
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("table"), /*grows=*/true);
  build_columns();
  hand_over_from(table_, [this] { return chosen_trial(); });
}

Handed ResultsPage::chosen_trial() const {
  const TrialRow* const row = model_->row(table_->currentIndex().row());
  if (row == nullptr) return {};
  Handed handed = stored_piece(bench().views, bench().model, row->piece_key);
  handed.piece = text_of(row->piece_name);
  handed.device = text_of(row->device_id);
  handed.trial = text_of(row->id);
  return handed;
}

void ResultsPage::fill_filters() {
  const auto& catalog = bench().views.catalog();
  const WordsPtr& words = bench().views.words();
  if (catalog == nullptr) return;
  model_->set_words(words);
  detail_->set_words(words);
  std::vector<std::pair<QString, QString>> models, modes, devices, backends, runs;
  for (const CatalogWords::Model& model : words->models()) models.emplace_back(model.name, model.name);
  for (const auto& [name, key] : words->metrics()) modes.emplace_back(name, text_of(key));
  std::set<std::string> seen;
  for (const DeviceInfo& device : catalog->devices) {
    devices.emplace_back(text_of(device.id), text_of(device.id));
    if (seen.insert(device.backend).second) backends.emplace_back(text_of(device.backend), text_of(device.backend));
  }
  for (const engine::ListedRun& listed : bench().runs.runs()) runs.emplace_back(text_of(listed.called()), text_of(listed.run.id));
  refill(model_box_, models);
  refill(mode_, modes);
  refill(device_, devices);
  refill(backend_, backends);
  refill(run_, runs);
  take_scope(bench().model.scope());
  fill_pieces();
}

const CatalogWords::Model* ResultsPage::chosen_model() const {
  const WordsPtr& words = bench().views.words();
  if (words == nullptr || model_box_->currentIndex() <= 0) return nullptr;
  const auto& models = words->models();
  const auto found = std::find_if(models.begin(), models.end(), [&](const CatalogWords::Model& model) {
    return model.name == model_box_->currentData().toString();
  });
  return found == models.end() ? nullptr : &*found;
}

// The pieces of the chosen model; of all when none is chosen.
void ResultsPage::fill_pieces() {
  const auto& catalog = bench().views.catalog();
  if (catalog == nullptr) return;
  const CatalogWords::Model* const model = chosen_model();
  std::vector<std::pair<QString, QString>> pieces;
  for (const PieceRecord& piece : catalog->pieces) {
    if (model != nullptr && !std::binary_search(model->piece_keys.begin(), model->piece_keys.end(), piece.key)) continue;
    pieces.emplace_back(bench().views.words()->piece_label(piece), text_of(piece.key));
  }
  std::sort(pieces.begin(), pieces.end());
  const bool had_one = piece_->currentIndex() > 0;
  refill(piece_, pieces);
  if (had_one && piece_->currentIndex() == 0) run_query();  // the piece is none of this model's
}

TrialFilter ResultsPage::filter() const {
  auto chosen = [](const QComboBox* box) { return box->currentData().toString().toStdString(); };
  TrialFilter filter;
  filter.piece_key = chosen(piece_);
  filter.device_id = chosen(device_);
  filter.backend = chosen(backend_);
  filter.outcome = chosen(outcome_);
  filter.run_id = chosen(run_);
  filter.metric_key = chosen(mode_);
  if (const CatalogWords::Model* const model = chosen_model()) filter.piece_keys = model->piece_keys;
  if (kind_->currentIndex() > 0) filter.kind = static_cast<PlanKind>(kind_->currentData().toInt());
  filter.include_synthetic = synthetic_->isChecked();
  return filter;
}

bool ResultsPage::filtered() const {
  for (const QComboBox* box : {model_box_, piece_, mode_, device_, backend_, kind_, outcome_, run_}) {
    if (box->currentIndex() > 0) return true;
  }
  return false;
}

void ResultsPage::clear_filters() {
  for (QComboBox* box : {model_box_, piece_, mode_, device_, backend_, kind_, outcome_, run_}) {
    const QSignalBlocker quiet(box);
    box->setCurrentIndex(0);
  }
  fill_pieces();
  bench().model.choose_run({});
  run_query();
}

// The run is the window's: it is chosen here or in the bar.
void ResultsPage::take_scope(const WorkScope& scope) {
  // It may be one of scripted devices, or not read yet.
  if (!scope.run.isEmpty() && run_->findData(scope.run) < 0) run_->addItem(bench().runs.name_of(scope.run), scope.run);
  run_->setCurrentIndex(place_of_run());
}

int ResultsPage::place_of_run() const {
  return std::max(0, run_->findData(bench().model.scope().run));
}

// A second click turns the order round. Times begin with the newest.
void ResultsPage::sort_by(int column) {
  const auto along = ResultModel::order_by(column, column == ResultModel::kWhen);
  if (along) {
    const TrialOrder next = order() == *along ? *ResultModel::order_by(column, column != ResultModel::kWhen) : *along;
    order_->setCurrentIndex(order_->findData(static_cast<int>(next)));
  } else {
    emit told(tr("Results cannot be sorted by %1: that would read every trial")
                  .arg(model_->columns()[static_cast<std::size_t>(column)].title));
  }
  show_order();
}

void ResultsPage::show_order() {
  for (int column = 0; column < ResultModel::kFirstParameter; ++column) {
    for (const bool backwards : {false, true}) {
      if (ResultModel::order_by(column, backwards) == order())
        table_->horizontalHeader()->setSortIndicator(column, backwards ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
  }
}

// Only outcomes that occur can be chosen, each with how many trials have it under the other filters.
void ResultsPage::ask_for_outcomes() {
  if (!bench().engine.is_open()) return;
  using Counts = Result<std::vector<std::pair<std::string, std::int64_t>>>;
  bench().engine.query(
      this, [asked = filter()](engine::Engine& opened) { return opened.queries().count_by_outcome(asked); },
      [this, asked = ++outcomes_asked_](const Counts& counts) {
        if (counts.ok() && asked == outcomes_asked_) fill_outcomes(counts.value());
      });
}

void ResultsPage::fill_outcomes(const std::vector<std::pair<std::string, std::int64_t>>& counts) {
  std::vector<std::pair<QString, QString>> entries;
  const QString chosen = outcome_->currentData().toString();
  bool has_chosen = chosen.isEmpty();
  for (const auto& [outcome, count] : counts) {
    entries.emplace_back(tr("%1 (%2)").arg(outcome_text(text_of(outcome)), count_text(count)), text_of(outcome));
    has_chosen = has_chosen || text_of(outcome) == chosen;
  }
  // What is filtered by stays, though no trial has it under the other filters.
  if (!has_chosen) entries.emplace_back(tr("%1 (%2)").arg(outcome_text(chosen), count_text(0)), chosen);
  refill(outcome_, entries);
}

void ResultsPage::run_query() {
  fresh_->hide();
  clear_->setEnabled(filtered());
  show_order();
  model_->query(filter(), order());
}

// New rows come in at the top of the newest-first order. A view at the top follows; one that was scrolled must not jump.
void ResultsPage::news_arrived() {
  const bool at_top = table_->verticalScrollBar()->value() == 0 && !table_->currentIndex().isValid();
  if (at_top || stack_->currentIndex() == 0) {
    run_query();
  } else {
    fresh_->show();
  }
}

void ResultsPage::counted(qint64 rows) {
  ask_for_outcomes();
  const bool any = rows > 0 || filtered();
  stack_->setCurrentIndex(any ? 1 : 0);
  detail_->show_trial({});
  detail_->setVisible(!wanted_trial_.isEmpty());  // the table has the room until something is chosen
  if (!wanted_trial_.isEmpty()) detail_->show_trial(std::exchange(wanted_trial_, {}));
  if (!any) return explain_emptiness();
  if (rows == 0) return set_subtitle(tr("No stored trial matches the filters"));
  QString text = tr("%1 stored trials, losers included: choose one to see its samples, facts and source").arg(count_text(rows));
  const bool by_speed = order() == TrialOrder::kFastestFirst || order() == TrialOrder::kSlowestFirst;
  if (by_speed && (piece_->currentIndex() == 0 || (mode_->currentIndex() == 0 && mode_->count() > 2)))
    text += tr(" · the order mixes pieces or modes: choose one of each to rank them");
  set_subtitle(text);
}

void ResultsPage::explain_emptiness() {
  if (!bench().engine.failure().isEmpty() || stack_->currentWidget() != empty_) return;
  const std::int64_t scripted = synthetic_->isChecked() ? 0 : bench().views.scripted_count();
  if (scripted > 0) {
    empty_->set_text(tr("%1 hidden").arg(counted_text(scripted, tr("scripted trial is"), tr("scripted trials are"))),
                     tr("Tick Synthetic above to see them."));
  } else {
    empty_->set_text(tr("Nothing measured yet"), tr("Every trial, the failed ones too, will be listed here."));
  }
  set_subtitle(tr("Every stored trial, losers included"));
}

void ResultsPage::go_to(const QString& key) {
  model_box_->setCurrentIndex(0);
  piece_->setCurrentIndex(std::max(0, piece_->findData(key)));
}

void ResultsPage::receive(const Handed& handed) {
  wanted_trial_ = handed.trial;
  for (QComboBox* box : {mode_, device_, backend_, kind_, outcome_, run_}) {
    const QSignalBlocker quiet(box);
    const bool of_device = box == device_ && !handed.device.isEmpty();
    box->setCurrentIndex(of_device ? std::max(0, device_->findData(handed.device)) : box == run_ ? place_of_run() : 0);
  }
  go_to(handed.piece_key);
  run_query();  // where nothing has changed, too
  if (handed.source) detail_->show_source();
}

Page* make_results_page(const Workbench& bench) {
  return new ResultsPage(bench);
}

}  // namespace fuselab::gui
