// SPDX-License-Identifier: Apache-2.0
#include "app/cli/reproduce.h"

#include <algorithm>

#include "app/session/session.h"

namespace fuselab::cli {
namespace {

using session::CellState;
using session::CompareCell;
using session::CompareRow;

std::vector<CompareCell>::const_iterator first_failed(const CompareRow& row) {
  return std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) {
    return cell.fused.state == CellState::kFailed || cell.unfused.state == CellState::kFailed;
  });
}

std::string option(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(" ") + name + " " + shell_word(value);
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'(){}<>|&;$*?#!~`\\[]") == std::string::npos) return word;
  std::string quoted = "'";
  for (char const letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string reproducing_command(const session::CompareTable& table, const CompareRow& row) {
  if (row.graph.empty()) return "";
  session::JobSpec const usual;
  auto const failed = first_failed(row);
  bool const fails = failed != row.cells.end();
  return "fuselab bench " + shell_word(row.graph) + option("--device", fails ? failed->device_id : row.recommended_device) +
         option("--level", table.level == usual.level ? "" : table.level) +
         option("--mode", table.mode == usual.protocol.mode ? "" : std::string(name_of(table.mode))) +
         option("--config", fails ? failed->fused.failed_config : "");
}

bool has_failed(const CompareRow& row) {
  return first_failed(row) != row.cells.end();
}

}  // namespace fuselab::cli
