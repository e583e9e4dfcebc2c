// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/reproduce.h"

#include <algorithm>

#include "app/engine/job/engine.h"
#include "core/base/shell_word.h"

namespace fuselab::cli {
namespace {

using engine::CellState;
using engine::CompareCell;
using engine::CompareRow;

std::vector<CompareCell>::const_iterator first_failed(const CompareRow& row) {
  return std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) {
    return cell.fused.state == CellState::kFailed || cell.unfused.state == CellState::kFailed;
  });
}

std::string option(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(" ") + name + " " + shell_word(value);
}

}  // namespace

std::string reproducing_command(const engine::CompareTable& table, const CompareRow& row) {
  if (row.graph.empty()) return "";
  const engine::JobSpec usual;
  const auto failed = first_failed(row);
  const bool fails = failed != row.cells.end();
  const Drawbacks drawbacks = fails ? drawbacks_of(failed->fused.failed_config) : Drawbacks();
  const std::string accepted = drawbacks.empty() ? "" : " " + accepting(drawbacks);
  // The text of a kernel of the user's own is taken from its file alone.
  const bool is_own = row.graph.find("OwnKernel(") != std::string::npos;
  const std::string subject = is_own ? shell_word(table.model) + option("--shape", table.binding) : shell_word(row.graph);
  return "fuselab bench " + subject + option("--device", fails ? failed->device_id : row.recommended_device) +
         option("--level", table.level == usual.level ? "" : table.level) +
         option("--mode", table.mode == usual.protocol.mode ? "" : std::string(name_of(table.mode))) +
         option("--config", fails ? failed->fused.failed_config : "") + accepted;
}

bool has_failed(const CompareRow& row) {
  return first_failed(row) != row.cells.end();
}

}  // namespace fuselab::cli
