// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace fuselab::cli {

Result<session::Session*> Invocation::session() {
  if (!opened_) {
    FL_TRY(opened_, session::Session::open(config));
  }
  return opened_.get();
}

ExitCode fail(const Invocation& invocation, const Error& error) {
  ExitCode const code = exit_code_for(error);
  if (invocation.json) {
    nlohmann::json const report = {{"error", {{"code", std::string(name_of(error.code))}, {"message", error.message}}},
                                   {"exit", static_cast<int>(code)}};
    std::puts(report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    std::fprintf(stderr, "fuselab: %s\n", error.message.c_str());
  }
  return code;
}

void add_shape_option(CLI::App& verb, std::vector<std::string>& shapes) {
  verb.add_option("--shape", shapes,
                  "Extents of the named dimensions, e.g. batch=8,seq=128; once for all subjects, or once for each")
      ->take_all()
      ->type_name("NAME=N,…");
}

}  // namespace fuselab::cli
