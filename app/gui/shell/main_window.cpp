// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QStyle>
#include <QTimer>
#include <QToolBar>
#include <tuple>
#include <utility>

#include "app/engine/job/wait_note.h"
#include "app/gui/look/accessible_roles.h"
#include "app/gui/look/elided_label.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/tab_order.h"
#include "app/gui/look/window_words.h"
#include "app/gui/pages/page_spec.h"
#include "app/gui/parts/quiet_frame.h"
#include "app/gui/shell/about.h"
#include "app/gui/shell/command_palette.h"
#include "app/gui/shell/doctor_dialog.h"
#include "app/gui/shell/guide.h"
#include "app/gui/shell/job_questions.h"
#include "app/gui/shell/menus.h"
#include "app/gui/shell/model_bar.h"
#include "app/gui/shell/model_check.h"
#include "app/gui/shell/trust_dialog.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

const QString kWindowKey = QStringLiteral("window");
const QString kDatabasesKey = QStringLiteral("databases");
constexpr int kMostDatabases = 6;  // in the menu

}  // namespace

MainWindow::MainWindow(EngineFactory factory, Settings& settings, Options options)
    : settings_(settings),
      options_(std::move(options)),
      engine_(std::move(factory)),
      control_(engine_, job_, options_.read_only),
      views_(engine_, job_),
      runs_(engine_, views_),
      trials_(job_),
      notes_(job_),
      model_(settings) {
  install_accessible_roles();
  setObjectName(QStringLiteral("mainWindow"));
  setWindowIcon(icon(Glyph::kProgram));
  setWindowTitle(options_.database.isEmpty() ? tr("Fuselab") : tr("%1 – Fuselab").arg(QFileInfo(options_.database).fileName()));
  control_.set_default_spec(options_.default_spec);
  build_navigation();
  build_tool_bar();
  build_status_bar();
  build_shortcuts();
  build_menus();
  const std::vector<std::string>& subjects = options_.default_spec.subjects;
  const std::vector<std::string>& bindings = options_.default_spec.bindings;
  if (subjects.size() == 1) model_.choose({text_of(subjects.front()), bindings.empty() ? QString() : text_of(bindings.front())});
  connect(&model_, &CurrentModel::changed, this, &MainWindow::hand_model_over);
  connect(&model_, &CurrentModel::changed, this, &MainWindow::check_model);
  connect(&model_, &CurrentModel::scope_changed, this, [this] {
    views_.set_scope(model_.scope());
    hand_scope_over();
    name_run();
  });
  connect(&runs_, &RunList::changed, this, [this] {
    model_bar_->set_runs(runs_.runs());
    name_run();
  });
  connect(&views_, &Snapshots::devices_changed, this, [this] { model_bar_->set_devices(views_.usable_devices()); });
  // At scale 2 a screen may be smaller than that.
  const QSize room = screen()->availableSize() - QSize(0, style()->pixelMetric(QStyle::PM_TitleBarHeight));
  setMinimumSize(kSmallest.boundedTo(room));
  resize(kUsual.boundedTo(room));
  restoreGeometry(settings_.layout(kWindowKey));

  connect(&engine_, &EngineLink::opened, this, [this] {
    opened_ = true;
    show_stored();
    check_model();
    if (options_.run) control_.start_default();
  });
  connect(&engine_, &EngineLink::open_failed, this, [this](const QString& reason) {
    opened_ = true;
    show_message(reason, Tone::kBad);
  });
  connect(&job_, &JobBridge::started, this, [this] { model_.choose_run({}); });  // the figures of an older run would hide its own
  connect(&job_, &JobBridge::progressed, this, &MainWindow::show_progress);
  connect(&job_, &JobBridge::ended, this, &MainWindow::job_ended);
  connect(&job_, &JobBridge::trials_finished, this, &MainWindow::end_wait);
  connect(&notes_, &NoteModel::changed, this, &MainWindow::show_last_note);
  connect(&control_, &JobControl::run_wanted, this, &MainWindow::press_run);
  connect(&control_, &JobControl::measure_wanted, this, [this] { ask_for_main_job(engine_, control_, this); });
  connect(&control_, &JobControl::failed, this, [this](const QString& message) { show_message(message, Tone::kBad); });
  connect(&views_, &Snapshots::failed, this, [this](const QString& message) { show_message(message, Tone::kBad); });
  for (const auto signal : {&Snapshots::tables_changed, &Snapshots::trials_changed})
    connect(&views_, signal, this, [this] {
      if (!shown_stored_) show_stored();
    });
  connect(&views_, &Snapshots::following_changed, this, &MainWindow::show_stored);
}

