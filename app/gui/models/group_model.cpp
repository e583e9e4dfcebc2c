// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/group_model.h"

#include "app/gui/figures.h"

namespace fuselab::gui {

GroupModel::GroupModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Piece"), {}, false, 170}, {tr("Pattern"), {}, false, 124}, {tr("Operators"), {}, true, 96}});
}

void GroupModel::set_graph(PlacedGraphPtr graph) {
  beginResetModel();
  graph_ = std::move(graph);
  endResetModel();
}

int GroupModel::first_node(int row) const {
  if (row < 0 || row >= rows()) return -1;
  const auto& nodes = graph_->group_nodes[static_cast<std::size_t>(row)];
  return nodes.empty() ? -1 : nodes.front();
}

QString GroupModel::piece_key(int row) const {
  return row < 0 || row >= rows() ? QString() : text_of(graph_->view.groups[static_cast<std::size_t>(row)].piece_key);
}

TableCell GroupModel::cell(int row, int column) const {
  const session::GraphGroupView& group = graph_->view.groups[static_cast<std::size_t>(row)];
  auto const operators = static_cast<int>(graph_->group_nodes[static_cast<std::size_t>(row)].size());
  switch (column) {
    case 0: return {text_of(group.name), text_of(group.name), {}, Tone::kNeutral, operators > 1};
    case 1: return {text_of(group.pattern), {}, {}, Tone::kMuted};
    default: return {QString::number(operators), {}, operators};
  }
}

}  // namespace fuselab::gui
