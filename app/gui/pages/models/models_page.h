// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/graph/graph_painter.h"
#include "app/gui/pages/models/model_facts_model.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;
class QTabWidget;

namespace fuselab::gui {

class RefusedModel;
class ExtentsForm;
class GraphCanvas;
class GroupModel;
class ModelRun;

// The page that shows how a model is cut into fused pieces, and why the rest stayed apart; its weights, what was not understood
// of it, and what it gives when it is run. A model whose inputs leave extents open is asked for them first.
class ModelsPage : public Page {
  Q_OBJECT

 public:
  explicit ModelsPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a subject
  void take_model(const ModelChoice& choice) override;
  void receive(const Handed& handed) override;
  std::string own_command() const override;  // fuses the model; on the tab Run executes it

 protected:
  // An ONNX file that is dropped on the page is opened.
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  // What a worker thread found out about a subject. No graph: its inputs leave extents open, which the facts name.
  struct Loaded {
    ModelFactsPtr facts;
    PlacedGraphPtr graph;
    // What the devices of this machine can run of it; nothing where that is not known.
    std::optional<double> runnable_share;
    std::vector<NotRun> not_runnable;
  };
  void build_header();
  void build_body();
  QWidget* build_graph_tab();
  QWidget* build_weights_tab();
  QWidget* build_barriers_tab();
  void load();
  void name_symbols();
  void open_file();
  static Result<Loaded> read(engine::Engine& engine, const std::string& subject, const std::string& binding,
                             const std::string& level);
  void show_loaded(const Loaded& loaded);
  void show_facts(const ModelFactsPtr& facts, const Loaded& loaded);
  void show_refusal(const QString& reason);
  void ask_for_extents(const engine::ModelFacts& facts);
  void show_graph(PlacedGraphPtr graph);
  void show_node(int node);
  void show_pair(int first, int second);
  Handed chosen_piece() const;
  void open_piece(const QString& piece_key);

  GroupModel* groups_;
  WeightModel* weights_;
  BarrierModel* barriers_;
  QComboBox* subject_ = nullptr;
  RefusedModel* refused_ = nullptr;
  QComboBox* level_ = nullptr;
  QLineEdit* binding_ = nullptr;
  QLineEdit* search_ = nullptr;
  GraphCanvas* canvas_ = nullptr;
  TableView* table_ = nullptr;
  TableView* barrier_table_ = nullptr;
  QPlainTextEdit* detail_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QLabel* weight_line_ = nullptr;
  QLabel* barrier_line_ = nullptr;
  QPlainTextEdit* notes_ = nullptr;
  ModelRun* run_ = nullptr;
  ExtentsForm* extents_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
  QString loading_;       // the question whose answer is awaited
  QString answered_for_;  // the model for which the form of open extents filled in the shape
};

}  // namespace fuselab::gui
