// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/compare/compare_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <utility>

#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/models/piece_model.h"
#include "app/gui/pages/compare/column_presets.h"
#include "app/gui/pages/compare/table_choices.h"
#include "app/gui/parts/default_button.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/chart_panel.h"
#include "app/gui/plots/charts.h"
#include "app/gui/plots/gain_plot.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/plots/roofline.h"
#include "app/gui/tables/blanks_last_proxy.h"
#include "app/gui/tables/fact_view.h"
#include "app/gui/tables/table_view.h"
#include "app/views/figure_marks.h"

namespace fuselab::gui {
namespace {

constexpr int kNarrowFilter = 100, kNarrowModel = 150;  // pixels

}  // namespace

ComparePage::ComparePage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kCompare, tr("Unfused, fused and ideal time of every piece, ranked by headroom"), bench_in, parent),
      model_(new CompareModel(this)),
      totals_(new TotalsModel(this)),
      piece_(new PieceModel(this)),
      proxy_(new BlanksLastProxy(this)) {
  proxy_->setSourceModel(model_);
  proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  proxy_->setFilterKeyColumn(CompareModel::kPiece);
  build_header();
  build_body();
  connect(&bench().views, &Snapshots::tables_changed, this, [this] { refresh_when_shown([this] { refresh(); }); });
  connect(&bench().job, &JobBridge::started, this, [this] { follows_job_ = true; });
  connect(&bench().views, &Snapshots::catalog_changed, this, &ComparePage::show_plots);
  connect(&bench().views, &Snapshots::devices_changed, this, &ComparePage::show_plots);
  connect(&bench().views, &Snapshots::trials_changed, this, [this] {
    explain_emptiness();
    if (model_->table() != nullptr) set_subtitle(summary());
  });
  refresh();
}

