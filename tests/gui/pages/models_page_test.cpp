// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QUrl>
#include <algorithm>

#include "app/engine/subject/graph_view.h"
#include "app/gui/graph/graph_canvas.h"
#include "app/gui/look/usual_shape.h"
#include "app/gui/pages/models/model_facts_model.h"
#include "app/gui/tables/table_view.h"
#include "core/fusion/explain/why_not.h"
#include "core/graph/graph_text.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using ModelsPageTest = WindowTest;

TEST_F(ModelsPageTest, AGroupOfTheGraphLeadsToItsRowOnCompare) {
  open();
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  auto* canvas = find<GraphCanvas>("models.graph");
  ASSERT_NE(canvas->graph(), nullptr);
  canvas->select(4);
  EXPECT_TRUE(find<QPlainTextEdit>("models.detail")->toPlainText().contains("Not fused"));
  click(find<QPushButton>("models.compare"));
  EXPECT_EQ(window_->current_page(), PageId::kCompare);
  auto* table = find<TableView>("compare.table");
  ASSERT_EQ(table->selected_rows().size(), 1u);
  EXPECT_EQ(table->selected_rows().front(), canvas->graph()->view.nodes[4].group);
}

TEST_F(ModelsPageTest, TwoOperatorsOfTheGraphAreToldWhyTheyAreApart) {
  engine::Subject subject;
  subject.name = "typed";
  subject.graph =
      parse_graph("graph(x: f32[8,64], w: param f32[64,64]) { a = Relu(x); m = MatMul(a, w); s = Softmax(m, axis=-1); return s }")
          .value();
  script_->graph = engine::view_graph(engine::cut(std::move(subject), OptimizationLevel::kO2).value());
  open();
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  auto* canvas = find<GraphCanvas>("models.graph");
  ASSERT_NE(canvas->graph(), nullptr);
  canvas->select(0);
  canvas->select_second(2);
  EXPECT_EQ(find<QPlainTextEdit>("models.detail")->toPlainText().toStdString(),
            why_not_fused(*script_->graph.fusion, "a", "s").value().text);
  canvas->select(0);
  EXPECT_TRUE(find<QPlainTextEdit>("models.detail")->toPlainText().startsWith("Relu")) << "one alone is told of as before";
}

TEST_F(ModelsPageTest, AModelThatCannotBeReadSaysWhy) {
  open();
  window_->show_page(PageId::kModels, "missing.onnx");
  ASSERT_TRUE(settle());
  const auto labels = window_->page(PageId::kModels)->findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(),
                          [](const QLabel* label) { return label->isVisible() && label->text().contains("no built-in model"); }));
}

constexpr const char* kOpenModel =
    "graph(x: f32[batch,seq,64], mask: f32[batch,seq], w: param f32[64,96], b: param f32[96]) "
    "{ m = MatMul(x, w); s = Add(m, b); return s, mask }";

TEST_F(ModelsPageTest, OpenExtentsAreAskedForWithSensibleDefaultsAndRemembered) {
  open();
  window_->show_page(PageId::kModels, kOpenModel);
  ASSERT_TRUE(settle());
  auto* batch = find<QSpinBox>("models.extent.batch");
  auto* seq = find<QSpinBox>("models.extent.seq");
  ASSERT_TRUE(batch->isVisible());
  EXPECT_EQ(batch->value(), 1);
  EXPECT_EQ(seq->value(), 128);
  EXPECT_FALSE(find<GraphCanvas>("models.graph")->isVisible()) << "nothing is shown of a model before its extents are known";
  seq->setValue(77);
  click(find<QPushButton>("models.extents.show"));
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<GraphCanvas>("models.graph")->isVisible());
  EXPECT_EQ(find<QLineEdit>("models.binding")->text(), "batch=1,seq=77");

  window_->show_page(PageId::kModels, "resnet50");
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLineEdit>("models.binding")->text(), "") << "extents of another model";
  window_->show_page(PageId::kModels, kOpenModel);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QSpinBox>("models.extent.seq")->value(), 77) << "remembered";
}

