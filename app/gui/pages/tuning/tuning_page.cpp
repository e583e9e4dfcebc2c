// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/tuning/tuning_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/link/command_text.h"
#include "app/gui/look/elided_label.h"
#include "app/gui/look/figures.h"
#include "app/gui/models/note_model.h"
#include "app/gui/models/trial_queue_model.h"
#include "app/gui/pages/tuning/job_forecast.h"
#include "app/gui/pages/tuning/piece_queue_model.h"
#include "app/gui/parts/refused_field.h"
#include "app/gui/parts/tuning_form.h"
#include "app/gui/plots/builders.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/plots/plot_panel.h"
#include "app/gui/tables/table_view.h"
#include "core/base/shell_word.h"

namespace fuselab::gui {
namespace {

QFrame* make_card() {
  auto* card = new QFrame;
  card->setProperty("card", true);
  return card;
}

QPushButton* make_button(QAction* action, const QString& name) {
  auto* button = new QPushButton;
  button->setObjectName(name);
  const auto follow = [button, action] {
    button->setText(action->text());
    button->setAccessibleName(action->text());
    button->setToolTip(action->toolTip());
    button->setEnabled(action->isEnabled());
  };
  follow();
  QObject::connect(action, &QAction::changed, button, follow);
  QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
  return button;
}

}  // namespace

TuningPage::TuningPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kTuning, tr("Start a job and watch it: every trial is verified before it is timed"), bench_in, parent) {
  QWidget* const left = build_controls();
  left->setMinimumWidth(290);
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(build_progress());
  column->addWidget(build_live(), 1);
  auto* all = make_splitter(Qt::Horizontal, {left, right}, {290, 800});
  body()->addWidget(all, 1);
  remember(all, QStringLiteral("all"));

  connect(&bench().job, &JobBridge::progressed, this, &TuningPage::show_progress);
  connect(&bench().job, &JobBridge::ended, this, &TuningPage::job_ended);
  connect(&bench().control, &JobControl::failed, this, &TuningPage::show_failure);
  connect(&bench().trials, &TrialQueueModel::grown, this, [this] { refresh_when_shown([this] { trials_grown(); }); });
  const auto devices = [this] {
    if (bench().views.devices() != nullptr) form_->set_devices(*bench().views.devices());
  };
  connect(&bench().views, &Snapshots::devices_changed, this, devices);
  devices();
  when_unopened([this](const QString& reason) {
    state_->setText(tr("The database cannot be opened"));
    activity_->setText(reason);
    activity_->setToolTip(reason);
  });
  trials_grown();
  if (bench().job.active()) show_progress(bench().job.progress_now());
  if (!bench().control.failure().isEmpty()) show_failure(bench().control.failure());
}

QWidget* TuningPage::build_controls() {
  auto* box = make_card();
  form_ = new TuningForm(bench().control.default_spec());
  refused_ = new RefusedModel(form_->subjects_field(), form_->shape_field(), known_subjects());
  forecast_ = new JobForecast(bench());
  const auto ask = [this] { forecast_->ask(form_->spec(), form_->prior()); };
  connect(form_, &TuningForm::changed, forecast_, ask);
  ask();
  auto* start = new QPushButton(tr("Run"));
  start->setObjectName(QStringLiteral("tuning.start"));
  start->setAccessibleName(tr("Run the job"));
  start->setProperty("primary", true);
  const auto follow = [this, start] {
    const QString why_not = bench().control.why_not();
    start->setEnabled(why_not.isEmpty());
    start->setToolTip(why_not.isEmpty() ? tr("Start a job with these choices") : why_not);
  };
  connect(&bench().control, &JobControl::changed, start, follow);
  follow();
  connect(start, &QPushButton::clicked, this, &TuningPage::start);
  run_by(start);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(start, 1);
  buttons->addWidget(make_button(bench().control.pause_action(), QStringLiteral("tuning.pause")));
  buttons->addWidget(make_button(bench().control.cancel_action(), QStringLiteral("tuning.cancel")));
  // However long the form is, its end and its buttons are seen.
  auto* fields = make_column({form_, forecast_});
  qobject_cast<QVBoxLayout*>(fields->layout())->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setObjectName(QStringLiteral("tuning.form"));
  scroll->setAccessibleName(tr("Job"));
  scroll->setWidget(fields);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);                                                    // it follows the focus of its fields
  for (QWidget* part : {scroll->viewport(), fields}) part->setAutoFillBackground(false);  // the card shows through
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(12);
  column->addWidget(scroll, 1);
  column->addWidget(forecast_->headline());
  column->addLayout(buttons);
  return box;
}