void ComparePage::build_header() {
  filter_ = new QLineEdit(this);
  filter_->setObjectName(QStringLiteral("compare.filter"));
  filter_->setPlaceholderText(tr("Filter pieces"));
  filter_->setAccessibleName(tr("Filter pieces by name"));
  filter_->setToolTip(tr("Show only the pieces whose name holds this text"));
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(kNarrowFilter);
  filter_->setMaximumWidth(200);
  models_ = new QComboBox(this);
  models_->setObjectName(QStringLiteral("compare.model"));
  models_->setAccessibleName(tr("Model"));
  // The box is as wide as its text, and less where there is less room: the level stands at the end, so the middle is cut.
  models_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  models_->setMinimumWidth(kNarrowModel);
  devices_ = new QComboBox(this);
  devices_->setObjectName(QStringLiteral("compare.device"));
  devices_->setAccessibleName(tr("Device of the bar chart"));
  devices_->setToolTip(tr("The device whose times the bars show"));
  devices_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  modes_ = new QComboBox(this);
  modes_->setObjectName(QStringLiteral("compare.mode"));
  modes_->setAccessibleName(tr("What was timed"));
  modes_->setToolTip(tr("Warm caches, caches emptied before each run, buffers in rotation, or the first launch in a process"));
  auto* const chosen = new DefaultButton(bench().engine, bench().views, this);
  profile_ = new QToolButton(this);
  profile_->setText(tr("Profile"));
  profile_->setObjectName(QStringLiteral("compare.profile"));
  profile_->setAccessibleName(tr("Profile the chosen cell"));
  profile_->setToolTip(tr("Why the plan of the chosen cell is as fast as it is; of a piece alone, its recommended plan"));
  connect(profile_, &QToolButton::clicked, this, &ComparePage::profile_chosen);
  tune_ = new QToolButton(this);
  tune_->setText(tr("Tune"));
  tune_->setObjectName(QStringLiteral("compare.tune"));
  tune_->setAccessibleName(tr("Tune the chosen piece"));
  tune_->setToolTip(tr("Put the chosen piece alone into the form of Tuning"));
  connect(tune_, &QToolButton::clicked, this, &ComparePage::tune_chosen);
  offer(tune_->accessibleName(), {}, tune_, [this] { tune_chosen(); });
  offer(profile_->accessibleName(), {}, profile_, [this] { profile_chosen(); });
  offer(filter_->accessibleName(), {}, filter_, [this] { filter_->setFocus(); });
  columns_ = new ColumnPresets(this);
  for (CacheMode mode : kCacheModes) modes_->addItem(text_of(name_of(mode)), static_cast<int>(mode));
  show_mode();
  for (QWidget* widget : std::initializer_list<QWidget*>{filter_, models_, modes_, columns_, devices_, chosen})
    header()->addWidget(widget);
  connect(modes_, &QComboBox::activated, this,
          [this] { bench().views.set_mode(static_cast<CacheMode>(modes_->currentData().toInt())); });
  connect(&bench().views, &Snapshots::mode_changed, this, &ComparePage::show_mode);
  connect(filter_, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
  connect(models_, &QComboBox::currentIndexChanged, this, &ComparePage::show_model);
  connect(models_, &QComboBox::activated, this, [this] {
    follows_job_ = false;
    if (const Handed shown = shown_model(); opens(shown.model)) bench().model.choose({shown.model, shown.binding});
  });
  connect(devices_, &QComboBox::currentIndexChanged, this, &ComparePage::show_plots);
  connect(devices_, &QComboBox::textActivated, this, [this](const QString& device) { wanted_device_ = device; });
}

void ComparePage::build_body() {
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("compare.table"));
  table_->setAccessibleName(tr("Fused pieces"));
  table_->setModel(proxy_);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->horizontalHeader()->setSortIndicatorClearable(true);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // the engine's own ranking
  columns_->apply_to(table_, model_);
  totals_table_ = new TableView;
  totals_table_->setObjectName(QStringLiteral("compare.totals"));
  totals_table_->setAccessibleName(tr("Model totals"));
  totals_table_->setModel(totals_);
  times_ = new PlotPanel(QStringLiteral("compare.times"));
  backends_ = new PlotPanel(QStringLiteral("compare.backends"));
  roofline_ = new PlotPanel(QStringLiteral("compare.roofline"));
  gains_ = new PlotPanel(QStringLiteral("compare.gains"));
  totals_chart_ = new TotalsChart;
  totals_panel_ = new ChartPanel(QStringLiteral("compare.sums"), totals_chart_);

  tabs_ = new QTabWidget;
  tabs_->setObjectName(QStringLiteral("compare.tabs"));
  tabs_->setAccessibleName(tr("Plots"));
  tabs_->setCornerWidget(make_row({tune_, profile_}));  // of the piece that they show
  tabs_->addTab(times_, tr("Times"));
  tabs_->addTab(backends_, tr("Backends"));
  tabs_->addTab(roofline_, tr("Roofline"));
  tabs_->addTab(gains_, tr("Gain"));
  auto* details = new FactView;
  details->setObjectName(QStringLiteral("compare.details"));
  details->setAccessibleName(tr("Everything known of the chosen piece"));
  details->setModel(piece_);
  tabs_->addTab(details, tr("Details"));
  auto* totals = make_splitter(Qt::Vertical, {totals_table_, totals_panel_}, {120, 190});
  auto* lower = make_splitter(Qt::Horizontal, {tabs_, totals}, {560, 540});
  auto* all = make_splitter(Qt::Vertical, {table_, lower}, {330, 330});
  empty_ = new EmptyState(tr("Nothing measured yet"),
                          tr("Every fused piece of the built-in models is measured unfused and fused, then tuned. The Tuning page "
                             "measures anything else."),
                          bench().control.measure_action());
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  remember(totals, QStringLiteral("totals"));
  remember(lower, QStringLiteral("lower"));
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("pieces"));
  remember(totals_table_, QStringLiteral("sums"));

  hand_over_from(table_, [this] { return chosen_piece(); });
  for (const PlotPanel* panel : {times_, roofline_, gains_}) hand_over_from(panel->canvas(), [this] { return chosen_piece(); });
  hand_over_from(backends_->canvas(), [this] {
    Handed handed = chosen_piece();
    handed.device = devices_->currentText();
    return handed;
  });
  hand_over_from(details, [this] { return chosen_piece(); });
  hand_over_from(totals_table_, [this] { return chosen_total(); });
  hand_over_from(totals_chart_, [this] { return shown_model(); });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ComparePage::show_plots);
  connect(backends_->canvas(), &PlotCanvas::point_chosen, this, [this](const QString& device) {
    wanted_device_ = device;
    devices_->setCurrentIndex(std::max(0, devices_->findText(device)));
  });
  for (PlotPanel* panel : {times_, roofline_, gains_}) {
    connect(panel->canvas(), &PlotCanvas::point_chosen, this, [this](const QString& key) { choose_piece(key.toStdString()); });
  }
}

