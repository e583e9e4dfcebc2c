// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

namespace fuselab::cli {

// Cells and tables as a session builds them.
inline engine::Cell measured(double median_ns, double low_ns, double high_ns, std::string trial) {
  engine::Cell cell;
  cell.state = engine::CellState::kMeasured;
  cell.figure = engine::Figure{median_ns, {low_ns, high_ns}, std::move(trial), "vector=8", false, 0, 0, ""};
  return cell;
}

inline engine::Cell failed(std::string reason) {
  engine::Cell cell;
  cell.state = engine::CellState::kFailed;
  cell.reason = std::move(reason);
  return cell;
}

inline engine::Cell withheld(std::string reason, double median_ns) {
  engine::Cell cell = failed(std::move(reason));
  cell.state = engine::CellState::kWithheld;
  cell.withheld = engine::Figure{median_ns, {median_ns, median_ns}, "w", "vector=8", false, 0, 0, ""};
  cell.share_of_ceiling = 1.09;
  return cell;
}

inline engine::Cell excluded(std::string reason) {
  engine::Cell cell;
  cell.state = engine::CellState::kExcluded;
  cell.reason = std::move(reason);
  return cell;
}

inline engine::CompareCell cell_on(std::string device, engine::Cell fused, engine::Cell unfused) {
  engine::CompareCell cell;
  cell.device_id = std::move(device);
  cell.backend = cell.device_id.substr(0, cell.device_id.find(':'));
  cell.fused = std::move(fused);
  cell.unfused = std::move(unfused);
  return cell;
}

inline engine::CompareTable table_of(std::vector<engine::CompareCell> cells) {
  engine::CompareTable table;
  table.model = "w1-bias-gelu";
  table.level = "O2";
  engine::CompareRow& row = table.rows.emplace_back();
  row.name = "Add+Gelu";
  row.pattern = "ElementWise";
  row.cells = std::move(cells);
  return table;
}

}  // namespace fuselab::cli
