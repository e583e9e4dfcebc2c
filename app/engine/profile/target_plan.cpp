// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/target_plan.h"

#include <algorithm>

#include "app/engine/kernels/compiled_config.h"
#include "app/engine/kernels/requests.h"
#include "app/engine/profile/program_kernels.h"
#include "app/engine/subject/given_config.h"
#include "app/engine/subject/subject.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::engine {
namespace {

// Returns the pieces that are called so, the one that moves most first; empty: all that run.
std::vector<const Piece*> pieces_called(const std::vector<Piece>& pieces, const std::string& called) {
  std::vector<const Piece*> found;
  for (const Piece& piece : pieces) {
    if (called.empty() ? piece.not_measured.empty() : piece.operation.name == called || piece.key.starts_with(called))
      found.push_back(&piece);
  }
  std::stable_sort(found.begin(), found.end(), [](const Piece* a, const Piece* b) {
    return a->operation.cost.ideal().count > b->operation.cost.ideal().count;
  });
  return found;
}

struct Choice {
  const Piece* piece = nullptr;
  LaunchConfig config;      // as stated; what it leaves out is as in the default
  std::string passed_over;  // the piece before it that the target is refused, and why
};

// Takes the first piece that is written for the device's target. Fails with the first one's reason where none is.
Result<Choice> first_written(const std::vector<const Piece*>& pieces, WorkerPool& workers, const ProfiledPlan& plan,
                             const LaunchConfig& stated, const std::stop_token& stop) {
  std::string first;
  for (const Piece* const piece : pieces) {
    std::string why = piece->not_measured;
    if (why.empty()) {
      FL_TRY(const wire::DescribeReply described,
             workers.describe(describe_request(plan.device, plan.level, piece->operation.graph), stop));
      if (described.support.yes) {
        FL_TRY(LaunchConfig config, completed_config(stated, described, piece->operation.name + " for " + plan.device.id));
        return Choice{piece, std::move(config), first};
      }
      why = described.support.why_not;
    }
    if (first.empty()) first = piece->operation.name + " for " + plan.device.id + ": " + why;
  }
  return Error{ErrorCode::kUnavailable, first};
}

Error no_piece(const FusedModel& model, const std::string& called) {
  std::string names;
  for (const Piece& piece : model.pieces) names += (names.empty() ? "" : ", ") + piece.operation.name;
  return {ErrorCode::kNotFound,
          model.subject.name + " has no piece" + (called.empty() ? " that runs" : " '" + called + "'; it has " + names)};
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
  const auto called = pieces_called(model.pieces, spec.piece);
  if (called.empty()) return no_piece(model, spec.piece);
  found.model = model.subject.name;
  found.binding = model.subject.binding;
  found.device.id = target.target.id;
  found.device.name = "no device";
  found.device.backend = spec.devices.only.empty() ? target.backend : spec.devices.only.front();
  found.device.type = found.device.backend == "cpu" ? "cpu" : "gpu";
  found.device.target = target.target;
  FL_TRY(const Choice choice, first_written(called, workers, found, spec.config, stop));
  found.piece = *choice.piece;
  const Graph& graph = found.piece.operation.graph;
  FL_TRY(CompiledKernel kernel, workers.compile(compile_request(found.device, found.level, graph, choice.config), stop));
  found.config = kernel.config.text();
  found.plan = whole_graph_plan("fused " + found.config, graph, kernel);
  FL_TRY(found.kernels, kernels_of_program(kernel, target.target));
  found.note = "Compiled for " + spec.target + " and read; nothing ran. Only a device tells how fast it is.";
  if (const std::string calls = call_words(kernel.resources); !calls.empty())
    found.note += " Besides it calls libraries, whose code is not here: " + calls + ".";
  if (!choice.passed_over.empty()) found.note += " Another piece moves more, but is not written: " + choice.passed_over + ".";
  return found;
}

}  // namespace fuselab::engine
