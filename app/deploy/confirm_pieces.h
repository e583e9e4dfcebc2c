// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/deploy/export_decisions.h"

namespace fuselab::deploy {

// Returns how many of the model's pieces would go out with a figure that no fresh process confirmed.
int count_unconfirmed(const engine::FusedModel& model, const std::vector<engine::CompareTable>& tables, const DeviceInfo& device);

// Measures the stored plans of the subject's pieces on the spec's device again, each in a fresh process, where that was not done
// yet. Nothing else is measured. `cut`: how the model was cut.
// Fails with kBusy where another process writes the database, and with kCancelled.
Status confirm_pieces(engine::Engine& engine, const ExportSpec& spec, const std::string& typed, const std::string& binding,
                      const MeasuredCut& cut, const std::stop_token& stop);

}  // namespace fuselab::deploy
