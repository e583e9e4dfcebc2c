// SPDX-License-Identifier: Apache-2.0
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <algorithm>

#include "app/engine/subject/graph_view.h"
#include "app/gui/graph/graph_canvas.h"
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

}  // namespace
}  // namespace fuselab::gui::test
