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

// What `fuse --statistics` and `fuse --verify` say below the table.
std::string statistics_text(const FusionStatistics& statistics);
nlohmann::json statistics_json(const FusionStatistics& statistics);
// What a piece is structurally wrong or doubtful in, of all distinct pieces.
struct PieceFinding {
  std::string piece;
  FusionValidation::Finding finding;
};
// `asked`: rows are held against the least that a block of these keeps on its chip; of none, or where none has such a limit, they
// are not.
std::vector<PieceFinding> findings_of(const FusionResult& fusion, const std::vector<DeviceInfo>& asked);
std::string findings_text(const std::vector<PieceFinding>& findings);
nlohmann::json findings_json(const std::vector<PieceFinding>& findings);
std::string verification_text(const FusionVerification& verification);
nlohmann::json verification_json(const FusionVerification& verification);

}  // namespace fuselab::cli