QWidget* TuningPage::build_progress() {
  auto* card = make_card();
  state_ = new QLabel(tr("No job is running"));
  state_->setProperty("role", QStringLiteral("section"));
  activity_ = new ElidedLabel(tr("Choose what to measure and press Run."));
  activity_->setProperty("role", QStringLiteral("hint"));
  left_ = new QLabel;
  counts_ = new QLabel;
  counts_->setProperty("role", QStringLiteral("hint"));
  bar_ = new QProgressBar;
  bar_->setObjectName(QStringLiteral("tuning.progress"));
  bar_->setAccessibleName(tr("Progress of the job"));
  bar_->setRange(0, 1000);
  bar_->setValue(0);
  bar_->setTextVisible(false);
  bar_->setMaximumHeight(10);
  card->setObjectName(QStringLiteral("tuning.card"));
  state_->setObjectName(QStringLiteral("tuning.state"));
  activity_->setObjectName(QStringLiteral("tuning.activity"));
  left_->setObjectName(QStringLiteral("tuning.left"));
  counts_->setObjectName(QStringLiteral("tuning.counts"));
  auto* top = new QHBoxLayout;
  top->addWidget(state_, 1);
  top->addWidget(left_);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(activity_, 1);
  bottom->addWidget(counts_);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(6);
  column->addLayout(top);
  column->addWidget(bar_);
  column->addLayout(bottom);
  return card;
}

QWidget* TuningPage::build_live() {
  search_ = new QComboBox;
  search_->setObjectName(QStringLiteral("tuning.search"));
  search_->setAccessibleName(tr("Search to watch"));
  search_->setToolTip(tr("The piece and device whose convergence is drawn"));
  search_->addItem(tr("The search that runs now"), QString());
  search_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  search_->setMinimumContentsLength(30);
  by_seconds_ = new QCheckBox(tr("Over seconds"));
  by_seconds_->setObjectName(QStringLiteral("tuning.bySeconds"));
  by_seconds_->setAccessibleName(tr("Draw over seconds instead of trials"));
  by_seconds_->setToolTip(tr("Draw over seconds instead of trials"));
  plot_ = new PlotPanel(QStringLiteral("tuning.plot"));
  pieces_ = new PieceQueueModel(bench().job, this);
  queue_ = new TableView;
  queue_->setObjectName(QStringLiteral("tuning.queue"));
  queue_->setAccessibleName(tr("Pieces of this job: what runs, what waits, what is done"));
  queue_->setModel(pieces_);
  trials_ = new TableView;
  trials_->setObjectName(QStringLiteral("tuning.trials"));
  trials_->setAccessibleName(tr("Trials of this job, newest first"));
  trials_->setModel(&bench().trials);
  notes_ = new TableView;
  notes_->setObjectName(QStringLiteral("tuning.notes"));
  notes_->setAccessibleName(tr("Notes and warnings of this job, newest last"));
  notes_->setModel(&bench().notes);
  tabs_ = new QTabWidget;
  tabs_->setObjectName(QStringLiteral("tuning.tabs"));
  tabs_->setAccessibleName(tr("Queue, trials and notes"));
  tabs_->addTab(queue_, QString());
  tabs_->addTab(trials_, QString());
  tabs_->addTab(notes_, QString());
  hand_over_from(queue_, [this] { return chosen_piece(); });
  hand_over_from(trials_, [this] { return chosen_trial(); });
  hand_over_from(plot_->canvas(), [this] { return shown_search(); });
  connect(&bench().notes, &NoteModel::changed, this, &TuningPage::notes_changed);
  connect(pieces_, &PieceQueueModel::changed, this, &TuningPage::count_queue);

  auto* bar = new QHBoxLayout;
  bar->addWidget(search_);
  bar->addWidget(by_seconds_);
  bar->addStretch(1);
  auto* upper = new QWidget;
  auto* column = new QVBoxLayout(upper);
  column->setContentsMargins(0, 0, 0, 0);
  column->addLayout(bar);
  column->addWidget(plot_, 1);
  auto* live = make_splitter(Qt::Vertical, {upper, tabs_}, {320, 280});
  stack_ = new QStackedWidget;
  stack_->addWidget(new EmptyState(
      tr("No trials yet"), tr("Trials appear here while a job runs: how each one ended, and how the best time falls."), nullptr));
  stack_->addWidget(live);
  remember(live, QStringLiteral("live"));
  remember(queue_, QStringLiteral("pieces"));
  remember(trials_, QStringLiteral("trials"));
  remember(notes_, QStringLiteral("notes"));
  count_queue();
  notes_changed();
  connect(search_, &QComboBox::currentIndexChanged, this, &TuningPage::show_convergence);
  connect(by_seconds_, &QCheckBox::toggled, this, &TuningPage::show_convergence);
  return stack_;
}

