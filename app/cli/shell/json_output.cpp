// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/json_output.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/reports/json_text.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {

ExitCode print_document(nlohmann::json document, const std::optional<Error>& problem) {
  return print_document(std::move(document), problem, problem ? exit_code_for(*problem) : ExitCode::kOk);
}

ExitCode print_document(nlohmann::json document, const std::optional<Error>& problem, ExitCode code) {
  if (problem) {
    document["error"] = {{"code", std::string(name_of(problem->code))}, {"message", with_short_words(problem->message)}};
    document["exit"] = static_cast<int>(code);
  }
  std::puts(reports::with_escaped_controls(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)).c_str());
  return code;
}

}  // namespace fuselab::cli