Workbench MainWindow::bench() {
  return {engine_,
          job_,
          control_,
          views_,
          trials_,
          notes_,
          settings_,
          options_.subjects,
          options_.history_files,
          options_.other_databases,
          model_,
          options_.config,
          runs_};
}

bool MainWindow::is_settled() const {
  return opened_ && engine_.is_idle();
}

void MainWindow::build_navigation() {
  navigation_ = new QListWidget(this);
  navigation_->setObjectName(QStringLiteral("navigation"));
  navigation_->setAccessibleName(tr("Pages"));
  navigation_->setIconSize(QSize(20, 20));
  navigation_->setFixedWidth(150);
  navigation_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (const PageSpec& spec : page_specs()) {
    auto* item = new QListWidgetItem(icon(spec.icon), title_of(spec.id), navigation_);
    item->setSizeHint(QSize(0, 40));
    item->setToolTip(QStringLiteral("%1 (%2)").arg(title_of(spec.id), QLatin1String(spec.shortcut)));
  }
  stack_ = new QStackedWidget(this);
  stack_->setObjectName(QStringLiteral("pages"));
  auto* central = new QWidget(this);
  auto* row = new QHBoxLayout(central);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(navigation_);
  row->addWidget(new QuietFrame(stack_, central), 1);
  setCentralWidget(central);
  connect(navigation_, &QListWidget::currentRowChanged, this, [this](int chosen) {
    if (chosen >= 0) show_page(kAllPages[chosen]);
  });
}

void MainWindow::build_tool_bar() {
  auto* bar = addToolBar(tr("Job"));
  bar->setObjectName(QStringLiteral("toolBar"));
  bar->setMovable(false);
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  bar->setIconSize(QSize(16, 16));
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  for (QAction* action : {control_.run_action(), control_.pause_action(), control_.cancel_action()}) {
    bar->addAction(action);
    QWidget* button = bar->widgetForAction(action);
    button->setObjectName(QStringLiteral("toolBar.") +
                          (action == control_.run_action() ? QStringLiteral("run") : action->text().toLower()));
    button->setAccessibleName(action->text());
    connect(action, &QAction::changed, button, [button, action] { button->setAccessibleName(action->text()); });
    button->setFocusPolicy(Qt::TabFocus);
  }
  model_bar_ = new ModelBar(model_, options_.subjects, this);
  addToolBar(model_bar_);
  commands_ << model_bar_->back_action() << model_bar_->forward_action();
}

void MainWindow::build_status_bar() {
  state_ = new ElidedLabel(tr("Opening the database…"), this);
  state_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);  // as much as it says, and less where there is less
  state_->setObjectName(QStringLiteral("status.state"));
  state_->setMargin(4);
  activity_ = new ElidedLabel({}, this);
  activity_->setObjectName(QStringLiteral("status.activity"));
  activity_->setProperty("role", QStringLiteral("hint"));
  note_ = new ElidedLabel({}, this);
  note_->setObjectName(QStringLiteral("status.note"));
  note_->hide();
  bar_ = new QProgressBar(this);
  bar_->setObjectName(QStringLiteral("status.progress"));
  bar_->setAccessibleName(tr("Progress of the job"));
  bar_->setRange(0, 1000);
  bar_->setFixedWidth(180);
  bar_->setMaximumHeight(16);
  bar_->hide();
  counts_ = new QLabel(this);
  counts_->setObjectName(QStringLiteral("status.counts"));
  counts_->setMargin(4);
  auto* const line = new QWidget(this);
  auto* const row = new QHBoxLayout(line);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* part : std::initializer_list<QWidget*>{state_, bar_, activity_, note_, counts_})
    row->addWidget(part, part == activity_ || part == note_ ? 1 : 0);
  statusBar()->setSizeGripEnabled(false);
  statusBar()->addWidget(new QuietFrame(line, this), 1);
}

