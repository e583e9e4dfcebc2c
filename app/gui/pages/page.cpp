// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "app/gui/plots/figure_panel.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

QLabel* make_label(const QString& text, const char* role, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setProperty("role", QLatin1String(role));
  return label;
}

}  // namespace

Page::Page(PageId id, const QString& subtitle, Workbench bench, QWidget* parent)
    : QWidget(parent), id_(id), bench_(bench), body_(new QVBoxLayout(this)), header_(new QHBoxLayout), said_(subtitle) {
  setObjectName(name_of(id));
  setAccessibleName(title_of(id));
  subtitle_ = make_label(subtitle, "subtitle", this);
  subtitle_->setObjectName(name_of(id) + QStringLiteral(".subtitle"));
  subtitle_->setWordWrap(true);  // a long sentence must not widen the window
  header_->setSpacing(8);
  auto* top = new QHBoxLayout;
  top->addWidget(make_label(title_of(id), "title", this), 1);
  top->addLayout(header_);
  // The sentence has the whole width: beside the controls a narrow window would squeeze it into a column.
  auto* titles = new QVBoxLayout;
  titles->setSpacing(3);
  titles->addLayout(top);
  titles->addWidget(subtitle_);
  body_->setContentsMargins(16, 8, 16, 8);
  body_->setSpacing(8);
  body_->addLayout(titles);
}

void Page::go_to(const QString& /*key*/) {}

void Page::set_subtitle(const QString& text) {
  said_ = text;
  show_subtitle();
}

void Page::show_run(const QString& name) {
  run_name_ = name;
  show_subtitle();
}

void Page::show_subtitle() {
  QStringList parts{run_name_.isEmpty() ? QString() : run_words(run_name_), said_};
  parts.removeAll(QString());
  subtitle_->setText(parts.join(QStringLiteral(" · ")));
}

QString Page::run_words(const QString& /*name*/) const {
  return tr("The chosen run has no effect here");
}

QString Page::only_run_words(const QString& name) {
  return tr("Only the run “%1”").arg(name);
}

void Page::run_by(QAbstractButton* button) {
  run_button_ = button;
  button->installEventFilter(this);
  emit run_changed();
}

bool Page::eventFilter(QObject* watched, QEvent* event) {
  if (watched == run_button_ && (event->type() == QEvent::EnabledChange || event->type() == QEvent::ToolTipChange))
    emit run_changed();
  return QWidget::eventFilter(watched, event);
}

void Page::refresh_when_shown(std::function<void()> refresh) {
  if (isVisible()) return refresh();
  missed_refresh_ = std::move(refresh);
}

void Page::catch_up() {
  if (const auto missed = std::exchange(missed_refresh_, nullptr)) missed();
}

void Page::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  catch_up();
}

void Page::when_unopened(const std::function<void(const QString& reason)>& tell) {
  if (!bench_.engine.failure().isEmpty()) tell(bench_.engine.failure());
  connect(&bench_.engine, &EngineLink::open_failed, this, tell);
}

void Page::explain_when_unopened(EmptyState* state) {
  when_unopened([state](const QString& reason) { state->show_problem(tr("The database cannot be opened"), reason); });
}

void Page::offer(const QString& text, const QKeySequence& shortcut, const QWidget* widget, std::function<void()> run) {
  offers_.push_back({{text, shortcut.toString(QKeySequence::NativeText), true, std::move(run)}, widget});
}

namespace {

// Returns the visible table whose rows are chosen; of several, the focused one.
TableView* table_to_copy(const Page& page) {
  TableView* found = nullptr;
  for (TableView* table : page.findChildren<TableView*>()) {
    if (!table->isVisible() || table->selected_rows().empty()) continue;
    if (found == nullptr || table->hasFocus()) found = table;
  }
  return found;
}

}  // namespace

QStringList Page::known_subjects() const {
  QStringList names = bench_.model.recent();
  for (const std::string& subject : bench_.subjects) names << QString::fromStdString(subject);
  return names;
}

bool Page::opens(const QString& model) const {
  return known_subjects().contains(model) || model.contains(u'(') || QFileInfo::exists(model);
}

// The marks that have the focus; else the first that are shown and have a chosen one.
std::vector<WayOn> Page::ways_on_from_chosen() const {
  const Marks* found = nullptr;
  for (const Marks& marks : marks_) {
    if (!marks.widget->isVisible() || marks.chosen() == Handed()) continue;
    if (found == nullptr || marks.widget->hasFocus()) found = &marks;
  }
  return found == nullptr ? std::vector<WayOn>() : ways_on(found->chosen(), id_, bench_.config);
}

void Page::copy_command(const std::string& command) {
  QApplication::clipboard()->setText(QString::fromStdString(command));
  emit told(tr("Copied: %1").arg(QString::fromStdString(command)));
}

void Page::fill_ways_on(QMenu& menu) {
  add_ways_on(
      menu, ways_on_from_chosen(), own_command(), [this](const WayOn& way) { emit handed_over(way.page, way.handed); },
      [this](const std::string& command) { copy_command(command); });
}

