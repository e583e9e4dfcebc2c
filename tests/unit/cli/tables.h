// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/snapshots.h"

namespace fuselab::cli {

// Cells and tables as a session builds them.
inline session::Cell measured(double median_ns, double low_ns, double high_ns, std::string trial) {
  session::Cell cell;
  cell.state = session::CellState::kMeasured;
  cell.figure = session::Figure{median_ns, {low_ns, high_ns}, std::move(trial), "vector=8", false, 0, 0, ""};
  return cell;
}

inline session::Cell failed(std::string reason) {
  session::Cell cell;
  cell.state = session::CellState::kFailed;
  cell.reason = std::move(reason);
  return cell;
}

inline session::Cell excluded(std::string reason) {
  session::Cell cell;
  cell.state = session::CellState::kExcluded;
  cell.reason = std::move(reason);
  return cell;
}

inline session::CompareCell cell_on(std::string device, session::Cell fused, session::Cell unfused) {
  session::CompareCell cell;
  cell.device_id = std::move(device);
  cell.backend = cell.device_id.substr(0, cell.device_id.find(':'));
  cell.fused = std::move(fused);
  cell.unfused = std::move(unfused);
  return cell;
}

inline session::CompareTable table_of(std::vector<session::CompareCell> cells) {
  session::CompareTable table;
  table.model = "w1-bias-gelu";
  table.level = "O2";
  session::CompareRow& row = table.rows.emplace_back();
  row.name = "Add+Gelu";
  row.pattern = "ElementWise";
  row.cells = std::move(cells);
  return table;
}

}  // namespace fuselab::cli
