// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/models/models_page.h"

#include <QAction>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "app/engine/subject/graph_view.h"
#include "app/engine/subject/model_facts.h"
#include "app/engine/subject/operator_counts.h"
#include "app/gui/graph/graph_canvas.h"
#include "app/gui/graph/group_model.h"
#include "app/gui/link/command_text.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/usual_shape.h"
#include "app/gui/look/window_words.h"
#include "app/gui/parts/extents_form.h"
#include "app/gui/parts/model_run.h"
#include "app/gui/parts/refused_field.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kShapeWidth = 150;  // pixels, at most
constexpr int kModelsMargin = 8;  // inside a tab

// What the body shows.
enum Shown { kNoModel, kWholeModel, kOpenExtents };

// Returns the one file of a model or of a kernel that is dragged; empty for anything else.
QString dragged_model(const QMimeData* data) {
  const QList<QUrl> urls = data->urls();
  if (urls.size() != 1 || !urls.front().isLocalFile()) return {};
  const QString file = urls.front().toLocalFile();
  const auto ends_in = [&](const char* ending) { return file.endsWith(QLatin1String(ending), Qt::CaseInsensitive); };
  return ends_in(".onnx") || ends_in(".toml") || ends_in(".json") ? file : QString();
}

}  // namespace

ModelsPage::ModelsPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kModels, tr("How a model is cut into fused pieces, and why the rest stayed apart"), bench_in, parent),
      groups_(new GroupModel(this)),
      weights_(new WeightModel(this)),
      barriers_(new BarrierModel(this)) {
  setAcceptDrops(true);
  build_header();
  build_body();
  connect(&bench().engine, &EngineLink::opened, this, &ModelsPage::load);
  if (bench().engine.is_open()) load();
}

void ModelsPage::build_header() {
  subject_ = new QComboBox(this);
  subject_->setObjectName(QStringLiteral("models.subject"));
  subject_->setAccessibleName(tr("Model or workload"));
  subject_->setToolTip(tr("A built-in model or workload, an ONNX file, or the text of a graph"));
  subject_->setEditable(true);
  subject_->setInsertPolicy(QComboBox::NoInsert);
  subject_->setMinimumContentsLength(20);
  for (const std::string& name : bench().subjects) subject_->addItem(text_of(name));
  subject_->lineEdit()->setAccessibleName(tr("Model or workload"));
  auto* open = new QPushButton(tr("Open…"), this);
  open->setObjectName(QStringLiteral("models.open"));
  open->setAccessibleName(tr("Open a model or a kernel of your own"));
  open->setToolTip(tr("Open an ONNX file, or the file of a kernel of your own (Ctrl+O)"));
  open->setShortcut(QKeySequence::Open);
  binding_ = new QLineEdit(this);
  binding_->setObjectName(QStringLiteral("models.binding"));
  binding_->setAccessibleName(tr("Shape"));
  binding_->setMaximumWidth(kShapeWidth);
  level_ = new QComboBox(this);
  level_->setObjectName(QStringLiteral("models.level"));
  level_->setAccessibleName(tr("Optimisation level"));
  level_->setToolTip(tr("O0: no fusion · O1: strict · O2: balanced · O3: aggressive"));
  for (const char* level : {"O0", "O1", "O2", "O3"}) level_->addItem(QLatin1String(level));
  level_->setCurrentIndex(2);
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("models.search"));
  search_->setAccessibleName(tr("Search operators"));
  search_->setPlaceholderText(tr("Search operators"));
  search_->setToolTip(tr("Operators whose name, type or attributes hold this text; Enter goes to the next (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(170);
  for (QWidget* widget : std::initializer_list<QWidget*>{search_, subject_, open, binding_, level_}) header()->addWidget(widget);
  offer(tr("Open a model or a kernel…"), QKeySequence::Open, open, [this] { open_file(); });
  offer(tr("Search operators"), QKeySequence::Find, search_, [this] { search_->setFocus(); });
  auto* find = new QAction(this);
  find->setShortcut(QKeySequence::Find);
  find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(find);
  connect(find, &QAction::triggered, search_, qOverload<>(&QWidget::setFocus));
  connect(open, &QPushButton::clicked, this, &ModelsPage::open_file);
  connect(subject_, &QComboBox::currentTextChanged, this, &ModelsPage::name_symbols);
  name_symbols();
  refused_ = new RefusedModel(subject_->lineEdit(), binding_, known_subjects());
  connect(refused_, &RefusedModel::replaced, this, &ModelsPage::load);
  connect(subject_, &QComboBox::textActivated, this, &ModelsPage::load);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ModelsPage::load);
  connect(binding_, &QLineEdit::returnPressed, this, &ModelsPage::load);
  connect(level_, &QComboBox::currentIndexChanged, this, &ModelsPage::load);
}

