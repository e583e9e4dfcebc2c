// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/gate/check_report.h"

namespace fuselab::cli {

// Returns the report with the file of each case named as GitHub looks for it in annotations and in SARIF: relative to the root of
// the repository around it, whatever folder the gate ran in. Where git finds no repository (there is no git, or it refuses another
// owner's folder), relative to GITHUB_WORKSPACE if the file lies there. A file that does not exist here or lies in neither keeps
// its name. Runs git once for each file.
CheckReport with_github_places(CheckReport report);

}  // namespace fuselab::cli
