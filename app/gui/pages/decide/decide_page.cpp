// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/decide/decide_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/engine/compare/selection.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/default_button.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kCrossoverTab = 1;

// A line needs two sizes, and a choice two devices.
bool shows_a_choice(const CrossoverSeries& series) {
  const auto choices = std::count_if(series.pieces.begin(), series.pieces.end(), [](const MeasuredPiece* piece) {
    return std::count_if(piece->times.begin(), piece->times.end(), is_choosable) > 1;
  });
  return choices > 1;
}

TableView* make_table(const QString& name, const QString& label, QAbstractItemModel* model) {
  auto* table = new TableView;
  table->setObjectName(name);
  table->setAccessibleName(label);
  table->setModel(model);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  return table;
}

}  // namespace

DecidePage::DecidePage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kDecide, tr("Which backend should be the default: every device beside the best mix, over all measured models"),
           bench_in, parent),
      model_(new DecideModel(this)),
      missing_(new MissingModel(this)),
      evidence_(new EvidenceModel(this)) {
  build_header();
  build_body();
  connect(&bench().views, &Snapshots::tables_changed, this, [this] { refresh_when_shown([this] { refresh(); }); });
  connect(&bench().views, &Snapshots::trials_changed, this, &DecidePage::explain_emptiness);
  refresh();
}

void DecidePage::build_header() {
  const auto add = [&](const QString& name, const QString& text, const QString& tip, const std::function<void()>& act) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QStringLiteral("decide.") + name);
    button->setAccessibleName(text);
    button->setToolTip(tip);
    connect(button, &QPushButton::clicked, this, act);
    header()->addWidget(button);
    offer(text, {}, button, [button] { button->click(); });
    return button;
  };
  default_ = new DefaultButton(bench().engine, bench().views, this);
  default_->setObjectName(QStringLiteral("decide.default"));
  make_ = add(QStringLiteral("make"), tr("Make default"), tr("Set the backend of the chosen device as the default"), [this] {
    if (const engine::DeviceStanding* const device = model_->device(table_->currentIndex().row()))
      default_->choose(device->backend);
  });
  export_ = add(QStringLiteral("export"), tr("Export…"), tr("Go to Export, to write a model's tuned kernels for production"),
                [this] { emit navigate(PageId::kExport, {}); });
  header()->addWidget(default_);
}

void DecidePage::build_body() {
  sentence_ = make_line(QStringLiteral("decide.sentence"));
  table_ = make_table(QStringLiteral("decide.table"), tr("Devices beside the models"), model_);
  plot_ = new PlotPanel(QStringLiteral("decide.plot"));
  plot_->set_spec(PlotSpec());
  auto* not_run = make_table(QStringLiteral("decide.missing"), tr("What devices do not run, and why"), missing_);
  auto* evidence = make_table(QStringLiteral("decide.evidence"), tr("The figures that decide"), evidence_);
  tabs_ = new QTabWidget;
  tabs_->setObjectName(QStringLiteral("decide.tabs"));
  tabs_->setAccessibleName(tr("What speaks for the choice"));
  tabs_->addTab(plot_, tr("Against the best mix"));
  tabs_->addTab(build_crossover(), tr("Over sizes"));
  tabs_->addTab(not_run, tr("Not run"));
  tabs_->addTab(evidence, tr("Evidence"));
  auto* parts = make_splitter(Qt::Vertical, {table_, tabs_}, {230, 400});
  auto* whole = make_column({sentence_, parts});
  empty_ = new EmptyState(tr("Nothing to decide from yet"), {}, bench().control.measure_action());
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(whole);
  body()->addWidget(stack_, 1);
  remember(parts, QStringLiteral("parts"));
  remember(table_, QStringLiteral("devices"));
  remember(not_run, QStringLiteral("missing"));
  remember(evidence, QStringLiteral("evidence"));
  hand_over_from(table_, [this] { return chosen_cell(); });
  hand_over_from(plot_->canvas(), [this] { return chosen_cell(); });
  connect(table_, &TableView::row_chosen, this, &DecidePage::choose);
  connect(tabs_, &QTabWidget::currentChanged, this, [this] { ask_for_crossovers(); });
}

QWidget* DecidePage::build_crossover() {
  kinds_ = new QComboBox;
  kinds_->setObjectName(QStringLiteral("decide.kinds"));
  kinds_->setAccessibleName(tr("Kind of piece"));
  kinds_->setToolTip(tr("Pieces of one kind that were measured at several sizes on several devices"));
  kinds_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  regret_ = make_line(QStringLiteral("decide.regret"));
  crossover_ = new PlotPanel(QStringLiteral("decide.crossover"));
  crossover_->set_spec(PlotSpec());
  connect(kinds_, &QComboBox::currentIndexChanged, this, &DecidePage::show_crossover);
  return make_column({make_row({kinds_}), regret_, crossover_});
}