QWidget* ModelsPage::build_graph_tab() {
  canvas_ = new GraphCanvas;
  canvas_->setObjectName(QStringLiteral("models.graph"));
  table_ = new TableView;
  table_->setObjectName(QStringLiteral("models.groups"));
  table_->setAccessibleName(tr("Fused pieces of the model"));
  table_->setModel(groups_);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  detail_ = new QPlainTextEdit;
  detail_->setObjectName(QStringLiteral("models.detail"));
  detail_->setAccessibleName(tr("What is selected"));
  detail_->setReadOnly(true);
  detail_->setTabChangesFocus(true);
  detail_->setPlaceholderText(
      tr("Select an operator to see its types, its piece and why its neighbours are not fused with it; with Shift a second one to "
         "see why these two are not in one piece."));
  auto* compare = new QPushButton(tr("Show on Compare"));
  compare->setObjectName(QStringLiteral("models.compare"));
  compare->setAccessibleName(tr("Show the piece on the Compare page"));
  compare->setToolTip(tr("The measured times of the chosen piece"));
  connect(compare, &QPushButton::clicked, this, [this] { open_piece(groups_->piece_key(table_->currentIndex().row())); });
  offer(tr("Show the piece on Compare"), {}, compare, [compare] { compare->click(); });
  offer(tr("Show the whole graph"), Qt::Key_Home, canvas_, [this] { canvas_->show_all(); });

  auto* lower = new QWidget;
  auto* column = new QVBoxLayout(lower);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(detail_, 1);
  column->addWidget(compare);
  auto* side = make_splitter(Qt::Vertical, {table_, lower}, {400, 240});
  auto* all = make_splitter(Qt::Horizontal, {canvas_, side}, {560, 550});
  remember(side, QStringLiteral("side"));
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("groups"));

  for (QWidget* marks : std::initializer_list<QWidget*>{table_, canvas_}) hand_over_from(marks, [this] { return chosen_piece(); });
  connect(canvas_, &GraphCanvas::node_selected, this, &ModelsPage::show_node);
  connect(canvas_, &GraphCanvas::pair_selected, this, &ModelsPage::show_pair);
  connect(canvas_, &GraphCanvas::group_opened, this, &ModelsPage::open_piece);
  connect(table_, &TableView::row_chosen, this, [this](int row) {
    const int node = groups_->first_node(row);
    if (node >= 0 && table_->hasFocus()) canvas_->select(node);
  });
  connect(table_, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { open_piece(groups_->piece_key(index.row())); });
  connect(search_, &QLineEdit::textChanged, canvas_, &GraphCanvas::search);
  connect(search_, &QLineEdit::returnPressed, canvas_, &GraphCanvas::next_match);
  return all;
}

QWidget* ModelsPage::build_weights_tab() {
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(weights_);
  sorted->setSortRole(TableModelBase::kSortRole);
  auto* table = new TableView;
  table->setObjectName(QStringLiteral("models.weights"));
  table->setAccessibleName(tr("Weights by size"));
  table->setModel(sorted);
  table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table->setSortingEnabled(true);
  table->horizontalHeader()->setSortIndicatorClearable(true);
  table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);  // the largest first
  weight_line_ = make_line(QStringLiteral("models.weight_line"));
  remember(table, QStringLiteral("weights"));
  return make_column({weight_line_, table}, kModelsMargin);
}

namespace {

// " 80% of them can be run here." with a line for what cannot, barriers left out: the table has those.
QString runnable_text(const std::optional<double>& share, const std::vector<NotRun>& not_runnable) {
  if (!share) return {};
  QString text =
      QStringLiteral(" ") +
      ModelsPage::tr("%1 of all operators can be run here.").arg(percent_text(*share < 1 ? std::min(*share, 0.99) : 1.0));
  for (const NotRun& each : not_runnable) {
    if (parse_op(each.op)) text += QStringLiteral("\n") + text_of(engine::not_run_text(each));
  }
  return text;
}

}  // namespace