void MainWindow::build_shortcuts() {
  for (const PageSpec& spec : page_specs()) {
    auto* action = new QAction(tr("Go to %1").arg(title_of(spec.id)), this);
    action->setShortcut(QKeySequence(QLatin1String(spec.shortcut)));
    connect(action, &QAction::triggered, this, [this, id = spec.id] { show_page(id); });
    addAction(action);
    commands_ << action;
    page_actions_ << action;
  }
  commands_ << control_.run_action() << control_.pause_action() << control_.cancel_action() << control_.measure_action();
  auto* const themes = new QActionGroup(this);
  for (ThemeChoice choice : {ThemeChoice::kSystem, ThemeChoice::kDark, ThemeChoice::kLight}) {
    auto* action = themes->addAction(tr("Theme: %1").arg(name_of(choice)));
    action->setCheckable(true);
    action->setChecked(choice == settings_.theme());
    connect(action, &QAction::triggered, this, [this, choice] { set_theme(choice); });
    commands_ << action;
    theme_actions_ << action;
  }
  palette_ = new CommandPalette([this] { return commands(); }, this);
  auto* open = new QAction(tr("Commands…"), this);
  open->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
  connect(open, &QAction::triggered, palette_, &CommandPalette::popup);
  addAction(open);
  palette_action_ = open;
}

void MainWindow::build_menus() {
  QStringList databases = settings_.files(kDatabasesKey);
  databases.removeAll(options_.database);
  const auto fill_selected = [this](QMenu& menu) {
    qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
    menu.clear();
    page(current_)->fill_ways_on(menu);
  };
  const auto fill_recent_models = [this](QMenu& menu) {
    menu.clear();
    for (const QString& subject : model_.recent())
      menu.addAction(subject, &model_, [this, subject] { model_.choose({subject, {}}); });
  };
  Menus menus{fill_selected,
              fill_recent_models,
              {control_.run_action(), control_.pause_action(), control_.cancel_action(), control_.measure_action()},
              page_actions_,
              theme_actions_,
              palette_action_,
              databases,
              [this](const QString& file) { open_database(file); },
              [this] {
                show_page(PageId::kModels);
                for (const Command& command : page(PageId::kModels)->commands()) {
                  if (command.shortcut == QKeySequence(QKeySequence::Open).toString(QKeySequence::NativeText)) return command.run();
                }
              },
              [this] { (new DoctorDialog(options_.config, this))->show(); },
              [this] {
                auto* const dialog = new TrustDialog(options_.config, this);
                connect(dialog, &TrustDialog::trusted, &views_, &Snapshots::reload_stored);
                dialog->show();
              },
              [this] { show_guide(title_of(current_), this); },
              [this] { show_about(options_.database, this); },
              [this] { close(); }};
  fill_menu_bar(*menuBar(), menus);
  for (QAction* menu : menuBar()->actions()) {
    for (QAction* action : menu->menu()->actions()) {
      if (action->objectName().startsWith(QStringLiteral("menu."))) commands_ << action;
    }
  }
  if (options_.database.isEmpty()) return;
  databases.prepend(options_.database);
  settings_.set_files(kDatabasesKey, databases.mid(0, kMostDatabases));
}

// One program has one database: another one opens beside it.
void MainWindow::open_database(const QString& file) {
  const QString chosen = !file.isEmpty()
                             ? file
                             : QFileDialog::getOpenFileName(this, tr("Open another database"), QFileInfo(options_.database).path(),
                                                            tr("Databases (*.db);;All files (*)"));
  if (chosen.isEmpty()) return;
  if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), {QStringLiteral("--db"), chosen}))
    show_message(tr("The program could not be started again for %1").arg(chosen), Tone::kBad);
}

