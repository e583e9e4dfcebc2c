// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/compile_only.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <tuple>

#include "app/engine/subject/piece.h"
#include "app/engine/subject/subject.h"
#include "app/engine/workers/worker_pool.h"
#include "core/graph/graph_text.h"
#include "core/kernel/launch_prediction.h"
#include "core/kernel/virtual_target.h"
#include "core/platform/files/kernel_shelf.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kMostCounted = 100'000;

std::optional<std::int64_t> known(const std::map<std::string, std::int64_t>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// Compiles kernels for a target without having a device of it.
class Workshop {
 public:
  Workshop(const Config& config, const CompileOnlySpec& spec, const VirtualTarget& target, OptimizationLevel level)
      : spec_(spec), backend_(target.backend), target_(target.target), level_(level), pool_(options_of(config)) {}

  Result<RankedPiece> compile(const Piece& piece) {
    RankedPiece ranked;
    ranked.key = piece.key;
    ranked.name = piece.operation.name;
    ranked.pattern = name_of(piece.operation.pattern);
    ranked.not_compiled = piece.not_measured;
    if (!ranked.not_compiled.empty()) return ranked;
    FL_TRY(const wire::DescribeReply described, describe(piece.operation.graph, target_));
    ranked.not_compiled = described.support.yes ? "" : described.support.why_not;
    if (described.support.yes) {
      const auto space = described.space.enumerate(kMostCounted + 1);
      ranked.space_size = space.size() > kMostCounted ? -1 : static_cast<std::int64_t>(space.size());
      FL_TRY(const auto chosen, spec_.shelf.empty() ? some_of(space, described.default_config) : defaults(piece.operation.graph));
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
  static WorkerPoolOptions options_of(const Config& config) {
    WorkerPoolOptions options;
    options.trace = config.trace;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    return options;
  }

  Result<wire::DescribeReply> describe(const Graph& graph, const Target& target) {
    return pool_.describe({backend_, target, canonical_text(graph), level_}, {});
  }

  // Returns the default first, then an even spread over the space.
  Result<std::vector<LaunchConfig>> some_of(const std::vector<LaunchConfig>& space, const LaunchConfig& first) const {
    std::vector<LaunchConfig> chosen = {first};
    const auto most = static_cast<std::size_t>(spec_.trials);
    const std::size_t step = std::max<std::size_t>(1, (space.size() + most - 1) / most);
    for (std::size_t index = 0; index < space.size() && chosen.size() < most; index += step) {
      if (space[index] != first) chosen.push_back(space[index]);
    }
    return chosen;
  }

  // Returns the default configurations for a device of the target; they depend on whether its last cache holds the results.
  Result<std::vector<LaunchConfig>> defaults(const Graph& graph) {
    std::vector<LaunchConfig> chosen;
    for (const std::int64_t last_cache : {std::int64_t{0}, std::int64_t{1} << 40}) {
      Target device = target_;
      device.limits["l3_bytes"] = last_cache;
      FL_TRY(const wire::DescribeReply described, describe(graph, device));
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

  wire::CompileRequest request_for(const Graph& graph, const LaunchConfig& config) const {
    wire::CompileRequest request;
    request.backend = backend_;
    request.target = target_;
    request.graph_text = canonical_text(graph);
    request.config = config;
    request.level = level_;
    return request;
  }

  std::vector<CompiledConfig> make(const Graph& graph, const std::vector<LaunchConfig>& configs) {
    std::vector<Result<CompiledKernel>> kernels(configs.size(), Error{ErrorCode::kCancelled, "cancelled"});
    std::atomic<std::size_t> next = 0;
    const auto serve = [&] {
      for (std::size_t index = next++; index < configs.size(); index = next++)
        kernels[index] = pool_.compile(request_for(graph, configs[index]), {});
    };
    {
      std::vector<std::jthread> threads;
      const std::size_t helpers = std::min<std::size_t>(configs.size(), std::max(1U, std::thread::hardware_concurrency()));
      for (std::size_t index = 0; index < helpers; ++index) threads.emplace_back(serve);
    }
    std::vector<CompiledConfig> made;
    for (std::size_t index = 0; index < configs.size(); ++index) made.push_back(described(configs[index], kernels[index]));
    return made;
  }

  CompiledConfig described(const LaunchConfig& config, const Result<CompiledKernel>& made) {
    CompiledConfig row;
    row.config = config;
    const Status shelved = made.ok() ? shelve(made.value()) : Status(made.error());
    if (!shelved.ok()) {
      row.failure = shelved.error().message;
      return row;
    }
    const CompiledKernel& kernel = made.value();
    row.resources = kernel.resources;
    row.compile_time = kernel.metrics.compile_time;
    const auto word = [&](const char* name) {
      const auto found = kernel.binary.metadata.find(name);
      return found == kernel.binary.metadata.end() ? std::string() : found->second;
    };
    row.compiler = word("compiler") + " " + word("version");
    predict(row, kernel.abi, target_);
    return row;
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

  const CompileOnlySpec& spec_;
  std::string backend_;
  Target target_;
  OptimizationLevel level_;
  WorkerPool pool_;
  std::optional<platform::ShelfWriter> shelf_;
  std::set<std::string> seen_;  // keys of operators' graphs
};

Result<std::vector<FusedModel>> cut_all(const Config& config, const CompileOnlySpec& spec) {
  FL_TRY(const DType dtype, parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  const std::vector<std::string> names = spec.subjects.empty() ? default_subjects() : spec.subjects;
  FL_TRY(const auto bindings, shape_of_each(names, spec.bindings, config.model_links));
  Config looking = config;
  looking.model_directory.clear();
  std::vector<FusedModel> fused_models;
  for (std::size_t index = 0; index < names.size(); ++index) {
    FL_TRY(auto subjects, resolve_subject(looking, names[index], bindings[index], dtype));
    for (Subject& subject : subjects) {
      FL_TRY(FusedModel fused_model, cut(std::move(subject), level));
      fused_models.push_back(std::move(fused_model));
    }
  }
  return fused_models;
}

}  // namespace

void predict(CompiledConfig& row, const KernelAbi& abi, const Target& target) {
  const std::int64_t spills = known(row.resources, "spill_bytes").value_or(0);
  if (spills > 0) row.problem = "spills " + std::to_string(spills) + " bytes";
  if (!known(target.limits, "max_threads_per_sm")) return;  // no GPU
  const auto demand = launch_demand(abi, row.resources);
  if (!demand.ok()) return;
  if (demand.value().dynamic_shared_bytes > 0) row.resources["shared_bytes"] += demand.value().dynamic_shared_bytes;
  const LaunchPrediction prediction = predict_launch(demand.value(), target);
  row.launches = prediction.launches.yes;
  if (!row.launches) row.problem = "would not launch: " + prediction.launches.why_not;
  if (known(row.resources, "registers").value_or(0) > 0) row.occupancy = prediction.occupancy();
}

void rank(std::vector<CompiledConfig>& configs) {
  // An unknown resource is neither better nor worse than any other: it is unknown for all configurations of a compiler.
  const auto place = [](const CompiledConfig& each) {
    const auto of = [&](const char* name) { return known(each.resources, name).value_or(0); };
    return std::tuple(!each.failure.empty(), !each.launches, !each.problem.empty(), of("spill_bytes"), -each.occupancy.value_or(0),
                      of("registers"), of("shared_bytes"), of("code_bytes"), each.config.text());
  };
  std::sort(configs.begin(), configs.end(), [&](const CompiledConfig& a, const CompiledConfig& b) { return place(a) < place(b); });
}

Result<CompileOnlyReport> compile_only(const Config& config, const CompileOnlySpec& spec) {
  FL_TRY(const VirtualTarget target, virtual_target(spec.target));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  FL_TRY(const auto fused_models, cut_all(config, spec));
  CompileOnlyReport report;
  report.target = target.target;
  report.backend = target.backend;
  Workshop workshop(config, spec, target, level);
  for (const FusedModel& fused_model : fused_models) {
    for (const Piece& piece : fused_model.pieces) {
      FL_TRY(RankedPiece ranked, workshop.compile(piece));
      ranked.model = fused_model.subject.name;
      ranked.binding = fused_model.subject.binding;
      report.pieces.push_back(std::move(ranked));
    }
  }
  FL_TRY(report.shelved, workshop.finish_shelf());
  return report;
}

}  // namespace fuselab::engine