QWidget* ModelsPage::build_barriers_tab() {
  barrier_table_ = new TableView;
  barrier_table_->setObjectName(QStringLiteral("models.barriers"));
  barrier_table_->setAccessibleName(tr("Barriers by cause"));
  barrier_table_->setModel(barriers_);
  barrier_line_ = make_line(QStringLiteral("models.barrier_line"));
  notes_ = new QPlainTextEdit;
  notes_->setObjectName(QStringLiteral("models.notes"));
  notes_->setAccessibleName(tr("Notes of the import"));
  notes_->setReadOnly(true);
  notes_->setTabChangesFocus(true);
  notes_->setPlaceholderText(tr("Reading the model left nothing out and changed nothing."));
  auto* parts = make_splitter(Qt::Vertical, {barrier_table_, notes_}, {300, 200});
  remember(barrier_table_, QStringLiteral("barriers"));
  remember(parts, QStringLiteral("barrier_parts"));
  return make_column({barrier_line_, parts}, kModelsMargin);
}

void ModelsPage::build_body() {
  tabs_ = new QTabWidget;
  tabs_->setObjectName(QStringLiteral("models.tabs"));
  tabs_->setAccessibleName(tr("What is shown of the model"));
  tabs_->addTab(build_graph_tab(), tr("Graph"));
  tabs_->addTab(build_weights_tab(), tr("Weights"));
  tabs_->addTab(build_barriers_tab(), tr("Barriers"));
  run_ = new ModelRun(bench().engine, bench().job, bench().views);
  tabs_->addTab(run_, tr("Run"));
  offer(tr("Run the model"), {}, tabs_, [this] { run_->run_button()->click(); });
  connect(run_->run_button(), &QPushButton::clicked, tabs_, [this] { tabs_->setCurrentWidget(run_); });
  run_by(run_->run_button());
  extents_ = new ExtentsForm;
  connect(extents_, &ExtentsForm::answered, this, [this](const QString& binding) {
    QStringList parts = binding_->text().split(u',', Qt::SkipEmptyParts);
    parts << binding;
    binding_->setText(parts.join(u','));
    answered_for_ = subject_->currentText().trimmed();
    load();
  });
  empty_ = new EmptyState(tr("Choose a model"),
                          tr("A built-in model or workload from the list, an ONNX file, or the file of a kernel of your own "
                             "(.toml), which can also be dropped here."),
                          nullptr);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(tabs_);
  stack_->addWidget(extents_);
  body()->addWidget(stack_, 1);
}

// Names, at the Shape field, the shapes that are usual for the chosen model.
void ModelsPage::name_symbols() {
  const QStringList shapes = usual_shapes(subject_->currentText().trimmed());
  const QString all = shapes.isEmpty() ? tr("as the model says") : shapes.join(tr(" and "));
  binding_->setPlaceholderText(shapes.isEmpty() ? all : shapes.front());
  binding_->setToolTip(tr("Values of symbolic dimensions; empty: %1").arg(all));
}

void ModelsPage::load() {
  const QString subject = subject_->currentText().trimmed();
  if (subject.isEmpty() || !bench().engine.is_open()) return;
  if (!answered_for_.isEmpty() && subject != answered_for_) {  // the extents that were asked for are those of another model
    answered_for_.clear();
    binding_->clear();
  }
  const QString question = subject + QLatin1Char('\n') + binding_->text() + QLatin1Char('\n') + level_->currentText();
  if (question == loading_) return;
  loading_ = question;
  bench().engine.query(
      this,
      [subject = subject.toStdString(), binding = binding_->text().toStdString(),
       level = level_->currentText().toStdString()](engine::Engine& opened) { return read(opened, subject, binding, level); },
      [this, question](const Result<Loaded>& loaded) {
        if (question != loading_) return;  // another model was chosen meanwhile
        if (loaded.ok()) {
          show_loaded(loaded.value());
        } else {
          loading_.clear();  // the same question may be asked again
          show_refusal(window_words(loaded.error()));
        }
      });
}

// Runs on a worker thread.
Result<ModelsPage::Loaded> ModelsPage::read(engine::Engine& engine, const std::string& subject, const std::string& binding,
                                            const std::string& level) {
  Loaded loaded;
  if (auto facts = engine::model_facts(engine.config(), subject, binding); facts.ok())
    loaded.facts = std::make_shared<const engine::ModelFacts>(std::move(facts).value());
  if (loaded.facts != nullptr && !loaded.facts->open.empty()) return loaded;
  FL_TRY(engine::GraphView view, engine.graph_view(subject, binding, level));
  // The costs belong to the groups; a graph without them is still worth showing.
  std::vector<Cost> costs;
  if (const auto fused = engine.fuse({subject, binding, level, {}, /*for_job=*/false, /*what_runs=*/true}); fused.ok()) {
    for (const FusedOperation& operation : fused.value().operations) costs.push_back(operation.cost);
    loaded.runnable_share = fused.value().runnable_share;
    loaded.not_runnable = fused.value().not_runnable;
  }
  loaded.graph = place_graph(std::move(view), std::move(costs));
  return loaded;
}

