// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/graph/graph_painter.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// The fused pieces of a graph as a list: the legend of the graph page, and its accessible form.
class GroupModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit GroupModel(QObject* parent = nullptr);
  void set_graph(PlacedGraphPtr graph);
  int first_node(int row) const;  // -1 when the group lies beyond the drawn nodes
  QString piece_key(int row) const;
  QString piece_graph(int row) const;  // its canonical text; empty where it is not known

 protected:
  int rows() const override { return graph_ == nullptr ? 0 : static_cast<int>(graph_->view.groups.size()); }
  TableCell cell(int row, int column) const override;

 private:
  PlacedGraphPtr graph_;
  QStringList brief_;  // short forms of the groups' names
};

}  // namespace fuselab::gui