void Page::hand_over_from(QWidget* marks, std::function<Handed()> chosen) {
  marks_.push_back({marks, std::move(chosen)});
  marks->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(marks, &QWidget::customContextMenuRequested, this, [this, marks](const QPoint& at) {
    marks->setFocus();
    auto* const menu = new QMenu(marks);
    menu->setObjectName(QStringLiteral("handover"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fill_ways_on(*menu);
    if (!marks->actions().isEmpty()) {
      menu->addSeparator();
      menu->addActions(marks->actions());
    }
    const auto* const area = qobject_cast<QAbstractScrollArea*>(marks);
    menu->popup((area == nullptr ? marks : area->viewport())->mapToGlobal(at));
  });
}

std::vector<Command> Page::commands() const {
  std::vector<Command> all;
  for (const Offer& offer : offers_) {
    all.push_back(offer.command);
    all.back().enabled = offer.widget->isVisible() && offer.widget->isEnabled();
  }
  for (const WayOn& way : ways_on_from_chosen())
    all.push_back({way.text, {}, true, [page = const_cast<Page*>(this), way] { emit page->handed_over(way.page, way.handed); }});
  bool any = false;
  for (FigurePanel* panel : findChildren<FigurePanel*>()) {
    if (!panel->isVisible()) continue;
    any = true;
    for (Command& command : panel->commands()) all.push_back(std::move(command));
  }
  if (!any) all.push_back({FigurePanel::export_words(), {}, false, {}});
  TableView* const table = table_to_copy(*this);
  all.push_back({tr("Copy the chosen rows as CSV"), QStringLiteral("Ctrl+C"), table != nullptr, [table] { table->copy_csv(); }});
  all.push_back({tr("Copy the chosen rows as Markdown"), QStringLiteral("Ctrl+Shift+C"), table != nullptr,
                 [table] { table->copy_markdown(); }});
  return all;
}

void Page::save_layout() {
  for (const auto& save : savers_) save();
}

void Page::remember(QSplitter* splitter, const QString& name) {
  const QString key = name_of(id_) + QLatin1Char('.') + name;
  if (const QByteArray state = bench_.settings.layout(key); !state.isEmpty()) splitter->restoreState(state);
  savers_.emplace_back([this, splitter, key] { bench_.settings.set_layout(key, splitter->saveState()); });
}

void Page::remember(TableView* table, const QString& name, bool grows) {
  const QString key = name_of(id_) + QLatin1Char('.') + name;
  // Columns depend on the devices: each number of columns has a layout of its own, restored whenever it appears.
  const auto key_now = [table, key] { return QStringLiteral("%1.own.%2").arg(key).arg(table->horizontalHeader()->count()); };
  const auto restore = [this, table, key_now, grows] {
    if (grows && table->has_own_widths()) return;
    table->apply_widths();
    const QByteArray state = bench_.settings.layout(key_now());
    if (!state.isEmpty() && table->horizontalHeader()->restoreState(state)) table->keep_own_widths();
  };
  connect(table->horizontalHeader(), &QHeaderView::sectionCountChanged, this, restore);
  restore();
  savers_.emplace_back([this, table, key_now] {
    if (table->has_own_widths()) bench_.settings.set_layout(key_now(), table->horizontalHeader()->saveState());
  });
}

EmptyState::EmptyState(const QString& title, const QString& text, QAction* action, QWidget* parent)
    : QWidget(parent), title_(make_label(title, "headline", this)), text_(make_label(text, "hint", this)) {
  title_->setObjectName(QStringLiteral("emptyTitle"));
  title_->setAlignment(Qt::AlignCenter);
  title_->setWordWrap(true);
  text_->setAlignment(Qt::AlignCenter);
  text_->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->addStretch(2);
  column->addWidget(title_);
  column->addWidget(text_);
  if (action != nullptr) {
    button_ = new QPushButton(action->text(), this);
    button_->setObjectName(QStringLiteral("emptyAction"));
    button_->setProperty("primary", true);
    button_->setAccessibleName(action->text());
    button_->setToolTip(action->toolTip());
    button_->setEnabled(action->isEnabled());
    connect(button_, &QPushButton::clicked, action, &QAction::trigger);
    connect(action, &QAction::changed, button_, [button = button_, action] {
      button->setText(action->text());
      button->setAccessibleName(action->text());
      button->setToolTip(action->toolTip());
      button->setEnabled(action->isEnabled());
    });
    column->addSpacing(12);
    column->addWidget(button_, 0, Qt::AlignCenter);
  }
  column->addStretch(3);
}

void EmptyState::set_text(const QString& title, const QString& text) {
  title_->setText(title);
  text_->setText(text);
  if (button_ != nullptr) button_->show();
}

void EmptyState::show_problem(const QString& title, const QString& text) {
  set_text(title, text);
  if (button_ != nullptr) button_->hide();
}

}  // namespace fuselab::gui