Handed ComparePage::shown_model() const {
  Handed handed;
  if (model_->table() == nullptr) return handed;
  const engine::CompareTable& table = *model_->table();
  handed.model = bench().model.subject_of(text_of(table.model));
  handed.binding = text_of(table.binding);
  handed.dtype = text_of(table.dtype);
  handed.level = text_of(table.level);
  return handed;
}

Handed ComparePage::chosen_total() const {
  const int row = totals_table_->currentIndex().row();
  const bool of_device = row >= 0 && model_->table() != nullptr && row < static_cast<int>(model_->table()->totals.size());
  Handed handed = shown_model();
  const QString device = of_device ? text_of(model_->table()->totals[static_cast<std::size_t>(row)].device_id) : QString();
  if (device != QLatin1String(engine::kBestMix)) handed.device = device;
  return handed;
}

// The plan in whose column the cell lies; elsewhere the recommended one.
Handed ComparePage::chosen_piece() const {
  const QModelIndex at = proxy_->mapToSource(table_->currentIndex());
  const engine::CompareRow* const row = model_->piece(at.row());
  if (row == nullptr) return {};
  Handed handed = shown_model();
  handed.piece_key = text_of(row->piece_key);
  handed.piece = text_of(row->name);
  handed.graph = text_of(row->graph);
  const int place = at.column() - CompareModel::kFixedColumns;
  const auto device = static_cast<std::size_t>(place / CompareModel::kDeviceColumns);
  const bool of_device = place >= 0 && device < model_->devices().size();
  const engine::CompareCell* const cell = of_device ? find_cell(*row, model_->devices()[device]) : decisive_cell(*row);
  if (of_device) handed.device = text_of(model_->devices()[device]);
  if (cell == nullptr) return handed;
  const bool unfused =
      of_device ? place % CompareModel::kDeviceColumns == CompareModel::kUnfused : row->recommended_plan == PlanKind::kUnfused;
  const engine::Cell& plan = unfused ? cell->unfused : cell->fused;
  if (plan.figure) handed.trial = text_of(plan.figure->trial_id);
  return handed;
}

void ComparePage::profile_chosen() {
  const Handed handed = chosen_piece();
  if (!handed.trial.isEmpty()) emit handed_over(PageId::kProfile, handed);
}

void ComparePage::tune_chosen() {
  if (const QString graph = chosen_piece().graph; !graph.isEmpty()) emit navigate(PageId::kTuning, graph);
}

void ComparePage::receive(const Handed& handed) {
  if (!handed.piece_key.isEmpty()) go_to(handed.piece_key);
  if (handed.device.isEmpty() || devices_->findText(handed.device) < 0) return;
  wanted_device_ = handed.device;
  devices_->setCurrentIndex(devices_->findText(handed.device));
}

std::string ComparePage::own_command() const {
  engine::CompareSpec spec;
  const Handed shown = shown_model();
  if (shown.model.isEmpty()) return {};
  spec.subjects = {shown.model.toStdString()};
  if (!shown.binding.isEmpty()) spec.bindings = {shown.binding.toStdString()};
  spec.dtype = shown.dtype.toStdString();
  spec.level = shown.level.toStdString();
  spec.run = bench().model.scope().run.toStdString();
  spec.devices.only = bench().model.scope().only();
  spec.protocol.mode = bench().views.mode();
  return command_of(bench().config, "compare", spec);
}

