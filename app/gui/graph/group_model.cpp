// SPDX-License-Identifier: Apache-2.0
#include "app/gui/graph/group_model.h"

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "core/base/units.h"
#include "core/graph/graph_text.h"

namespace fuselab::gui {

GroupModel::GroupModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Piece"), {}, false, 196},
               {tr("Traffic"), tr("Ideal bytes: each input read once, each output written once"), true, 82},
               {tr("FLOP/byte"), tr("Arithmetic intensity: FLOPs per ideal byte"), true, 84},
               {tr("Pattern"), {}, false, 130},
               {tr("Operators"), {}, true, 86}});
}

void GroupModel::set_graph(PlacedGraphPtr graph) {
  beginResetModel();
  graph_ = std::move(graph);
  QStringList names;
  for (const engine::GraphGroupView& group : graph_->view.groups) names << text_of(group.name);
  brief_ = brief_names(names);
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

QString GroupModel::piece_graph(int row) const {
  if (row < 0 || row >= rows() || graph_->view.fusion == nullptr) return {};
  for (const FusedOperation& operation : graph_->view.fusion->operations) {
    if (text_of(graph_key(operation.graph).hex()) == piece_key(row)) return text_of(canonical_text(operation.graph));
  }
  return {};
}

TableCell GroupModel::cell(int row, int column) const {
  const engine::GraphGroupView& group = graph_->view.groups[static_cast<std::size_t>(row)];
  const auto operators = static_cast<int>(graph_->group_nodes[static_cast<std::size_t>(row)].size());
  const auto index = static_cast<std::size_t>(row);
  const Cost* cost = index < graph_->costs.size() && graph_->costs[index].ideal().count > 0 ? &graph_->costs[index] : nullptr;
  const TableCell unknown{QStringLiteral("–"), tr("Not known"), {}, Tone::kMuted};
  switch (column) {
    case 0: {
      const QString costs = cost_text(*graph_, row);
      return {text_of(group.name),
              costs.isEmpty() ? text_of(group.name) : text_of(group.name) + QLatin1Char('\n') + costs,
              {},
              Tone::kNeutral,
              operators > 1,
              brief_[row]};
    }
    case 1:
      return cost == nullptr ? unknown
                             : TableCell{text_of(format_bytes(cost->ideal())), {}, static_cast<qlonglong>(cost->ideal().count)};
    case 2: return cost == nullptr ? unknown : TableCell{QString::number(cost->intensity(), 'g', 3), {}, cost->intensity()};
    case 3: return {text_of(group.pattern), {}, {}, Tone::kMuted};
    default: return {QString::number(operators), {}, operators};
  }
}

}  // namespace fuselab::gui