void TuningPage::start() {
  auto read = form_->spec();
  if (!read.ok()) return show_failure(text_of(read.error().message));
  engine::JobSpec spec = std::move(read).value();
  // What is measured is what the other pages are opened for next.
  if (!spec.subjects.empty())
    bench().model.choose({text_of(spec.subjects.front()), spec.bindings.empty() ? QString() : text_of(spec.bindings.front())});
  bench().control.start(std::move(spec), form_->prior());
}

void TuningPage::go_to(const QString& key) {
  form_->set_model(key, {});
}

void TuningPage::take_model(const ModelChoice& choice) {
  form_->set_model(choice.subject, choice.binding);
}

Handed TuningPage::handed_trial(const TrialRow& row) const {
  Handed handed = stored_piece(bench().views, bench().model, row.piece_key);
  handed.piece = text_of(row.piece_name);
  handed.device = text_of(row.device_id);
  handed.trial = text_of(row.id);
  return handed;
}

Handed TuningPage::chosen_trial() const {
  const engine::TrialFinished* const trial = bench().trials.trial(trials_->currentIndex().row());
  return trial == nullptr ? Handed() : handed_trial(trial->row);
}

Handed TuningPage::chosen_piece() const {
  Handed handed = pieces_->handed(queue_->currentIndex().row());
  if (!handed.model.isEmpty()) handed.model = bench().model.subject_of(handed.model);
  return handed;
}

Handed TuningPage::shown_search() const {
  const QString chosen = search_->currentData().toString();
  const QString key = chosen.isEmpty() ? bench().trials.latest_search() : chosen;
  for (int row = 0; const engine::TrialFinished* trial = bench().trials.trial(row); ++row) {
    if (TrialQueueModel::search_of(trial->row) == key) return handed_trial(trial->row);
  }
  return {};
}

void TuningPage::take_scope(const WorkScope& scope) {
  const bool same = scope.devices == scope_.devices && scope.dtype == scope_.dtype;  // another run is no other job
  scope_ = scope;
  if (same) return;
  form_->set_scope(scope.devices, scope.dtype);
}

// A piece is a subject by its graph, and on the device that it was chosen on.
void TuningPage::receive(const Handed& handed) {
  if (handed.graph.isEmpty())
    form_->set_model(handed.model, handed.binding);
  else
    form_->set_model(handed.graph, {});
  form_->set_scope(handed.device.isEmpty() ? scope_.devices : QStringList{handed.device}, handed.dtype);
  if (!handed.level.isEmpty()) form_->set_level(handed.level);
}

std::string TuningPage::own_command() const {
  const auto spec = form_->spec();
  if (!spec.ok()) return {};
  const bool searches = spec.value().verb != engine::JobSpec::Verb::kBench;
  const std::string prior = searches ? form_->prior().toStdString() : std::string();
  return command_of(bench().config, spec.value()) + (prior.empty() ? "" : " --prior " + shell_word(prior));
}

