// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/confirm_pieces.h"

#include <algorithm>
#include <chrono>

namespace fuselab::deploy {

int count_unconfirmed(const engine::FusedModel& model, const std::vector<engine::CompareTable>& tables, const DeviceInfo& device) {
  return static_cast<int>(std::count_if(model.pieces.begin(), model.pieces.end(), [&](const engine::Piece& piece) {
    if (!piece.not_measured.empty()) return false;
    const auto decision = decide_piece(piece, row_of(tables, piece.key), device);
    return decision.ok() && decision.value().configured == kUnconfirmed;
  }));
}

Status confirm_pieces(engine::Engine& engine, const ExportSpec& spec, const std::string& typed, const std::string& binding,
                      const MeasuredCut& cut, const std::stop_token& stop) {
  engine::JobSpec job;
  job.verb = engine::JobSpec::Verb::kTune;
  job.command = spec.command;
  job.subjects = {typed};
  job.bindings = {binding};
  job.dtype = spec.dtype;
  job.level = spec.level;
  job.accepted = spec.accepted;
  if (!cut.for_every_device) job.devices.only = {spec.device};
  job.confirm_only = spec.device;
  FL_TRY(const auto started, engine.start(job));
  while (!started->wait_for(std::chrono::milliseconds(50))) {
    if (stop.stop_requested()) started->cancel();
    started->drain();
  }
  return started->result();
}

}  // namespace fuselab::deploy
