// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/surveys/not_run.h"

#include <nlohmann/json.hpp>

#include "app/engine/subject/operator_counts.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {

std::string not_run_lines(const std::vector<NotRun>& list) {
  std::string text;
  for (const NotRun& each : list) text += "  " + plain_line(engine::not_run_text(each)) + "\n";
  return text;
}

nlohmann::json not_run_json(const std::vector<NotRun>& list) {
  nlohmann::json all = nlohmann::json::array();
  for (const NotRun& each : list) {
    all.push_back({{"operator", each.op}, {"count", each.count}, {"first", each.first}, {"reason", each.reason}});
    if (!each.device.empty()) all.back()["device"] = each.device;
  }
  return all;
}

}  // namespace fuselab::cli