std::vector<Command> MainWindow::commands() {
  std::vector<Command> all;
  for (QAction* action : commands_) all.push_back(command_of(action));
  for (Command& command : page(current_)->commands()) all.push_back(std::move(command));
  return all;
}

Page* MainWindow::page(PageId id) {
  Page*& slot = pages_[static_cast<std::size_t>(id)];
  if (slot == nullptr) {
    slot = spec_of(id).make(bench());
    stack_->addWidget(slot);
    order_tabs(*slot);
    slot->show_run(runs_.name_of(model_.scope().run));
    connect(slot, &Page::navigate, this, &MainWindow::show_page);
    connect(slot, &Page::handed_over, this, &MainWindow::hand_over);
    connect(slot, &Page::told, this, [this](const QString& message) { show_message(message, Tone::kNeutral); });
    connect(slot, &Page::run_changed, this, [this, slot] {
      if (slot == page(current_)) follow_run();
    });
    for (const TableView* table : slot->findChildren<TableView*>()) {
      connect(table, &TableView::copied, this, [this](const QString& what) { show_message(what, Tone::kNeutral); });
      connect(table, &TableView::not_copied, this, [this](const QString& why) { show_message(why, Tone::kBad); });
    }
  }
  return slot;
}

void MainWindow::show_page(PageId id, const QString& key) {
  if (id != current_) model_.name_shown({});  // by the page before
  current_ = id;
  Page* shown = page(id);
  stack_->setCurrentWidget(shown);
  {
    const QSignalBlocker quiet(navigation_);
    navigation_->setCurrentRow(static_cast<int>(id));
  }
  settings_.set_page(name_of(id));
  follow_run();
  hand_scope_over();
  if (!key.isEmpty())
    shown->go_to(key);
  else
    hand_model_over();
}

void MainWindow::hand_scope_over() {
  WorkScope& taken = taken_scopes_[static_cast<std::size_t>(current_)];
  if (taken == model_.scope()) return;
  taken = model_.scope();
  page(current_)->take_scope(taken);
}

void MainWindow::name_run() {
  for (Page* built : pages_) {
    if (built != nullptr) built->show_run(runs_.name_of(model_.scope().run));
  }
}

void MainWindow::check_model() {
  const ModelChoice asked = model_.choice();
  if (!engine_.is_open() || asked.subject.isEmpty()) return;
  engine_.query(
      this, [asked](engine::Engine& opened) { return check_choice(opened.config(), asked); },
      [this, asked](const Status& checked) {
        if (asked == model_.choice()) model_bar_->show_check(checked.ok() ? QString() : window_words(checked.error()));
      });
}

// The page that hands over keeps what it shows.
void MainWindow::hand_over(PageId id, const Handed& handed) {
  if (id != current_) model_.name_shown({});
  current_ = id;
  page(id)->catch_up();  // or it looks for the model in what it showed before
  model_.choose({handed.model, handed.binding});
  if (!handed.run.isEmpty()) model_.choose_run(handed.run);
  show_page(id);
  page(id)->receive(handed);
}

void MainWindow::hand_model_over() {
  ModelChoice& taken = taken_[static_cast<std::size_t>(current_)];
  if (taken == model_.choice()) return;
  taken = model_.choice();
  page(current_)->take_model(taken);
}

void MainWindow::follow_run() {
  const QAbstractButton* const button = page(current_)->run_button();
  control_.run_action()->setEnabled(button != nullptr && button->isEnabled());
  control_.run_action()->setToolTip(
      button != nullptr ? tr("%1 (F5)").arg(button->toolTip())
                        : tr("%1 runs nothing. Run belongs to Tuning, Models, Profile, Export and Gate").arg(title_of(current_)));
}

void MainWindow::press_run() {
  if (QAbstractButton* const button = page(current_)->run_button()) button->click();
}