TEST_F(ModelsPageTest, WeightsAreListedByTheirSize) {
  open();
  window_->show_page(PageId::kModels,
                     "graph(x: f32[8,64], b: param f32[96], w: param f32[64,96]) { m = MatMul(x, w); s = Add(m, b); return s }");
  ASSERT_TRUE(settle());
  auto* tabs = find<QTabWidget>("models.tabs");
  EXPECT_EQ(tabs->tabText(1), "Weights (2)");
  const auto* weights = find<TableView>("models.weights")->model();
  ASSERT_EQ(weights->rowCount(), 2);
  const auto text = [&](int row, int column) { return weights->index(row, column).data().toString().toStdString(); };
  EXPECT_EQ(text(0, 0), "w");
  EXPECT_EQ(text(0, 1), "f32");
  EXPECT_EQ(text(0, 2), "64 × 96");
  EXPECT_EQ(text(0, 3), "24.0 KiB");
  EXPECT_EQ(text(0, 5), "made from the seed") << "a graph's text has no numbers";
  EXPECT_EQ(text(1, 0), "b");
  auto* table = find<TableView>("models.weights");
  table->sortByColumn(3, Qt::AscendingOrder);
  EXPECT_EQ(text(0, 0), "b") << "sorted by bytes, not by words";
  EXPECT_TRUE(find<QLabel>("models.barrier_line")->text().startsWith("No barriers"));
}

TEST_F(ModelsPageTest, WhatNoDeviceHereRunsIsNamedBesideTheBarriers) {
  FusionResult& fused = script_->fused.emplace();
  fused.runnable_share = 0.998;
  fused.not_runnable = {{"Cast", "cpu: i4 tensors are not generated yet", "c", 2}, {"Mystery", "a barrier: not known", "m", 1}};
  open();
  window_->show_page(PageId::kModels, "graph(x: f32[8,64]) { y = Relu(x); return y }");
  ASSERT_TRUE(settle());
  const std::string line = find<QLabel>("models.barrier_line")->text().toStdString();
  EXPECT_EQ(line,
            "No barriers: every operator was read. 99 % of all operators can be run here.\n"
            "Cast ×2 (the first is 'c'): cpu: i4 tensors are not generated yet")
      << "not all is never 100 %, and the table has the barriers";
}

TEST_F(ModelsPageTest, NoWordOfTheModelBeforeStaysWhereOneCannotBeRead) {
  open();
  window_->show_page(PageId::kModels, "graph(x: f32[8,64]) { y = Relu(x); return y }");
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QPushButton>("models.run.start")->isEnabled());
  window_->show_page(PageId::kModels, "missing.onnx");
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLabel>("models.subtitle")->text(), "missing.onnx cannot be shown");
  EXPECT_TRUE(find<QComboBox>("models.subject")->lineEdit()->property("refused").toBool());
  EXPECT_FALSE(find<QPushButton>("models.run.start")->isEnabled()) << "F5 would run the model before";
}

TEST_F(ModelsPageTest, EnterAnswersTheQuestionForExtents) {
  open();
  window_->show_page(PageId::kModels, kOpenModel);
  ASSERT_TRUE(settle());
  auto* batch = find<QSpinBox>("models.extent.batch");
  batch->setFocus();
  batch->selectAll();
  QTest::keyClicks(batch, "3");
  QTest::keyClick(batch, Qt::Key_Return);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QLineEdit>("models.binding")->text().contains("batch=3"));
}

