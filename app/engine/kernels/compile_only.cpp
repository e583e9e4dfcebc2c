// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/compile_only.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "app/engine/kernels/workshop.h"
#include "app/engine/subject/piece.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/kernel_shelf.h"
#include "tuner/prior.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kMostCounted = 100'000;

// Compiles configurations of pieces, ranks them, and puts them on the shelf where there is one.
class Ranking {
 public:
  Ranking(Workshop& workshop, const CompileOnlySpec& spec) : workshop_(workshop), spec_(spec) {}

  Result<RankedPiece> compile(const Piece& piece) {
    RankedPiece ranked;
    ranked.key = piece.key;
    ranked.name = piece.operation.name;
    ranked.pattern = name_of(piece.operation.pattern);
    ranked.not_compiled = piece.not_measured;
    if (!ranked.not_compiled.empty()) return ranked;
    FL_TRY(const wire::DescribeReply described, workshop_.describe(piece.operation.graph));
    ranked.not_compiled = described.support.yes ? "" : described.support.why_not;
    if (described.support.yes) {
      const auto space = described.space.enumerate(kMostCounted + 1);
      ranked.space_size = space.size() > kMostCounted ? -1 : static_cast<std::int64_t>(space.size());
      FL_TRY(const auto chosen, spec_.shelf.empty() ? some_of(described, space) : defaults(piece.operation.graph));
      for (auto& kernel : make(piece.operation.graph, chosen)) ranked.configs.push_back(std::move(kernel));
      for (CompiledConfig& each : ranked.configs) each.is_default = each.config == described.default_config;
      rank(ranked.configs);
    }
    if (!spec_.shelf.empty()) FL_TRY_VOID(shelve_operators(piece));
    return ranked;
  }

  Result<int> finish_shelf() {
    if (!shelf_) return 0;
    FL_TRY_VOID(shelf_->finish());
    return static_cast<int>(shelf_->size());
  }

 private:
  // Returns the default first, then what the prior comes to, then an even spread over the space.
  Result<std::vector<LaunchConfig>> some_of(const wire::DescribeReply& described, const std::vector<LaunchConfig>& space) const {
    const auto most = static_cast<std::size_t>(spec_.trials);
    std::vector<LaunchConfig> chosen = tuner::prior_in(described.space, described.default_config, spec_.prior, tuner::kMostOfPrior);
    chosen.insert(chosen.begin(), described.default_config);
    if (chosen.size() > most) chosen.resize(std::max<std::size_t>(most, 1));
    const std::size_t step = std::max<std::size_t>(1, (space.size() + most - 1) / most);
    for (std::size_t index = 0; index < space.size() && chosen.size() < most; index += step) {
      if (std::find(chosen.begin(), chosen.end(), space[index]) == chosen.end()) chosen.push_back(space[index]);
    }
    return chosen;
  }

  // Returns the default configurations for a device of the target; they depend on whether its last cache holds the results.
  Result<std::vector<LaunchConfig>> defaults(const Graph& graph) {
    std::vector<LaunchConfig> chosen;
    for (const std::int64_t last_cache : {std::int64_t{0}, std::int64_t{1} << 40}) {
      Target device = workshop_.target();
      device.limits["l3_bytes"] = last_cache;
      FL_TRY(const wire::DescribeReply described, workshop_.describe(graph, device));
      const bool is_new = std::find(chosen.begin(), chosen.end(), described.default_config) == chosen.end();
      if (described.support.yes && is_new) chosen.push_back(described.default_config);
    }
    return chosen;
  }

  Status shelve_operators(const Piece& piece) {
    for (const Graph& graph : piece.operator_graphs) {
      if (piece.is_single() || !seen_.insert(graph_key(graph).hex()).second) continue;
      FL_TRY(const auto chosen, defaults(graph));
      make(graph, chosen);
    }
    return {};
  }

  std::vector<CompiledConfig> make(const Graph& graph, const std::vector<LaunchConfig>& configs) {
    std::vector<Result<CompiledKernel>> kernels(configs.size(), Error{ErrorCode::kCancelled, "cancelled"});
    for_each_at_once(configs.size(), [&](std::size_t index) { kernels[index] = workshop_.compile(graph, configs[index]); });
    std::vector<CompiledConfig> made;
    for (std::size_t index = 0; index < configs.size(); ++index) {
      const Status shelved = kernels[index].ok() ? shelve(kernels[index].value()) : Status();
      if (!shelved.ok()) kernels[index] = shelved.error();
      made.push_back(compiled_config(configs[index], kernels[index], workshop_.target()));
    }
    return made;
  }

  Status shelve(const CompiledKernel& kernel) {
    if (spec_.shelf.empty()) return {};
    if (!shelf_) {
      const CompilerFingerprint compiler{kernel.identity.compiler, kernel.identity.compiler_version};
      FL_TRY(auto opened, platform::ShelfWriter::open(spec_.shelf, compiler));
      shelf_ = std::move(opened);
    }
    return shelf_->put(kernel.source, kernel.identity.flags, kernel.binary);
  }

  Workshop& workshop_;
  const CompileOnlySpec& spec_;
  std::optional<platform::ShelfWriter> shelf_;
  std::set<std::string> seen_;  // keys of operators' graphs
};

Result<std::vector<FusedModel>> cut_all(const Config& config, const CompileOnlySpec& spec) {
  FL_TRY(const DType dtype, parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  const std::vector<std::string> names = spec.subjects.empty() ? default_subjects() : spec.subjects;
  FL_TRY(const auto bindings, shape_of_each(names, spec.bindings, config.model_links));
  std::vector<FusedModel> fused_models;
  for (std::size_t index = 0; index < names.size(); ++index) {
    FL_TRY(auto cut_here, cut_subject(config, names[index], bindings[index], dtype, level));
    std::move(cut_here.begin(), cut_here.end(), std::back_inserter(fused_models));
  }
  return fused_models;
}

}  // namespace

void rank(std::vector<CompiledConfig>& configs) {
  // An unknown resource is neither better nor worse than any other: it is unknown for all configurations of a compiler.
  const auto place = [](const CompiledConfig& each) {
    const auto of = [&](const char* name) {
      const auto found = each.resources.find(name);
      return found == each.resources.end() ? 0 : found->second;
    };
    return std::tuple(!each.failure.empty(), !each.launches, !each.problem.empty(), of("spill_bytes"), -each.occupancy.value_or(0),
                      of("registers"), of("shared_bytes"), of("code_bytes"), each.config.text());
  };
  std::sort(configs.begin(), configs.end(), [&](const CompiledConfig& a, const CompiledConfig& b) { return place(a) < place(b); });
}

Result<CompileOnlyReport> compile_only(const Config& config, const CompileOnlySpec& spec) {
  FL_TRY(VirtualTarget target, virtual_target(spec.target));
  if (!spec.backend.empty()) target.backend = spec.backend;
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  FL_TRY(const auto fused_models, cut_all(config, spec));
  CompileOnlyReport report;
  report.target = target.target;
  report.backend = target.backend;
  WorkerPool pool(compile_pool_options(config));
  Workshop workshop(pool, target, level);
  Ranking ranking(workshop, spec);
  for (const FusedModel& fused_model : fused_models) {
    for (const Piece& piece : fused_model.pieces) {
      FL_TRY(RankedPiece ranked, ranking.compile(piece));
      ranked.model = fused_model.subject.name;
      ranked.binding = fused_model.subject.binding;
      report.pieces.push_back(std::move(ranked));
    }
  }
  FL_TRY(report.shelved, ranking.finish_shelf());
  return report;
}

}  // namespace fuselab::engine
