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
  connect(&bench().views, &Snapshots::catalog_changed, this, &RunsPage::refresh);
  connect(&bench().engine, &EngineLink::opened, this, &RunsPage::refresh);
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
  if (!bench().engine.is_open()) return;
  const bool scripted = bench().views.compares_scripted() || bench().views.scripted_wanted();
  using Listed = Result<std::vector<engine::ListedRun>>;
  bench().engine.query(
      this,
      [scripted](engine::Engine& opened) -> Listed {
        return engine::list_runs(opened.config(), opened.config().database, scripted);
      },
      [this](Listed listed) {
        if (!listed.ok()) return empty_->show_problem(tr("The runs cannot be read"), window_words(listed.error()));
        const auto pinned = std::count_if(listed.value().begin(), listed.value().end(),
                                          [](const engine::ListedRun& run) { return run.run.marks.pinned; });
        set_subtitle(tr("%1 · %2").arg(counted_text(std::ssize(listed.value()), tr("run"), tr("runs")),
                                       counted_text(pinned, tr("baseline"), tr("baselines"))));
        const std::string kept = shown_;
        model_->set_runs(std::move(listed).value());
        stack_->setCurrentIndex(model_->run(0) == nullptr ? 0 : 1);
        table_->select_row(std::max(0, model_->row_of(kept)));
        show_row(table_->currentIndex().row());
      });
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
  // What is being typed outlives news of the database.
  if (shown_ == listed->run.id && (name_->isModified() || tags_->isModified() || note_->document()->isModified())) return;
  name_->setText(text_of(marks.name));
  name_->setPlaceholderText(text_of(listed->label()));
  tags_->setText(text_of(joined(marks.tags, " ")));
  note_->setPlainText(text_of(marks.note));
  note_->setPlaceholderText(tr("Note"));
  show_line(problem_, {});
  shown_ = listed->run.id;
  show_card(listed->run.id);
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
  bench().engine.query(
      this,
      [id = listed->run.id, wanted = std::move(wanted)](engine::Engine& opened) {
        return engine::change_run(opened.config(), id, wanted);
      },
      [this, texts](const Result<engine::ChangedRun>& changed) {
        if (!changed.ok()) return show_line(problem_, window_words(changed.error()), Tone::kBad);
        show_line(problem_, {});
        if (texts) {
          name_->setModified(false);
          tags_->setModified(false);
          note_->document()->setModified(false);
        }
        refresh();
        bench().views.reload_stored();  // for the other pages, later: it also checks figures
      });
}

void RunsPage::go_to(const QString& key) {
  shown_ = key.toStdString();
  table_->select_row(std::max(0, model_->row_of(shown_)));
}

Page* make_runs_page(const Workbench& bench) {
  return new RunsPage(bench);
}

}  // namespace fuselab::gui
