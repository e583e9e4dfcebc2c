// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/shell/terminal.h"
#include "app/deploy/verify/verify_bundle.h"

namespace fuselab::cli {

// Returns what `fuselab export --verify` says: how the loader fared, a table of the pieces, what is wrong.
std::string verified_text(const deploy::VerifiedBundle& verified, const Terminal& terminal);
// Adds the same to its document.
void add_verified(nlohmann::json& document, const deploy::VerifiedBundle& verified);

}  // namespace fuselab::cli