void ComparePage::take_model(const ModelChoice& choice) {
  if (model_->table() != nullptr) set_subtitle(summary());
  const TableList& tables = bench().views.tables();
  const int best = table_of(tables, choice);
  if (best < 0) return;
  follows_job_ = false;
  // What is shown of it may be of another level or element type: it stays.
  if (const TablePtr& shown = model_->table(); shown != nullptr && shown->model == tables[static_cast<std::size_t>(best)]->model &&
                                               shown->binding == tables[static_cast<std::size_t>(best)]->binding)
    return;
  models_->setCurrentIndex(best);
}

void ComparePage::refresh() {
  const TableList& tables = bench().views.tables();
  // What was measured last is shown, until the user chooses.
  const TableList& measured = bench().job.tables();
  const QString chosen = follows_job_ && !measured.empty() ? title_of_table(*measured.front()) : models_->currentText();
  const QSignalBlocker quiet(models_);
  models_->clear();
  for (const auto& table : tables) models_->addItem(title_of_table(*table));
  const int same = models_->findText(chosen), of_window = table_of(tables, bench().model.choice());
  models_->setCurrentIndex(std::max(0, same >= 0 ? same : of_window));
  explain_boxes();
  explain_emptiness();
  stack_->setCurrentIndex(tables.empty() ? 0 : 1);
  show_model();
}

// Every device and the best mix are seen at once: there are few of them, and they are what the page is opened for.
void ComparePage::show_totals() {
  constexpr int kMost = 4;
  const std::vector<engine::ModelTotal>& totals = model_->table()->totals;
  const std::size_t all = totals.size() + model_->table()->whole_models.size();
  totals_chart_->set_totals(totals);
  totals_panel_->set_figures(totals_plot(totals));
  const int rows = std::min(static_cast<int>(all), kMost) * totals_table_->verticalHeader()->defaultSectionSize();
  totals_table_->setMinimumHeight(totals_table_->horizontalHeader()->sizeHint().height() + rows +
                                  totals_table_->horizontalScrollBar()->sizeHint().height() + 2);
}

void ComparePage::show_mode() {
  modes_->setCurrentIndex(modes_->findData(static_cast<int>(bench().views.mode())));
}

QString ComparePage::elsewhere_text() const {
  const auto mode = bench().views.measured_in(*model_->table());
  if (!mode) return {};
  return tr("Nothing of this was measured in mode %1, but in mode %2: choose it above")
      .arg(text_of(name_of(bench().views.mode())), text_of(name_of(*mode)));
}

bool ComparePage::only_scripted() const {
  const Snapshots& views = bench().views;
  return !views.compares_scripted() && views.scripted_count() > 0 && views.scripted_count() == views.trial_count();
}

QString ComparePage::hidden_text() const {
  const Snapshots& views = bench().views;
  const std::int64_t scripted = views.compares_scripted() ? 0 : views.scripted_count();
  if (only_scripted())
    return tr("Only scripted trials are stored (%1): the page Results shows them with Synthetic ticked").arg(count_text(scripted));
  return tr("%1 stored, none valid here (other environment or version)")
      .arg(counted_text(views.trial_count() - scripted, tr("trial"), tr("trials")));
}

// There is nothing to choose from in an empty box. The whole text of one that is too narrow for it is its tooltip.
void ComparePage::explain_boxes() {
  const bool any = models_->count() > 0;
  for (QWidget* widget : std::initializer_list<QWidget*>{filter_, models_, modes_}) widget->setVisible(any);
  if (!any) devices_->hide();
  const QString what = tr("The model or workload whose pieces are shown");
  models_->setToolTip(any ? models_->currentText() + QLatin1Char('\n') + what : what);
  for (int model = 0; model < models_->count(); ++model) models_->setItemData(model, models_->itemText(model), Qt::ToolTipRole);
}