void DecidePage::refresh() {
  engine::BackendDecision decision = engine::decide_backend(bench().views.tables());
  crossovers_are_of_now_ = false;
  missing_->set_decision(decision);
  evidence_->set_decision(decision);
  plot_->set_spec(decision_plot(decision));
  const bool any = !decision.devices.empty();
  show_line(sentence_, text_of(decision.sentence()));
  set_subtitle(
      any ? tr("%1 · %2").arg(counted_text(static_cast<std::int64_t>(decision.models.size()), tr("model"), tr("models")),
                              counted_text(static_cast<std::int64_t>(decision.devices.size()), tr("device"), tr("devices")))
          : tr("Which backend should be the default"));
  const int row = std::max(0, table_->currentIndex().row());
  model_->set_decision(std::move(decision));
  stack_->setCurrentIndex(any ? 1 : 0);
  table_->select_row(row);
  choose(table_->currentIndex().row());
  explain_emptiness();
  ask_for_crossovers();
}

// Models have the names here that their tables have: the model is the one whose name begins this one's.
Handed DecidePage::chosen_cell() const {
  Handed handed;
  const engine::DeviceStanding* const device = model_->device(table_->currentIndex().row());
  if (device == nullptr) return handed;
  const int model = table_->currentIndex().column() - DecideModel::kFirstModel;
  const auto& models = model_->decision().models;
  if (model < 0 || model >= static_cast<int>(models.size())) return handed;
  const std::string& name = models[static_cast<std::size_t>(model)].name;
  handed.device = text_of(device->device_id);
  for (const auto& table : bench().views.tables()) {
    const std::string of_table = table->binding.empty() ? table->model : table->model + " " + table->binding;
    if (name != of_table && name != of_table + ", " + table->dtype + " " + table->level) continue;
    handed.model = bench().model.subject_of(text_of(table->model));
    handed.binding = text_of(table->binding);
    handed.dtype = text_of(table->dtype);
  }
  return handed;
}

std::string DecidePage::own_command() const {
  engine::CompareSpec spec;
  spec.protocol.mode = bench().views.mode();
  spec.devices.only = bench().model.scope().only();
  spec.dtype = bench().model.scope().dtype.toStdString();
  spec.run = bench().model.scope().run.toStdString();
  return command_of(bench().config, "decide", spec);
}

void DecidePage::choose(int row) {
  const engine::DeviceStanding* const device = model_->device(row);
  make_->setEnabled(device != nullptr && bench().engine.is_open());
  make_->setText(device == nullptr ? tr("Make default") : tr("Make %1 the default").arg(text_of(device->backend)));
  make_->setAccessibleName(make_->text());
}

void DecidePage::ask_for_crossovers() {
  if (tabs_->currentIndex() != kCrossoverTab || crossovers_are_of_now_ || !bench().engine.is_open()) return;
  crossovers_are_of_now_ = true;
  show_line(regret_, tr("Reading what was measured…"));
  bench().engine.query(
      this,
      [mode = bench().views.mode(), run = bench().model.scope().run.toStdString()](engine::Engine& engine) {
        engine::CompareSpec spec;
        spec.run = run;
        spec.protocol.mode = mode;
        auto selector = engine::selector_of(engine, spec);
        if (!selector.ok()) return Read{nullptr, window_words(selector.error())};
        std::shared_ptr<const Selector> made = std::move(selector).value();
        const QString words = regret_words(leave_one_out(*made));  // quadratic in the pieces: not for the window's thread
        return Read{std::move(made), words};
      },
      [this](Read read) { take_crossovers(std::move(read)); });
}

void DecidePage::take_crossovers(Read read) {
  series_.clear();
  selector_ = std::move(read.selector);
  QStringList names;
  if (selector_) {
    for (const CrossoverSeries& series : selector_->crossovers().series()) {
      if (!shows_a_choice(series)) continue;
      series_.push_back(&series);
      names << crossover_title(series);
    }
  }
  show_line(regret_, read.words);
  const QSignalBlocker quiet(kinds_);
  kinds_->clear();
  kinds_->addItems(names);
  kinds_->setEnabled(!names.isEmpty());
  show_crossover();
}

void DecidePage::show_crossover() {
  const int at = kinds_->currentIndex();
  PlotSpec spec;
  spec.empty_text = tr("No kind of piece was measured at two sizes on two devices yet.");
  if (at >= 0 && at < static_cast<int>(series_.size())) spec = crossover_plot(*selector_, *series_[static_cast<std::size_t>(at)]);
  crossover_->set_spec(std::move(spec));
}

void DecidePage::explain_emptiness() {
  if (!bench().engine.failure().isEmpty()) return;
  if (bench().views.loading() && bench().views.trial_count() > 0)
    empty_->set_text(tr("Loading %1…").arg(counted_text(bench().views.trial_count(), tr("trial"), tr("trials"))), {});
  else if (!bench().model.scope().run.isEmpty())
    empty_->set_text(tr("This run has nothing to decide from"), tr("Choose “All runs” or another run in the bar above the pages."));
  else
    empty_->set_text(tr("Nothing to decide from yet"),
                     tr("Measure a model on two devices or more: the comparison of backends stands here."));
}

void DecidePage::go_to(const QString& key) {
  for (int row = 0; const engine::DeviceStanding* device = model_->device(row); ++row) {
    if (text_of(device->device_id) == key) table_->select_row(row);
  }
}

Page* make_decide_page(const Workbench& bench) {
  return new DecidePage(bench);
}

}  // namespace fuselab::gui
