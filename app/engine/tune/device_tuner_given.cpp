// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/subject/given_config.h"
#include "app/engine/tune/device_tuner.h"
#include "app/engine/tune/kernel_evaluator.h"

namespace fuselab::engine {

Status DeviceTuner::give_config(const Piece& piece, const LaunchConfig& config) {
  if (!piece.not_measured.empty()) return {};
  FL_TRY(const wire::DescribeReply described, builder_.describe(piece.operation.graph));
  if (!described.support.yes) return {};  // measuring it gives the reason
  FL_TRY(best_[piece.key], completed_config(config, described, piece.operation.name + " on " + device_.id));
  return {};
}

Status DeviceTuner::measure_given_config(const Piece& piece) {
  const Graph& graph = piece.operation.graph;
  const auto config = config_for(graph);
  Result<CompiledKernel> kernel = config.ok() ? builder_.make({{&graph, config.value()}}).front() : config.error();
  const LaunchConfig& given = config.ok() ? config.value() : context_.spec.config;
  std::vector<Candidate> alone;
  alone.push_back(single_kernel_candidate(graph, piece.key, piece.operation.name, given, std::move(kernel)));
  alone.back().generation = builder_.generation_of(graph);
  FL_TRY(std::vector<TrialRecord> records, measurer_.measure(std::move(alone), context_.spec.protocol, Freshness::kGivenConfig));
  note_failure(piece, records);
  std::erase_if(records, [](const TrialRecord& record) { return record.result.outcome != Outcome::kTimed; });
  for (TrialRecord& record : records) record.metric_key = context_.metric_key;  // stored apart, shown under the job's metric
  context_.evidence.show_only(piece.key, device_.id, std::move(records), given.text());
  return {};
}

}  // namespace fuselab::engine
