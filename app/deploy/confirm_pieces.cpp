// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/confirm_pieces.h"

#include <chrono>

namespace fuselab::deploy {

std::set<std::string> unconfirmed_pieces(const engine::FusedModel& model, const std::vector<engine::CompareTable>& tables,
                                         const DeviceInfo& device) {
  std::set<std::string> keys;
  for (const engine::Piece& piece : model.pieces) {
    if (!piece.not_measured.empty()) continue;
    const auto decision = decide_piece(piece, row_of(tables, piece.key), device);
    if (decision.ok() && decision.value().configured == kUnconfirmed) keys.insert(piece.key);
  }
  return keys;
}

Status confirm_pieces(engine::Engine& engine, const ExportSpec& spec, const std::string& typed, const std::string& binding,
                      const MeasuredCut& cut, std::set<std::string> pieces, const std::stop_token& stop) {
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
  job.confirm_pieces = std::move(pieces);
  FL_TRY(const auto started, engine.start(job));
  while (!started->wait_for(std::chrono::milliseconds(50))) {
    if (stop.stop_requested()) started->cancel();
    started->drain();
  }
  return started->result();
}

}  // namespace fuselab::deploy
