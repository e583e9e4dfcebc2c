// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/deploy/export_decisions.h"

namespace fuselab::deploy {

// Returns the keys of the model's pieces that would go out with a figure that no fresh process confirmed.
std::set<std::string> unconfirmed_pieces(const engine::FusedModel& model, const std::vector<engine::CompareTable>& tables,
                                         const DeviceInfo& device);

// Measures the stored plans of these pieces of the subject on the spec's device again, each piece in a fresh process. Nothing else
// is measured. `cut`: how the model was cut.
// Fails with kBusy where another process writes the database, and with kCancelled.
Status confirm_pieces(engine::Engine& engine, const ExportSpec& spec, const std::string& typed, const std::string& binding,
                      const MeasuredCut& cut, std::set<std::string> pieces, const std::stop_token& stop);

}  // namespace fuselab::deploy
