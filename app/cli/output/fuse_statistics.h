// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/backend/device_info.h"
#include "core/fusion/explain/statistics.h"
#include "core/fusion/explain/verify_fusion.h"
#include "core/fusion/partition/fusion_engine.h"

namespace fuselab::cli {

// What reading a model folded, wrote out and left undecided, a line each; "" where it was nothing of these.
std::string import_counts_text(const ImportCounts& imported);
nlohmann::json import_counts_json(const ImportCounts& imported);

// The text that `fuse --statistics` and `fuse --verify` print below the table.
std::string statistics_text(const FusionStatistics& statistics);
nlohmann::json statistics_json(const FusionStatistics& statistics);
// A structural fault or doubt about a piece; the findings cover all distinct pieces.
struct PieceFinding {
  std::string piece;
  FusionValidation::Finding finding;
};
// Returns the findings of all distinct pieces. `asked`: rows are compared with the smallest on-chip limit of a block among these
// devices; they are not when it is empty or none has such a limit.
std::vector<PieceFinding> findings_of(const FusionResult& fusion, const std::vector<DeviceInfo>& asked);
std::string findings_text(const std::vector<PieceFinding>& findings);
nlohmann::json findings_json(const std::vector<PieceFinding>& findings);
std::string verification_text(const FusionVerification& verification);
nlohmann::json verification_json(const FusionVerification& verification);

}  // namespace fuselab::cli
