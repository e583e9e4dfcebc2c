// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/subject/piece.h"
#include "app/views/snapshots.h"
#include "core/backend/device_info.h"
#include "core/measure/ceiling.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// One device to compare on, with the environment in which its rows count and its measured ceilings.
struct ComparedDevice {
  DeviceInfo info;
  std::string environment_key;
  CeilingTable ceilings;
  std::size_t preference = 0;                      // preference_rank()
  std::optional<bool> takes_whole_models = false;  // takes_whole_models()
  CeilingTable of_hardware = {};  // shared_ceilings() of all devices here, those that take no part included; may be left empty
};

// Builds a subject's table from what is stored, under the name that its model is stored by. Nothing is measured, and a missing
// figure stays missing. `failures` says why a cell has no figure: (piece key, device id) → reason.
using Failures = std::map<std::pair<std::string, std::string>, std::string>;
Result<CompareTable> build_compare_table(const FusedModel& fused_model, const std::vector<ComparedDevice>& compared,
                                         const Protocol& protocol, EvidenceReader& evidence, const Failures& failures,
                                         Accepted accepted = {});

}  // namespace fuselab::engine
