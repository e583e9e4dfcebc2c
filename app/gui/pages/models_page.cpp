// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/models_page.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/engine/subject/graph_view.h"
#include "app/gui/graph/graph_canvas.h"
#include "app/gui/graph/group_model.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/usual_shape.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {
namespace {

constexpr int kShapeWidth = 150;  // pixels, at most

}  // namespace

ModelsPage::ModelsPage(Workbench bench_in, QWidget* parent)
    : Page(PageId::kModels, tr("How a model is cut into fused pieces, and why the rest stayed apart"), bench_in, parent),
      groups_(new GroupModel(this)) {
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
  open->setAccessibleName(tr("Open an ONNX file"));
  open->setToolTip(tr("Open an ONNX file (Ctrl+O)"));
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
  offer(tr("Open an ONNX file…"), QKeySequence::Open, open, [this] { open_file(); });
  offer(tr("Search operators"), QKeySequence::Find, search_, [this] { search_->setFocus(); });
  auto* find = new QAction(this);
  find->setShortcut(QKeySequence::Find);
  find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(find);
  connect(find, &QAction::triggered, search_, qOverload<>(&QWidget::setFocus));
  connect(open, &QPushButton::clicked, this, &ModelsPage::open_file);
  connect(subject_, &QComboBox::currentTextChanged, this, &ModelsPage::name_symbols);
  name_symbols();
  connect(subject_, &QComboBox::textActivated, this, &ModelsPage::load);
  connect(subject_->lineEdit(), &QLineEdit::returnPressed, this, &ModelsPage::load);
  connect(binding_, &QLineEdit::returnPressed, this, &ModelsPage::load);
  connect(level_, &QComboBox::currentIndexChanged, this, &ModelsPage::load);
}

void ModelsPage::build_body() {
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
  empty_ = new EmptyState(tr("Choose a model"), tr("A built-in model or workload from the list, or an ONNX file."), nullptr);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(empty_);
  explain_when_unopened(empty_);
  stack_->addWidget(all);
  body()->addWidget(stack_, 1);
  remember(side, QStringLiteral("side"));
  remember(all, QStringLiteral("all"));
  remember(table_, QStringLiteral("groups"));

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
  const QString question = subject + QLatin1Char('\n') + binding_->text() + QLatin1Char('\n') + level_->currentText();
  if (question == loading_) return;
  loading_ = question;
  using Placed = Result<PlacedGraphPtr>;
  bench().engine.query(
      this,
      [subject = subject.toStdString(), binding = binding_->text().toStdString(),
       level = level_->currentText().toStdString()](engine::Engine& opened) -> Placed {
        FL_TRY(engine::GraphView view, opened.graph_view(subject, binding, level));
        // The costs belong to the groups; a graph without them is still worth showing.
        std::vector<Cost> costs;
        if (const auto fused = opened.fuse({subject, binding, level}); fused.ok()) {
          for (const FusedOperation& operation : fused.value().operations) costs.push_back(operation.cost);
        }
        return place_graph(std::move(view), std::move(costs));
      },
      [this, question](const Placed& placed) {
        if (question != loading_) return;  // another model was chosen meanwhile
        if (placed.ok()) {
          show_graph(placed.value());
        } else {
          loading_.clear();  // the same question may be asked again
          empty_->set_text(tr("This model cannot be shown"), text_of(placed.error().message));
          stack_->setCurrentIndex(0);
        }
      });
}

void ModelsPage::open_file() {
  const QString file =
      QFileDialog::getOpenFileName(this, tr("Open a model"), {}, tr("ONNX models (*.onnx);;Graph texts (*.graph);;All files (*)"));
  if (!file.isEmpty()) go_to(file);
}

void ModelsPage::go_to(const QString& key) {
  subject_->setCurrentText(key);
  load();
}

void ModelsPage::show_graph(PlacedGraphPtr graph) {
  const engine::GraphView& view = graph->view;
  const auto apart =
      std::count_if(view.edges.begin(), view.edges.end(), [](const engine::GraphEdgeView& edge) { return !edge.rejected.empty(); });
  QString text = tr("%1: %2 operators in %3 pieces · %4 pairs kept apart (dashed)")
                     .arg(text_of(view.model))
                     .arg(view.nodes.size() + graph->left_out)
                     .arg(view.groups.size())
                     .arg(apart);
  if (graph->left_out > 0) text += tr(" · the last %1 are not drawn").arg(graph->left_out);
  set_subtitle(text);
  groups_->set_graph(graph);
  canvas_->set_graph(std::move(graph));
  canvas_->search(search_->text());
  stack_->setCurrentIndex(1);
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

void ModelsPage::open_piece(const QString& piece_key) {
  if (!piece_key.isEmpty()) emit navigate(PageId::kCompare, piece_key);
}

Page* make_models_page(const Workbench& bench) {
  return new ModelsPage(bench);
}

}  // namespace fuselab::gui