void TuningPage::show_progress(const engine::JobProgress& progress) {
  state_->setText(headline_text(progress, bench().job.stands_still()));
  const QString doing = activity_text(progress);
  activity_->setText(doing);
  activity_->setToolTip(doing);
  left_->setText(progress.seconds_left ? seconds_left_text(*progress.seconds_left) : QString());
  counts_->setText(tr("%1 trials · %2 reused · %3 failed").arg(progress.trials).arg(progress.reused).arg(progress.failed));
  bar_->setValue(static_cast<int>(progress.done * 1000));
}

// Shows why a job did not start or did not come to its end.
void TuningPage::show_failure(const QString& reason) {
  state_->setText(state_text(engine::JobState::kFailed));
  activity_->setText(reason);
  activity_->setToolTip(reason);
  left_->clear();
  refused_->refuse(reason);
}

void TuningPage::job_ended(engine::JobState state, const QString& error) {
  if (!error.isEmpty()) {
    show_failure(error);
  } else {
    state_->setText(state_text(state));
    activity_->setText(tr("What was measured is stored. A second job measures only what is missing."));
    activity_->setToolTip({});
    left_->clear();
  }
  // Nothing runs now: the longest search has most to show.
  const auto& searches = bench().trials.searches();
  const auto longest = std::max_element(searches.begin(), searches.end(), [](const auto& a, const auto& b) {
    return a.second.points.size() < b.second.points.size();
  });
  if (search_->currentIndex() == 0 && longest != searches.end()) search_->setCurrentIndex(search_->findData(longest->first));
}

void TuningPage::trials_grown() {
  const auto& searches = bench().trials.searches();
  const bool any = bench().trials.rowCount() > 0 || bench().notes.rowCount() > 0 || !bench().job.tables().empty();
  stack_->setCurrentIndex(any || bench().job.active() ? 1 : 0);
  const QSignalBlocker quiet(search_);
  if (static_cast<int>(searches.size()) + 1 < search_->count()) {  // a new job began
    while (search_->count() > 1) search_->removeItem(1);
    search_->setCurrentIndex(0);
  }
  for (const auto& [key, search] : searches) {
    if (search_->findData(key) < 0) search_->addItem(search.title, key);
  }
  count_queue();
  show_convergence();
}

// A bar of tabs is laid out again even where the text is the same.
void TuningPage::name_tab(int index, const QString& text) {
  if (tabs_->tabText(index) != text) tabs_->setTabText(index, text);
}

void TuningPage::count_queue() {
  const QString open = count_text(pieces_->unmeasured());
  const QString how_many = bench().job.active() ? tr("Queue (%1 waiting)") : tr("Queue (%1 not measured)");
  name_tab(0, pieces_->unmeasured() > 0 ? how_many.arg(open) : tr("Queue"));
  const int trials = bench().job.trials();  // as on the card: the table keeps the newest only
  name_tab(1, trials > 0 ? tr("Trials (%1)").arg(count_text(trials)) : tr("Trials"));
}

void TuningPage::notes_changed() {
  const int notes = bench().notes.rowCount(), warnings = bench().notes.warnings();
  QString text = notes > 0 ? tr("Notes (%1)").arg(count_text(notes)) : tr("Notes");
  if (warnings > 0) text = tr("Notes (%1, %2)").arg(count_text(notes), counted_text(warnings, tr("warning"), tr("warnings")));
  name_tab(2, text);
  notes_->scrollToBottom();
}

void TuningPage::show_convergence() {
  const auto& searches = bench().trials.searches();
  const QString chosen = search_->currentData().toString();
  const auto found = searches.find(chosen.isEmpty() ? bench().trials.latest_search() : chosen);
  const bool seconds = by_seconds_->isChecked();
  if (found == searches.end()) return plot_->set_spec(convergence_plot({}, seconds, {}));
  // A job has more trials than one curve has points: other pieces, the unfused plan, the winners once more.
  const auto& points = found->second.points;
  const QString shown = tr("%1: %2 of %3")
                            .arg(found->second.title, count_text(static_cast<std::int64_t>(points.size())),
                                 counted_text(bench().job.trials(), tr("trial"), tr("trials")));
  plot_->set_spec(convergence_plot(points, seconds, shown));
}

Page* make_tuning_page(const Workbench& bench) {
  return new TuningPage(bench);
}

}  // namespace fuselab::gui
