// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/graph/graph_painter.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;

namespace fuselab::gui {

class GraphCanvas;
class GroupModel;

// The page that shows how a model is cut into fused pieces, and why the rest stayed apart.
class ModelsPage : public Page {
  Q_OBJECT

 public:
  explicit ModelsPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a subject

 private:
  void build_header();
  void build_body();
  void load();
  void name_symbols();
  void open_file();
  void show_graph(PlacedGraphPtr graph);
  void show_node(int node);
  void show_pair(int first, int second);
  void open_piece(const QString& piece_key);

  GroupModel* groups_;
  QComboBox* subject_ = nullptr;
  QComboBox* level_ = nullptr;
  QLineEdit* binding_ = nullptr;
  QLineEdit* search_ = nullptr;
  GraphCanvas* canvas_ = nullptr;
  TableView* table_ = nullptr;
  QPlainTextEdit* detail_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
  QString loading_;  // the question whose answer is awaited
};

}  // namespace fuselab::gui
