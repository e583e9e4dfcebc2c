// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/runs/runs_page.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <utility>

#include "app/engine/compare/runs/card_words.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/tables/fact_view.h"
#include "core/base/words.h"

namespace fuselab::gui {
namespace {

constexpr int kNoteHeight = 64;  // pixels
const Named kNamed{"runs."};

std::vector<std::string> words_of(const QString& text) {
  static const QRegularExpression between(QStringLiteral("[,\\s]+"));
  std::vector<std::string> words;
  for (const QString& word : text.split(between, Qt::SkipEmptyParts)) words.push_back(word.toStdString());
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

RunsPage::RunsPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kRuns, tr("What was measured, when and where: names, tags, notes and the baseline of each model"), bench_in,
           parent),
      model_(new RunModel(this)),
      card_(new CardModel(this)) {
  build_header();
  build_body();
  connect(&bench().runs, &RunList::changed, this, &RunsPage::refresh);
  scope_run_ = bench().model.scope().run;
  wanted_ = scope_run_.toStdString();
  refresh();
}

QPushButton* RunsPage::add_button(const QString& name, const QString& text, const QString& tip, const QKeySequence& shortcut,
                                  void (RunsPage::*act)()) {
  const QString keys = shortcut.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(shortcut.toString(QKeySequence::NativeText));
  auto* button = kNamed(new QPushButton(text, this), name.toLatin1().constData(), text, tip + keys);
  button->setShortcut(shortcut);
  connect(button, &QPushButton::clicked, this, act);
  offer(text, shortcut, button, [button] { button->click(); });
  return button;
}

void RunsPage::build_header() {
  pin_ = add_button(QStringLiteral("pin"), tr("Pin as baseline"),
                    tr("Compare later runs of the same models with this one; the baseline before it is unpinned"),
                    QKeySequence(tr("Ctrl+B")), &RunsPage::pin);
  compare_ = add_button(QStringLiteral("compare"), tr("Compare"),
                        tr("Show this run on Diff beside the baseline, or beside the run before it"),
                        QKeySequence(tr("Ctrl+Shift+D")), &RunsPage::compare);
  header()->addWidget(pin_);
  header()->addWidget(compare_);
}

QWidget* RunsPage::build_detail() {
  name_ = kNamed(new QLineEdit, "name", tr("Name"), tr("One line; empty: the run is called after what it measured (F2)"));
  tags_ = kNamed(new QLineEdit, "tags", tr("Tags"), tr("Words, with blanks or commas between them"));
  note_ = kNamed(new QPlainTextEdit, "note", tr("Note"), tr("Text of any kind"));
  note_->setMaximumHeight(kNoteHeight);
  note_->setTabChangesFocus(true);
  save_ = add_button(QStringLiteral("save"), tr("Save"), tr("Store name, tags and note with the run"), QKeySequence::Save,
                     &RunsPage::save);
  problem_ = make_line(QStringLiteral("runs.problem"));
  card_table_ = new FactView;
  card_table_->setObjectName(QStringLiteral("runs.card"));
  card_table_->setAccessibleName(tr("Environment of the chosen run"));
  card_table_->setModel(card_);
  for (QLineEdit* line : {name_, tags_}) connect(line, &QLineEdit::returnPressed, this, &RunsPage::save);
  const auto label = [](const QString& text, QWidget* buddy) {
    auto* shown = new QLabel(text);
    shown->setBuddy(buddy);
    return shown;
  };
  return make_column({make_row({label(tr("&Name"), name_), name_}, name_),
                      make_row({label(tr("&Tags"), tags_), tags_, save_}, tags_), note_, problem_, card_table_});
}

void RunsPage::build_body() {
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("runs.table"));
  table_->setAccessibleName(tr("Stored runs"));
  table_->setModel(model_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  auto* parts = make_splitter(Qt::Horizontal, {table_, build_detail()}, {620, 400});
  empty_ = new EmptyState(tr("Nothing measured yet"), tr("Each job that measures something is listed here as a run."),
                          bench().control.measure_action());
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(parts);
  body()->addWidget(stack_, 1);
  remember(parts, QStringLiteral("parts"));
  remember(table_, QStringLiteral("table"));
  connect(table_, &TableView::row_chosen, this, &RunsPage::show_row);
  hand_over_from(table_, [this] { return chosen_run(); });
  auto* rename = new QAction(tr("Name this run"), table_);
  rename->setShortcut(QKeySequence(Qt::Key_F2));
  rename->setShortcutContext(Qt::WidgetShortcut);
  connect(rename, &QAction::triggered, this, &RunsPage::edit_name);
  offer(rename->text(), rename->shortcut(), table_, [this] { edit_name(); });
  table_->addAction(rename);
  for (QPushButton* button : {pin_, compare_}) {
    auto* action = new QAction(button->text(), table_);
    connect(action, &QAction::triggered, button, &QPushButton::click);
    table_->addAction(action);
  }
}

void RunsPage::refresh() {
  const RunList& list = bench().runs;
  if (list.failure().isEmpty() && bench().views.catalog() == nullptr) return;  // not read yet
  if (!list.failure().isEmpty()) empty_->show_problem(tr("The runs cannot be read"), list.failure());
  const auto pinned =
      std::count_if(list.runs().begin(), list.runs().end(), [](const engine::ListedRun& run) { return run.run.marks.pinned; });
  set_subtitle(tr("%1 · %2").arg(counted_text(std::ssize(list.runs()), tr("run"), tr("runs")),
                                 counted_text(pinned, tr("baseline"), tr("baselines"))));
  const std::string kept = wanted_.empty() ? shown_ : wanted_;
  model_->set_runs(list.runs());
  if (model_->row_of(wanted_) >= 0) wanted_.clear();
  stack_->setCurrentIndex(model_->run(0) == nullptr ? 0 : 1);
  table_->select_row(std::max(0, model_->row_of(kept)));
  show_row(table_->currentIndex().row());
}

const engine::ListedRun* RunsPage::chosen() const {
  return model_->run(table_->currentIndex().row());
}

void RunsPage::show_row(int row) {
  const engine::ListedRun* const listed = model_->run(row);
  const bool changes = listed != nullptr && bench().engine.is_open() && !bench().engine.engine()->config().read_only;
  for (QWidget* part : std::initializer_list<QWidget*>{name_, tags_, note_, save_, pin_}) part->setEnabled(changes);
  compare_->setEnabled(listed != nullptr);
  if (listed == nullptr) return;
  const RunMarks& marks = listed->run.marks;
  pin_->setText(marks.pinned ? tr("Unpin") : tr("Pin as baseline"));
  pin_->setAccessibleName(pin_->text());
  // What is being typed outlives news of the database and a look at other runs.
  if (shown_ == listed->run.id && has_changes()) return;
  keep_texts();
  shown_ = listed->run.id;
  const auto typed = typed_.find(shown_);
  const Texts texts =
      typed != typed_.end() ? typed->second : Texts{text_of(marks.name), text_of(joined(marks.tags, " ")), text_of(marks.note)};
  name_->setText(texts.name);
  name_->setPlaceholderText(text_of(listed->label()));
  tags_->setText(texts.tags);
  note_->setPlainText(texts.note);
  note_->setPlaceholderText(tr("Note"));
  set_changed(typed != typed_.end());
  show_line(problem_, typed != typed_.end() ? tr("Typed before and not saved: press Save") : QString(), Tone::kWarning);
  show_card(shown_);
}

bool RunsPage::has_changes() const {
  return name_->isModified() || tags_->isModified() || note_->document()->isModified();
}

void RunsPage::set_changed(bool changed) {
  for (QLineEdit* line : {name_, tags_}) line->setModified(changed);
  note_->document()->setModified(changed);
}

void RunsPage::keep_texts() {
  if (has_changes()) typed_[shown_] = {name_->text(), tags_->text(), note_->toPlainText()};
}

void RunsPage::show_card(const std::string& id) {
  bench().engine.query(
      this, [id](engine::Engine& opened) { return engine::run_card(opened.config(), opened.config().database, id); },
      [this, id](const Result<RunCard>& card) {
        const engine::ListedRun* const listed = model_->run(model_->row_of(id));
        if (id != shown_ || listed == nullptr) return;  // another was chosen meanwhile
        card_->set_lines(card.ok() ? engine::card_lines(listed->run, card.value())
                                   : CardModel::Lines{{"environment", window_words(card.error()).toStdString()}});
      });
}

void RunsPage::save() {
  const engine::ListedRun* const listed = chosen();
  if (listed == nullptr) return;
  engine::RunChange wanted;
  wanted.name = name_->text().trimmed().toStdString();
  wanted.note = note_->toPlainText().toStdString();
  const std::vector<std::string> words = words_of(tags_->text());
  const std::vector<std::string>& before = listed->run.marks.tags;
  std::set_difference(words.begin(), words.end(), before.begin(), before.end(), std::back_inserter(wanted.add_tags));
  std::set_difference(before.begin(), before.end(), words.begin(), words.end(), std::back_inserter(wanted.remove_tags));
  change(std::move(wanted));
}

void RunsPage::pin() {
  engine::RunChange wanted;
  if (chosen() != nullptr) wanted.pinned = !chosen()->run.marks.pinned;
  change(std::move(wanted));
}

void RunsPage::compare() {
  if (chosen() != nullptr) emit navigate(PageId::kDiff, text_of(chosen()->run.id));
}

void RunsPage::edit_name() {
  name_->setFocus();
  name_->selectAll();
}

void RunsPage::change(engine::RunChange wanted) {
  const engine::ListedRun* const listed = chosen();
  if (listed == nullptr || !bench().engine.is_open()) return;
  const bool texts = wanted.name.has_value();
  const std::string id = listed->run.id;
  bench().engine.query(
      this, [id, wanted = std::move(wanted)](engine::Engine& opened) { return engine::change_run(opened.config(), id, wanted); },
      [this, texts, id](const Result<engine::ChangedRun>& changed) {
        if (!changed.ok()) return show_line(problem_, window_words(changed.error()), Tone::kBad);
        show_line(problem_, {});
        if (texts) typed_.erase(id);
        if (texts && id == shown_) set_changed(false);
        bench().runs.reload();
        bench().views.reload_stored();  // for the other pages, later: it also checks figures
      });
}

void RunsPage::go_to(const QString& key) {
  wanted_ = key.toStdString();
  const int row = model_->row_of(wanted_);
  if (row < 0) return;
  wanted_.clear();
  table_->select_row(row);
}

void RunsPage::take_scope(const WorkScope& scope) {
  if (const QString before = std::exchange(scope_run_, scope.run); before != scope.run) go_to(scope.run);
}

// A run of one model stands for the model, too.
Handed RunsPage::chosen_run() const {
  Handed handed;
  const engine::ListedRun* const listed = chosen();
  if (listed == nullptr) return handed;
  if (listed->subjects.size() == 1) {
    handed = gated_subject(listed->subjects.front(), {});
    handed.model = bench().model.subject_of(handed.model);
  }
  handed.run = text_of(listed->run.id);
  return handed;
}

std::string RunsPage::own_command() const {
  CommandText command(bench().config, "runs");
  if (chosen() != nullptr) command.word("show").word(chosen()->run.id);
  return command.text();
}

Page* make_runs_page(const Workbench& bench) {
  return new RunsPage(bench);
}

}  // namespace fuselab::gui
