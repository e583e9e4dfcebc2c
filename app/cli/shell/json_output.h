// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "app/cli/shell/exit_code.h"

namespace fuselab::cli {

// Prints the one JSON document of an invocation on stdout; text that is not UTF-8 is repaired, not refused. With a problem the
// members "error" (code, message) and "exit" are added to whatever result there is. Returns the problem's exit code, kOk without
// one. resources/schema/json has a schema per verb.
ExitCode print_document(nlohmann::json document, const std::optional<Error>& problem = std::nullopt);
// Does the same with another exit code than the problem's own.
ExitCode print_document(nlohmann::json document, const std::optional<Error>& problem, ExitCode code);

}  // namespace fuselab::cli