void ComparePage::explain_emptiness() {
  if (!bench().engine.failure().isEmpty() || !bench().views.tables().empty()) return;
  const QString next =
      tr("Every fused piece of the built-in models is measured unfused and fused, then tuned. The Tuning page measures anything "
         "else.");
  const std::int64_t stored = bench().views.trial_count();
  if (bench().views.loading()) {
    const QString what = counted_text(stored, tr("trial"), tr("trials"));
    empty_->show_problem(stored > 0 ? tr("Loading %1…").arg(what) : tr("Looking for what is stored…"),
                         tr("What was measured before is shown as soon as it is read."));
  } else if (!bench().model.scope().run.isEmpty()) {
    empty_->set_text(tr("This run has nothing to compare"), tr("Choose “All runs” or another run in the bar above the pages."));
  } else if (only_scripted()) {
    empty_->set_text(tr("Only scripted trials are stored (%1)").arg(count_text(stored)),
                     tr("The page Results shows them with Synthetic ticked. %1").arg(next));
  } else {
    empty_->set_text(stored > 0 ? hidden_text() : tr("Nothing measured yet"), next);
  }
}

void ComparePage::show_model() {
  const TableList& tables = bench().views.tables();
  const int chosen = models_->currentIndex();
  if (chosen < 0 || chosen >= static_cast<int>(tables.size())) return;
  const std::vector<std::string> pieces = chosen_pieces();
  explain_boxes();
  const TablePtr table = tables[static_cast<std::size_t>(chosen)];
  model_->set_table(table);
  totals_->set_table(table);
  show_totals();
  {
    const QSignalBlocker quiet(devices_);
    devices_->clear();
    for (const std::string& id : model_->devices()) devices_->addItem(text_of(id));
    const int wanted = wanted_device_.isEmpty() ? -1 : devices_->findText(wanted_device_);
    devices_->setCurrentIndex(wanted >= 0 ? wanted
                                          : std::max(0, devices_->findText(text_of(device_to_show(*table, model_->devices())))));
    devices_->setVisible(devices_->count() > 1);
  }
  const auto measured = std::count_if(model_->devices().begin(), model_->devices().end(),
                                      [&](const std::string& device) { return has_figure(*table, device); });
  if (measured > 1 && !std::exchange(compared_, true)) tabs_->setCurrentWidget(backends_);
  if (!pieces.empty() && chosen_pieces().empty()) choose_piece(pieces.front());
  say_model();
  set_subtitle(summary());
  show_plots();
}

// The bar above the pages must not say that there is no model while this page shows one.
void ComparePage::say_model() {
  if (!isVisible() || model_->table() == nullptr) return;
  const Handed shown = shown_model();
  bench().model.name_shown(opens(shown.model) ? QString() : shown.model);
  if (opens(shown.model)) bench().model.take_shown({shown.model, shown.binding});
}

void ComparePage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  say_model();
}

