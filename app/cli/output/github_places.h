// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/gate/check_report.h"

namespace fuselab::cli {

// The report with the file of each case named as GitHub looks for it, in annotations and in SARIF: relative to the root of the
// repository around it, in whatever folder the gate ran. Where git tells of no repository (there is no git, or it refuses another
// owner's folder), relative to GITHUB_WORKSPACE if it lies there. What is not here, or in neither, stays as it was given. Asks git
// once for each file.
CheckReport with_github_places(CheckReport report);

}  // namespace fuselab::cli
