// SPDX-License-Identifier: Apache-2.0
#include "app/cli/json_output.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace fuselab::cli {

namespace {

// What nlohmann leaves as it is, and a terminal follows: DEL and C1. They can stand in strings only, where an escape means the
// same.
std::string with_escaped_controls(const std::string& json) {
  std::string text;
  for (std::size_t i = 0; i < json.size(); ++i) {
    auto const byte = [&](std::size_t at) { return at < json.size() ? static_cast<unsigned char>(json[at]) : 0u; };
    bool const two_bytes = byte(i) == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) <= 0x9f;
    if (!two_bytes && byte(i) != 0x7f) {
      text += json[i];
      continue;
    }
    if (two_bytes) ++i;
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", byte(i));
    text += escape;
  }
  return text;
}

}  // namespace

ExitCode print_document(nlohmann::json document, const std::optional<Error>& problem) {
  return print_document(std::move(document), problem, problem ? exit_code_for(*problem) : ExitCode::kOk);
}

ExitCode print_document(nlohmann::json document, const std::optional<Error>& problem, ExitCode code) {
  if (problem) {
    document["error"] = {{"code", std::string(name_of(problem->code))}, {"message", problem->message}};
    document["exit"] = static_cast<int>(code);
  }
  std::puts(with_escaped_controls(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)).c_str());
  return code;
}

}  // namespace fuselab::cli