void ModelsPage::take_model(const ModelChoice& choice) {
  if (choice.subject == subject_->currentText().trimmed() && choice.binding == binding_->text().trimmed()) return;
  answered_for_.clear();
  subject_->setEditText(choice.subject);
  binding_->setText(choice.binding);
  load();
}

void ModelsPage::show_loaded(const Loaded& loaded) {
  if (loaded.graph == nullptr) {
    loading_.clear();  // the answer may be the same question
    ask_for_extents(*loaded.facts);
    return;
  }
  bench().model.choose({subject_->currentText().trimmed(), binding_->text().trimmed()});
  if (!binding_->text().isEmpty()) bench().settings.set_extents(subject_->currentText().trimmed(), binding_->text());
  show_facts(loaded.facts, loaded);
  show_graph(loaded.graph);
}

// No word of the model before stays, and Run does not run that one.
void ModelsPage::show_refusal(const QString& reason) {
  empty_->show_problem(tr("This model cannot be shown"), reason);
  set_subtitle(tr("%1 cannot be shown").arg(QFileInfo(subject_->currentText().trimmed()).fileName()));
  refused_->refuse(reason);
  run_->set_model({}, {}, {}, {});
  stack_->setCurrentIndex(kNoModel);
}

void ModelsPage::ask_for_extents(const engine::ModelFacts& facts) {
  const auto remembered = parse_bindings(bench().settings.extents(subject_->currentText().trimmed()).toStdString());
  extents_->ask(text_of(facts.model), facts.open, remembered.ok() ? remembered.value() : Bindings());
  set_subtitle(tr("%1: its inputs leave extents open").arg(text_of(facts.model)));
  stack_->setCurrentIndex(kOpenExtents);
}

// `facts`: null where they cannot be had.
void ModelsPage::show_facts(const ModelFactsPtr& facts, const Loaded& loaded) {
  weights_->show(facts);
  barriers_->show(facts);
  notes_->clear();
  const bool runs = facts != nullptr;
  run_->set_model(runs ? subject_->currentText().trimmed().toStdString() : std::string(), runs ? facts->binding : std::string(),
                  level_->currentText().toStdString(), runs ? facts->inputs : std::vector<engine::ModelInput>());
  constexpr int kWeightsTab = 1, kBarriersTab = 2;
  const auto weights = facts == nullptr ? 0 : static_cast<int>(facts->weights.size());
  tabs_->setTabText(kWeightsTab, tr("Weights (%1)").arg(weights));
  show_line(weight_line_, weights == 0
                              ? tr("This model has no weights.")
                              : tr("%1, %2 together; the largest first until a column is chosen")
                                    .arg(counted_text(weights, tr("weight"), tr("weights")),
                                         text_of(format_bytes(Bytes{static_cast<std::int64_t>(weights_->total_bytes())}))));
  int barriers = 0;
  if (facts != nullptr) {
    barriers = std::accumulate(facts->barriers.begin(), facts->barriers.end(), 0, [](int sum, const engine::BarrierCause& cause) {
      return sum + cause.operators + cause.taken_along;
    });
    QStringList notes;
    for (const std::string& note : facts->notes) notes << window_words(note);
    for (const std::string& change : engine::changes_of(loaded.graph->view)) notes << text_of(change);
    notes_->setPlainText(notes.join(u'\n'));
  }
  barrier_table_->setVisible(barriers > 0);
  tabs_->setTabText(kBarriersTab, barriers == 0 ? tr("Barriers") : tr("Barriers (%1)").arg(barriers));
  const QString read = barriers == 0
                           ? tr("No barriers: every operator was read.")
                           : tr("%1 of %2 operators are barriers, for %3. Nothing is fused across one, and none is measured.")
                                 .arg(barriers)
                                 .arg(facts->operators)
                                 .arg(counted_text(static_cast<std::int64_t>(facts->barriers.size()), tr("reason"), tr("reasons")));
  show_line(barrier_line_, read + runnable_text(loaded.runnable_share, loaded.not_runnable));
}

