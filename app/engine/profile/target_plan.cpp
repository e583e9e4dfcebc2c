// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/target_plan.h"

#include <algorithm>

#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/subject/subject.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::engine {
namespace {

const Piece* choose_piece(const std::vector<Piece>& pieces, const std::string& called) {
  const Piece* chosen = nullptr;
  const auto weight = [](const Piece& piece) { return static_cast<double>(piece.operation.cost.ideal().count); };
  for (const Piece& piece : pieces) {
    if (!piece.not_measured.empty()) continue;
    if (!called.empty() && piece.operation.name != called && !piece.key.starts_with(called)) continue;
    if (chosen == nullptr || weight(piece) > weight(*chosen)) chosen = &piece;
  }
  return chosen;
}

}  // namespace

Result<ProfiledPlan> plan_for_target(Engine& engine, WorkerPool& workers, const ProfileSpec& spec, const std::stop_token& stop) {
  const JobSpec usual;
  FL_TRY(const VirtualTarget target, virtual_target(spec.target));
  ProfiledPlan found;
  found.dtype = spec.dtype.empty() ? usual.dtype : spec.dtype;
  found.level = spec.level.empty() ? usual.level : spec.level;
  FL_TRY(const DType dtype, parse_element_type(found.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(found.level));
  FL_TRY(auto subjects, resolve_subject(engine.config(), spec.subject, spec.binding, dtype));
  FL_TRY(FusedModel model, cut(std::move(subjects.front()), level));
  const Piece* const piece = choose_piece(model.pieces, spec.piece);
  if (piece == nullptr)
    return Error{ErrorCode::kNotFound,
                 spec.subject + " has no piece" + (spec.piece.empty() ? " that runs" : " '" + spec.piece + "'")};
  found.piece = *piece;
  found.model = model.subject.name;
  found.binding = model.subject.binding;
  found.device.id = target.target.id;
  found.device.name = "no device";
  found.device.backend = target.backend;
  found.device.type = target.backend == "cpu" ? "cpu" : "gpu";
  found.device.target = target.target;
  const Graph& graph = found.piece.operation.graph;
  FL_TRY(const wire::DescribeReply described, workers.describe(describe_request(found.device, found.level, graph), stop));
  if (!described.support.yes)
    return Error{ErrorCode::kUnavailable, found.piece.operation.name + " for " + spec.target + ": " + described.support.why_not};
  FL_TRY(CompiledKernel kernel, workers.compile(compile_request(found.device, found.level, graph, described.default_config), stop));
  found.config = kernel.config.text();
  found.plan = whole_graph_plan("fused " + found.config, graph, kernel);
  found.kernels.push_back(std::move(kernel));
  found.note = "Compiled for " + spec.target + " and read; nothing ran. Only a device tells how fast it is.";
  return found;
}

}  // namespace fuselab::engine