void MainWindow::set_theme(ThemeChoice choice) {
  settings_.set_theme(choice);
  apply_theme(*qApp, choice);
}

void MainWindow::show_message(const QString& message, Tone tone) {
  if (job_.active() && tone == Tone::kMuted) return;
  if (tone == Tone::kBad) shown_stored_ = true;
  QPalette colors = QApplication::palette();
  colors.setColor(QPalette::WindowText, colors_for(this).of(tone));
  state_->setPalette(tone == Tone::kMuted ? QPalette() : colors);
  state_->setText(message);
  state_->setToolTip(tone == Tone::kBad ? message : QString());
}

// Says that the window is ready once all that is stored was read and checked; what went wrong meanwhile stays.
void MainWindow::show_stored() {
  const QString count = counted_text(views_.trial_count(), tr("trial"), tr("trials"));
  shown_stored_ = !views_.loading() && !views_.checking();
  const QString ready = options_.read_only ? tr("Ready, read-only") : tr("Ready");
  show_message(views_.following()         ? tr("Following a run of another process")
               : shown_stored_            ? ready
               : views_.checking()        ? tr("Checking %1…").arg(count)
               : views_.trial_count() > 0 ? tr("Loading %1…").arg(count)
                                          : tr("Looking for what is stored…"),
               Tone::kMuted);
}

// Shows the last log line below every page, so that nobody has to look for what a job waits for or leaves out.
void MainWindow::show_last_note() {
  const engine::LogLine* const last = notes_.last();
  note_->setVisible(last != nullptr);
  if (last == nullptr) return;
  QPalette colors = QApplication::palette();
  colors.setColor(QPalette::WindowText, colors_for(this).of(tone_of(last->level)));
  note_->setPalette(colors);
  note_->setText(window_words(last->text));
  note_->setToolTip(window_words(last->text));
  waiting_.reset();
  if (job_.active() && engine::is_wait_note(*last)) waiting_ = job_.progress();
}

// Said once, it must not stay when the job goes on or has ended.
void MainWindow::end_wait() {
  if (std::exchange(waiting_, std::nullopt)) note_->hide();
}

void MainWindow::show_progress(const engine::JobProgress& progress) {
  const auto step = [](const engine::JobProgress& at) { return std::tie(at.phase, at.activity, at.detail, at.reused); };
  if (waiting_ && step(*waiting_) != step(progress)) end_wait();
  state_->setPalette(QPalette());
  state_->setText(headline_text(progress, job_.stands_still()));
  bar_->show();
  bar_->setValue(static_cast<int>(progress.done * 1000));
  QString text = activity_text(progress);
  if (progress.seconds_left)
    text += (text.isEmpty() ? QString() : QStringLiteral(" · ")) + seconds_left_text(*progress.seconds_left);
  activity_->setText(text);
  activity_->setToolTip(text);
  counts_->setText(tr("%1 trials · %2 reused · %3 failed").arg(progress.trials).arg(progress.reused).arg(progress.failed));
}

void MainWindow::job_ended(engine::JobState state, const QString& error) {
  end_wait();
  bar_->hide();
  activity_->clear();
  show_message(error.isEmpty() ? state_text(state) : tr("Failed: %1").arg(error), error.isEmpty() ? Tone::kNeutral : Tone::kBad);
}

void MainWindow::paintEvent(QPaintEvent* event) {
  QMainWindow::paintEvent(event);
  if (std::exchange(painted_, true)) return;
  // Discovery and the database must not delay the first picture.
  QTimer::singleShot(0, this, [this] { engine_.open(); });
}

void MainWindow::stop_and_close() {
  closes_ = true;
  close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (job_.active() && !closes_) {
    event->ignore();
    return ask_to_stop(job_, this, [this] { stop_and_close(); });
  }
  settings_.set_layout(kWindowKey, saveGeometry());
  for (Page* built : pages_) {
    if (built != nullptr) built->save_layout();
  }
  settings_.sync();
  job_.cancel();
  event->accept();
}

}  // namespace fuselab::gui