void ModelsPage::open_file() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open a model or a kernel"), {},
      tr("ONNX models (*.onnx);;Your own kernels (*.toml *.json);;Graph texts (*.graph);;All files (*)"));
  if (!file.isEmpty()) go_to(file);
}

void ModelsPage::go_to(const QString& key) {
  if (key != subject_->currentText()) binding_->clear();  // of another model
  subject_->setCurrentText(key);
  load();
}

void ModelsPage::dragEnterEvent(QDragEnterEvent* event) {
  if (!dragged_model(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void ModelsPage::dropEvent(QDropEvent* event) {
  const QString file = dragged_model(event->mimeData());
  if (file.isEmpty()) return;
  event->acceptProposedAction();
  go_to(file);
}

void ModelsPage::show_graph(PlacedGraphPtr graph) {
  const engine::GraphView& view = graph->view;
  const auto apart =
      std::count_if(view.edges.begin(), view.edges.end(), [](const engine::GraphEdgeView& edge) { return !edge.rejected.empty(); });
  QString text = tr("%1: %2 operators in %3, %4 of them distinct · %5 not fused (dashed)")
                     .arg(text_of(view.model))
                     .arg(view.nodes.size() + graph->left_out)
                     .arg(counted_text(std::ssize(view.groups), tr("piece"), tr("pieces")))
                     .arg(engine::distinct_pieces(view))
                     .arg(counted_text(apart, tr("pair"), tr("pairs")));
  if (view.fusion != nullptr && view.fusion->imported.fold_count() > 0)
    text += tr(" · %1 folded (Barriers)").arg(counted_text(view.fusion->imported.fold_count(), tr("operator"), tr("operators")));
  if (graph->left_out > 0) text += tr(" · the last %1 are not drawn").arg(graph->left_out);
  set_subtitle(text);
  groups_->set_graph(graph);
  canvas_->set_graph(std::move(graph));
  canvas_->search(search_->text());
  stack_->setCurrentIndex(kWholeModel);
  canvas_->select(view.nodes.empty() ? -1 : 0);  // something to read at once
  canvas_->show_all();
}

void ModelsPage::show_node(int node) {
  if (node < 0) {
    detail_->clear();
    return;
  }
  const engine::GraphView& view = canvas_->graph()->view;
  QString text = canvas_->describe_node(node);
  for (std::size_t edge = 0; edge < view.edges.size(); ++edge) {
    const engine::GraphEdgeView& shown = view.edges[edge];
    if (shown.from == node || shown.to == node) text += QLatin1String("\n\n") + canvas_->describe_edge(static_cast<int>(edge));
  }
  detail_->setPlainText(text);
  const int group = view.nodes[static_cast<std::size_t>(node)].group;
  if (group >= 0) table_->select_row(group);
}

// The paragraph that `fuselab fuse --why A B` prints.
void ModelsPage::show_pair(int first, int second) {
  const QString text = text_of(engine::why_apart(canvas_->graph()->view, first, second));
  detail_->setPlainText(text.isEmpty() ? canvas_->describe_node(first) + QLatin1String("\n\n") + canvas_->describe_node(second)
                                       : text);
}

Handed ModelsPage::chosen_piece() const {
  Handed handed;
  handed.model = subject_->currentText().trimmed();
  handed.binding = binding_->text().trimmed();
  handed.piece_key = groups_->piece_key(table_->currentIndex().row());
  if (handed.piece_key.isEmpty()) return handed;
  const Handed stored = stored_piece(bench().views, bench().model, handed.piece_key.toStdString());
  handed.piece = stored.piece;
  handed.graph = groups_->piece_graph(table_->currentIndex().row());
  if (handed.graph.isEmpty()) handed.graph = stored.graph;
  return handed;
}

void ModelsPage::receive(const Handed& handed) {
  if (handed.model.isEmpty()) go_to(handed.graph);
}

std::string ModelsPage::own_command() const {
  if (subject_->currentText().trimmed().isEmpty()) return {};
  if (tabs_->currentWidget() == run_ && tabs_->isVisible()) return run_->command(bench().config);
  CommandText command(bench().config, "fuse");
  command.word(subject_->currentText().trimmed().toStdString()).option("shape", binding_->text().trimmed().toStdString());
  return command.option("level", level_->currentText().toStdString(), "O2").text();
}

void ModelsPage::open_piece(const QString& piece_key) {
  if (!piece_key.isEmpty()) emit navigate(PageId::kCompare, piece_key);
}

Page* make_models_page(const Workbench& bench) {
  return new ModelsPage(bench);
}

}  // namespace fuselab::gui
