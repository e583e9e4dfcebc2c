// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/piece_maker.h"

#include "app/engine/kernels/plan_configs.h"
#include "app/engine/kernels/requests.h"
#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/tune/plan_pair.h"
#include "app/views/plan_words.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {

std::string ExecutionCandidate::text(bool single) const {
  return device.id + " " + std::string(plan_word(kind, single));
}

Result<ExecutablePiece*> PieceMaker::make(const Piece& piece, const ExecutionCandidate& candidate, std::stop_token stop) {
  const std::string key = piece.key + " " + candidate.text(piece.is_single()) + " " + candidate.configs;
  if (const auto known = made_.find(key); known != made_.end()) return &known->second;
  FL_TRY(ExecutablePiece made, make_anew(piece, candidate, stop));
  return &made_.emplace(key, std::move(made)).first->second;
}

Result<ExecutablePiece> PieceMaker::make_anew(const Piece& piece, const ExecutionCandidate& candidate, std::stop_token stop) {
  ExecutablePiece made;
  made.kept = true;
  const Nanoseconds start = platform::monotonic_now();
  const Graph& graph = piece.operation.graph;
  engine::Candidate planned;
  if (candidate.kind == PlanKind::kFused || piece.is_single()) {
    FL_TRY(CompiledKernel one, kernel(graph, candidate, candidate.configs, made, stop));
    const LaunchConfig config = one.config;
    planned = single_kernel_candidate(graph, piece.key, piece.operation.name, config, std::move(one));
  } else {
    std::vector<Result<CompiledKernel>> kernels;
    std::vector<std::string> configs = PlanConfigs::of(candidate.configs).each;
    configs.resize(piece.operator_graphs.size());  // one that is missing is the backend's default
    for (std::size_t i = 0; i < piece.operator_graphs.size(); ++i) {
      FL_TRY(CompiledKernel one, kernel(piece.operator_graphs[i], candidate, configs[i], made, stop));
      kernels.emplace_back(std::move(one));
    }
    planned = unfused_candidate(piece, std::move(kernels));
  }
  if (planned.failed) return Error{ErrorCode::kUnsupported, planned.failed->reason};
  made.plan = std::move(planned.plan);
  if (!made.kept) made.compilation = {platform::monotonic_now().count - start.count};
  return made;
}

// What a size near this one runs in may not compile here: then the default is tried as it was before.
Result<CompiledKernel> PieceMaker::kernel(const Graph& graph, const ExecutionCandidate& candidate, const std::string& text,
                                          ExecutablePiece& made, std::stop_token stop) {
  auto kernel = kernel_of(graph, candidate, text, made, untuned_, stop);
  if (kernel.ok() || made.note.empty() || kernel.error().code == ErrorCode::kCancelled) return kernel;
  made.note.clear();
  return kernel_of(graph, candidate, text, made, Untuned::kDefault, std::move(stop));
}

Result<CompiledKernel> PieceMaker::kernel_of(const Graph& graph, const ExecutionCandidate& candidate, const std::string& text,
                                             ExecutablePiece& made, Untuned untuned, std::stop_token stop) {
  LaunchConfig config;
  if (text.empty()) {
    FL_TRY(const auto described, workers_.describe(describe_request(candidate.device, level_, graph), stop));
    if (!described.support.yes) return Error{ErrorCode::kUnsupported, described.support.why_not};
    config = described.default_config;
    std::optional<NearestConfig> nearest;
    if (untuned == Untuned::kNearestSize) {
      FL_TRY(nearest, nearest_.find(graph, candidate.device.id, described.space));
    }
    if (nearest && drawbacks_of(nearest->config).without(accepted_).empty()) {
      config = std::move(nearest->config);
      made.note = std::move(nearest->note);
    }
  } else {
    FL_TRY(config, LaunchConfig::parse(text));
  }
  if (const Drawbacks withheld = drawbacks_of(config).without(accepted_); !withheld.empty()) {
    return Error{ErrorCode::kUnsupported, why_withheld(withheld)};
  }
  auto identified = workers_.generate(generate_request(candidate.device, level_, graph, {config}), stop);
  if (!identified.front().ok()) return identified.front().error();
  auto stored = kept_.kernel(identified.front().value().kernel_id());
  if (stored.ok() && stored.value() && !stored.value()->binary.data.empty()) return std::move(*stored.value());
  made.kept = false;
  return workers_.compile(compile_request(candidate.device, level_, graph, config), stop);
}

}  // namespace fuselab::engine
