// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/compare/table_choices.h"

#include <QFileInfo>
#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/models/compare_model.h"

namespace fuselab::gui {
namespace {

bool has_figure(const engine::CompareCell& cell) {
  return cell.fused.figure || cell.unfused.figure;
}

}  // namespace

QString title_of_table(const engine::CompareTable& table) {
  QStringList parts{text_of(table.model)};
  if (!table.binding.empty()) parts.front() += QStringLiteral(" (%1)").arg(text_of(table.binding));
  if (!table.dtype.empty()) parts << text_of(table.dtype);
  if (!table.level.empty()) parts << text_of(table.level);
  return parts.join(QStringLiteral(", "));
}

int table_of(const TableList& tables, const ModelChoice& choice) {
  const QString name = choice.subject.contains(u'(') ? choice.subject : QFileInfo(choice.subject).fileName();
  int best = -1;
  for (std::size_t at = 0; at < tables.size(); ++at) {
    const engine::CompareTable& table = *tables[at];
    if (text_of(table.model) != name && text_of(table.model) != choice.subject) continue;
    if (best < 0 || text_of(table.binding) == choice.binding) best = static_cast<int>(at);
  }
  return best;
}

std::vector<std::string> weighty_pieces(const engine::CompareTable& table) {
  constexpr std::size_t kBars = 8;
  constexpr double kVisible = 0.01;
  const bool shared_out =
      std::any_of(table.rows.begin(), table.rows.end(), [](const engine::CompareRow& row) { return row.share_of_model > 0; });
  std::vector<std::string> keys;
  for (const engine::CompareRow& row : table.rows) {
    const bool shown = shared_out ? row.share_of_model >= kVisible : !row.recommended_device.empty();
    if (keys.size() < kBars && shown) keys.push_back(row.piece_key);
  }
  return keys;
}

bool has_figure(const engine::CompareTable& table, const std::string& device) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const engine::CompareRow& row) {
    const engine::CompareCell* cell = find_cell(row, device);
    return cell != nullptr && has_figure(*cell);
  });
}

std::string device_to_show(const engine::CompareTable& table, const std::vector<std::string>& devices) {
  for (const engine::CompareRow& row : table.rows) {
    if (!row.recommended_device.empty()) return row.recommended_device;
  }
  const auto measured =
      std::find_if(devices.begin(), devices.end(), [&](const std::string& device) { return has_figure(table, device); });
  return measured != devices.end() ? *measured : devices.empty() ? std::string() : devices.front();
}

const engine::CompareCell* decisive_cell(const engine::CompareRow& row) {
  if (const engine::CompareCell* best = find_cell(row, row.recommended_device)) return best;
  const auto most = std::max_element(row.cells.begin(), row.cells.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const engine::CompareCell& cell) {
      return cell.fused.state == engine::CellState::kExcluded ? 0 : cell.fused.state == engine::CellState::kFailed ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
  return most == row.cells.end() ? nullptr : &*most;
}

void PieceCounts::add(const engine::CompareCell* cell) {
  using engine::CellState;
  if (cell == nullptr) {
    ++open;
    return;
  }
  if (has_one_plan(*cell)) {
    ++single;
  } else if (cell->gain) {
    ++(!cell->gain->excludes_one() ? even : cell->gain->value > 1 ? wins : losses);
  } else if (cell->fused.state == CellState::kExcluded) {
    ++excluded;
  } else if (cell->is_withheld()) {
    return;  // counted with the figures
  } else if (cell->fused.state == CellState::kFailed || cell->unfused.state == CellState::kFailed) {
    ++failed;
  } else {
    ++open;
  }
}

}  // namespace fuselab::gui