QString ComparePage::summary() const {
  const engine::CompareTable& table = *model_->table();
  const QString& wanted = bench().model.choice().subject;
  const bool other = !wanted.isEmpty() && table_of(bench().views.tables(), bench().model.choice()) < 0;
  if (is_blank(table) && bench().views.trial_count() > 0 && !bench().job.active() && !bench().views.checking()) {
    const QString elsewhere = elsewhere_text();
    if (elsewhere.isEmpty() && !bench().model.scope().run.isEmpty())
      return tr("no figure of it is valid here (other environment or version)");
    return elsewhere.isEmpty() ? hidden_text() : elsewhere;
  }
  PieceCounts counts;
  for (const engine::CompareRow& row : table.rows) counts.add(decisive_cell(row));
  QString wins = tr("fusion wins %1, loses %2, undecided or the same %3").arg(counts.wins).arg(counts.losses).arg(counts.even);
  if (model_->devices().size() > 1) wins = tr("on its recommended device %1").arg(wins);
  const auto all = std::accumulate(table.rows.begin(), table.rows.end(), std::int64_t{0},
                                   [](std::int64_t sum, const engine::CompareRow& row) { return sum + row.count; });
  QString pieces = counted_text(std::ssize(table.rows), tr("piece"), tr("pieces"));
  if (all > std::ssize(table.rows))
    pieces = tr("%1, %2 in the model")
                 .arg(counted_text(std::ssize(table.rows), tr("distinct piece"), tr("distinct pieces")), count_text(all));
  QStringList parts{pieces, wins};
  if (other) {
    const QString missing = bench().model.scope() == WorkScope()
                                ? tr("nothing is stored of %1, so this is %2")
                                : tr("nothing of %1 is stored for the run, devices and type of the bar, so this is %2");
    parts.push_front(missing.arg(wanted, shown_model().model));
  }
  if (bench().views.checking()) parts.push_front(tr("checking…"));
  if (counts.single > 0) parts << counted_text(counts.single, tr("single operator"), tr("single operators"));
  if (counts.failed > 0) parts << tr("%1 failed").arg(counts.failed);
  const engine::FigureCounts figures = engine::count_figures(table);
  if (figures.withheld > 0) parts << tr("%1 withheld").arg(figures.withheld);
  if (figures.disturbed > 0)
    parts << tr("%1 of %2 disturbed (~)")
                 .arg(percent_text(figures.disturbed_share()), counted_text(figures.figures, tr("figure"), tr("figures")));
  if (counts.open > 0) parts << tr("%1 open").arg(counts.open);
  if (counts.excluded > 0) parts << tr("%1 never measured").arg(counts.excluded);
  parts << tr("covers %1 of the model").arg(percent_text(table.covered_share));
  if (!table.unchecked.empty()) parts << tr("as stored: %1").arg(text_of(table.unchecked));
  return parts.join(QStringLiteral(" · "));
}

std::vector<std::string> ComparePage::chosen_pieces() const {
  std::vector<std::string> keys;
  for (int row : table_->selected_rows()) {
    const engine::CompareRow* piece = model_->piece(proxy_->mapToSource(proxy_->index(row, 0)).row());
    if (piece != nullptr) keys.push_back(piece->piece_key);
  }
  return keys;
}

void ComparePage::show_plots() {
  if (model_->table() == nullptr) return;
  const engine::CompareTable& table = *model_->table();
  const std::vector<std::string> keys = chosen_pieces();
  std::vector<std::string> shown = keys;
  if (keys.empty()) shown = weighty_pieces(table);
  times_->set_spec(compare_plot(table, shown, devices_->currentText().toStdString()));

  const auto ceilings_of = [this](const DeviceInfo& device) { return bench().views.ceilings_of(device); };
  roofline_->set_spec(roofline_plot(table, ceilings_by_hardware(bench().views.usable_devices(), ceilings_of)));
  gains_->set_spec(gain_plot(table));
  const int first = keys.empty() ? 0 : model_->row_of_piece(keys.front());
  piece_->show(model_->piece(first));
  backends_->set_spec(model_->piece(first) != nullptr ? backends_plot(*model_->piece(first)) : PlotSpec());
  backends_->canvas()->select(devices_->currentText());
  for (const PlotPanel* panel : {roofline_, gains_}) panel->canvas()->select(keys.size() == 1 ? text_of(keys.front()) : QString());
}

void ComparePage::choose_piece(const std::string& key) {
  table_->select_row(proxy_->mapFromSource(model_->index(std::max(0, model_->row_of_piece(key)), 0)).row());
}

void ComparePage::go_to(const QString& key) {
  filter_->clear();
  const TableList& tables = bench().views.tables();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto& rows = tables[i]->rows;
    const bool here = std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.piece_key == key.toStdString(); });
    if (!here) continue;
    models_->setCurrentIndex(static_cast<int>(i));
    choose_piece(key.toStdString());
    table_->setFocus();
    return;
  }
}

Page* make_compare_page(const Workbench& bench) {
  return new ComparePage(bench);
}

}  // namespace fuselab::gui