TEST_F(ModelsPageTest, WhatWasFoldedIsSaidAndPiecesAreCountedBothWays) {
  auto fusion = std::make_shared<FusionResult>();
  fusion->imported.folded_norms = 1;
  fusion->imported.fold_notes = {"BatchNormalization 'bn1' folded into the weights of Conv 'conv1'"};
  script_->graph.fusion = fusion;
  open();
  window_->show_page(PageId::kModels, "graph(x: f32[8,64]) { y = Relu(x); return y }");
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QPlainTextEdit>("models.notes")->toPlainText(), "BatchNormalization 'bn1' folded into the weights of Conv 'conv1'")
      << "and not that reading changed nothing";
  const QString subtitle = find<QLabel>("models.subtitle")->text();
  EXPECT_TRUE(subtitle.contains("distinct")) << subtitle.toStdString();
  EXPECT_TRUE(subtitle.endsWith("1 operator folded (Barriers)")) << subtitle.toStdString();
}

TEST_F(ModelsPageTest, AFileThatIsDroppedIsOpened) {
  open();
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  const auto drop = [this](const QString& file) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    Page* page = window_->page(PageId::kModels);
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QApplication::sendEvent(page, &enter);
    if (!enter.isAccepted()) return false;
    QDropEvent dropped(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(page, &dropped);
    return true;
  };
  EXPECT_FALSE(drop("/tmp/notes.txt"));
  EXPECT_TRUE(drop("/tmp/dropped model.onnx"));
  EXPECT_EQ(find<QComboBox>("models.subject")->currentText(), "/tmp/dropped model.onnx");
  ASSERT_TRUE(settle());
}

TEST(BarrierModel, HasARowForEachCauseAndWhatItTakesAlong) {
  Graph graph;
  const ValueId x = graph.add_input("x", {DType::kF32, {8}});
  std::map<NodeId, std::string> reasons;
  const auto barrier = [&](const char* op, ValueId operand, const char* because) {
    const NodeId id =
        graph.add_opaque(op, {operand}, {{DType::kF32, {}}}, {std::string(op) + std::to_string(graph.nodes().size())});
    reasons[id] = because;
    return graph.node(id).outputs.front();
  };
  const ValueId unique = barrier("Unique", x, "how much it gives depends on the data");
  const ValueId behind = barrier("Add", unique, "its operand has no type");
  barrier("Mul", behind, "its operand has no type");
  barrier("Unique", x, "how much it gives depends on the data");
  barrier("Strange", x, "its operand has no type");  // reads nothing that a barrier makes: a cause of its own
  auto facts = std::make_shared<engine::ModelFacts>();
  facts->barriers = engine::barriers_by_cause(graph, reasons, "its operand has no type");
  BarrierModel model;
  model.show(facts);
  ASSERT_EQ(model.rowCount(), 2);
  const auto row = [&](int index) {
    QStringList texts;
    for (int column = 0; column < model.columnCount(); ++column) texts << model.index(index, column).data().toString();
    return texts.join('|').toStdString();
  };
  EXPECT_EQ(row(0), "Unique|2|2|how much it gives depends on the data|Unique0");
  EXPECT_EQ(row(1), "Strange|1|0|its operand has no type|Strange4");
}

TEST(UsualExtent, GoesByNameAndPlace) {
  using Open = engine::OpenExtent;
  EXPECT_EQ(usual_extent(Open{"batch_size", {{"x", 1, 2}}}), 1);
  EXPECT_EQ(usual_extent(Open{"N", {{"x", 0, 4}}}), 1);
  EXPECT_EQ(usual_extent(Open{"x_0", {{"x", 0, 4}}}), 1);
  EXPECT_EQ(usual_extent(Open{"x_1", {{"x", 1, 4}}}), 3);
  EXPECT_EQ(usual_extent(Open{"p2o_DynamicDimension_2", {{"x", 2, 4}}}), 224);
  EXPECT_EQ(usual_extent(Open{"seq", {{"ids", 0, 1}}}), 128);
  EXPECT_EQ(usual_extent(Open{"state_1", {{"state", 1, 3}}}), 1) << "a recurrent state's batch";
  EXPECT_EQ(usual_extent(Open{"hidden_states_1", {{"hidden_states", 1, 3}}}), 128) << "a sequence";
  EXPECT_EQ(usual_extent(Open{"samples", {{"input", 1, 2}}}), 128);
}

}  // namespace
}  // namespace fuselab::gui::test
