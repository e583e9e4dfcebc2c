// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/export_subject.h"

#include <algorithm>
#include <set>

#include "app/deploy/bundle/header_file.h"
#include "app/deploy/confirm_pieces.h"
#include "app/deploy/export_decisions.h"
#include "app/deploy/figure_measuring.h"
#include "app/deploy/gpu_kernels.h"
#include "app/deploy/plan/model_plan.h"
#include "app/engine/execute/execution_graph.h"
#include "app/views/plan_words.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"

namespace fuselab::deploy {
namespace {

using engine::CompareTable;
using engine::FusedModel;
using engine::Piece;
using engine::Subject;

bool are_called_alike(const BundleKernel& a, const BundleKernel& b) {
  return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const BundleArgument& x, const BundleArgument& y) { return x.role == y.role && x.bytes == y.bytes; });
}

BundleForm form_of(const ExportSpec& spec) {
  std::error_code unknown;
  const bool names_folder = !spec.file.has_filename() || std::filesystem::is_directory(spec.file, unknown);
  return spec.format == ExportFormat::kFolder || names_folder ? BundleForm::kFolder : BundleForm::kFile;
}

Bytes size_on_disk(const std::filesystem::path& written) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(written, unknown))
    return {static_cast<std::int64_t>(std::filesystem::file_size(written, unknown))};
  Bytes size;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(written, unknown)) {
    if (entry.is_regular_file(unknown)) size.count += static_cast<std::int64_t>(entry.file_size(unknown));
  }
  return size;
}

class Exporter {
 public:
  Exporter(engine::Engine& engine, const ExportSpec& spec, engine::WorkerPool& workers, std::stop_token stop)
      : engine_(engine),
        spec_(spec),
        maker_(workers, engine.queries(), spec.level, spec.accepted),
        baseline_maker_(workers, engine.queries(), spec.level, spec.accepted, engine::PieceMaker::Untuned::kDefault),
        measuring_(engine.queries()),
        workers_(workers),
        stop_(std::move(stop)) {}

  Status run() {
    FL_TRY(const DType dtype, engine::parse_element_type(spec_.dtype));
    FL_TRY(target_, export_target(engine_, spec_));
    FL_TRY(const OptimizationLevel level, parse_optimization_level(spec_.level));
    FL_TRY(GpuKernels gpu_kernels, GpuKernels::open(engine_, workers_, spec_.gpu_targets, level));
    gpu_kernels_.emplace(std::move(gpu_kernels));
    const DeviceInfo& device = target_.device;
    const auto denormals = device.properties.find("denormals");
    bundle_.manifest.made_by = "fuselab " + std::string(tool_version());
    bundle_.manifest.commit = spec_.commit;
    bundle_.manifest.environment = {device.id, device.name, device.target.id, std::string(name_of(CacheMode::kWarm)),
                                    denormals == device.properties.end() ? "" : denormals->second};
    FL_TRY(const auto bindings, extents_of(spec_));
    for (const std::string& subject : spec_.subjects) {
      for (const std::string& binding : bindings) {
        FL_TRY(auto resolved,
               engine::resolve_subject(engine_.config(), subject, binding, dtype, engine::Extents::kAllBound, Weights::kRead));
        for (const Subject& each : resolved) FL_TRY_VOID(add(subject, each));
      }
    }
    bundle_.manifest.measured = measuring_.all();
    done_.without_gpu_kernel = gpu_kernels_->left_out();
    return check_gpu_kernels();
  }

  Bundle& bundle() { return bundle_; }
  ExportedBundle& done() { return done_; }

 private:
  Status add(const std::string& typed, const Subject& subject) {
    auto tables = stored_tables(engine_, spec_, typed, subject.binding);
    const std::string name = subject.name, binding = subject.binding, dtype = subject.dtype;
    // The same extents in another spelling, or two files of one name: a program could not ask for either.
    const bool is_there = std::ranges::any_of(bundle_.manifest.models, [&](const BundleModel& each) {
      return each.name == name && each.binding == binding && each.dtype == dtype;
    });
    if (is_there)
      return invalid_argument("the bundle would hold '" + name + (binding.empty() ? "" : " " + binding) +
                              "' twice: give each model and its extents once");
    FL_TRY(MeasuredCut cut, cut_as_measured(subject, target_, tables));
    if (const Status allowed = check_complete(cut.model, tables); !allowed.ok()) return allowed.error().within(name);
    const bool confirms = spec_.confirms && !spec_.allow_unconfirmed;
    auto open = confirms ? unconfirmed_pieces(cut.model, tables, target_.device) : std::set<std::string>();
    if (!open.empty()) {
      if (spec_.on_confirming) spec_.on_confirming(static_cast<int>(open.size()));
      const Status confirmed = confirm_pieces(engine_, spec_, typed, binding, cut, std::move(open), stop_);
      if (!confirmed.ok()) return confirmed.error().within(name);
      tables = stored_tables(engine_, spec_, typed, binding);
    }
    const engine::WeightNumbers weights = cut.model.subject.weights;
    FL_TRY(const engine::ExecutionGraph graph, engine::execution_graph(std::move(cut.model)));
    std::vector<PlannedPiece> planned;
    LibraryLoss loss;
    for (const Piece& piece : graph.fused_model.pieces) {
      planned.emplace_back();
      if (!piece.not_measured.empty()) continue;
      auto added = add_piece(piece, tables, loss);
      if (!added.ok()) return added.error().within(name);
      planned.back() = std::move(added).value();
    }
    FL_TRY_VOID(check_loss(spec_, name, loss));
    auto model = model_plan(graph, planned, weights, spec_.seed, bundle_);
    if (!model.ok()) return model.error().within(name);
    FL_TRY_VOID(check_weights(graph, model.value(), name));
    model.value().name = name;
    model.value().binding = binding;
    model.value().dtype = dtype;
    model.value().level = spec_.level;
    bundle_.manifest.models.push_back(std::move(model).value());
    done_.losses.push_back(std::move(loss));
    return {};
  }

  // Before anything is measured: confirming some pieces adds no figures to the others.
  Status check_complete(const FusedModel& model, const std::vector<CompareTable>& tables) {
    for (const Piece& piece : model.pieces) {
      if (!spec_.require_complete || !piece.not_measured.empty()) continue;
      FL_TRY(const PieceDecision decision, decide_piece(piece, row_of(tables, piece.key), target_.device));
      if (decision.configured == kDefault) FL_TRY_VOID(check_configured(spec_, piece.operation.name, decision.configured));
    }
    return {};
  }

  // A bundle of random numbers would pass for the model.
  Status check_weights(const engine::ExecutionGraph& graph, const BundleModel& model, const std::string& name) {
    if (spec_.format == ExportFormat::kHeader) return {};  // it holds no weights
    std::set<std::string> seeded;
    for (const BundleWeight& weight : model.weights) {
      if (weight.from == "seed") seeded.insert(weight.name);
    }
    std::vector<std::string> invented;
    for (const ValueId input : graph.whole().inputs()) {
      const Value& value = graph.whole().value(input);
      if (seeded.contains(value.name) && graph.fused_model.subject.would_be_invented(value)) invented.push_back(value.name);
    }
    if (!invented.empty() && !spec_.invent_weights) {
      const auto error = invalid_argument(engine::invented_text(invented) +
                                          "; give the file its weights, or pack random ones with --invent-weights");
      return error.within(name);
    }
    done_.invented.insert(done_.invented.end(), invented.begin(), invented.end());
    return {};
  }

  Result<PlannedPiece> add_piece(const Piece& piece, const std::vector<CompareTable>& tables, LibraryLoss& loss) {
    FL_TRY(const PieceDecision decision, decide_piece(piece, row_of(tables, piece.key), target_.device));
    FL_TRY_VOID(check(piece, decision));
    loss.add(piece, decision);
    engine::ExecutionCandidate candidate = decision.candidate;
    // The loader asks a processor for a level of x86-64 alone, so what nobody tuned keeps to that level.
    if (candidate.configs.empty()) candidate.device.target.limits.erase("dot_bytes");
    FL_TRY(engine::ExecutablePiece* const made, maker_.make(piece, candidate, stop_));
    if (!made->note.empty()) done_.of_nearest_size.push_back(piece.operation.name + ": " + made->note);
    FL_TRY(const std::vector<BundleKernel> baselines, baselines_of(piece, decision));
    const std::string configured{made->note.empty() ? std::string_view(decision.configured) : kNearest};
    PlannedPiece planned{&made->plan, {}, static_cast<int>(bundle_.manifest.pieces.size())};
    for (const PlanStep& step : made->plan.steps) {
      FL_TRY(BundleKernel kernel, describe_kernel(step.kernel, bundle_));
      kernel.configured = configured;
      const std::size_t index = planned.kernels.size();
      if (index < baselines.size() && are_called_alike(kernel, baselines[index])) kernel.baseline = kernel_index(baselines[index]);
      planned.kernels.push_back(kernel_index(std::move(kernel)));
    }
    BundlePiece out;
    out.name = piece.operation.name;
    out.key = piece.key;
    out.graph = canonical_text(piece.operation.graph);
    out.plan = engine::plan_word(decision.candidate.kind, piece.is_single());
    out.count = piece.operation.count;
    out.kernels = planned.kernels;
    out.configured = configured;
    out.figure = decision.figure;
    if (out.figure) {
      FL_TRY(out.figure->measured, measuring_.index_of(decision.trial_id));
    }
    out.runner_up = decision.runner_up;
    FL_TRY(out.run, piece_plan(planned, bundle_));
    out.run->name = unique_name(out.name);
    FL_TRY_VOID(gpu_kernels_->add(piece, out.run->name, bundle_, stop_));
    bundle_.manifest.pieces.push_back(std::move(out));
    return planned;
  }

  // The same plan for processors without the device's instructions; empty where it is asked for none, or none can be made.
  Result<std::vector<BundleKernel>> baselines_of(const Piece& piece, const PieceDecision& decision) {
    std::vector<BundleKernel> baselines;
    const auto least = std::find_if(target_.device.other_targets.begin(), target_.device.other_targets.end(),
                                    [](const Target& target) { return target.id == "x86-64"; });
    if (!spec_.baselines || least == target_.device.other_targets.end()) return baselines;
    engine::ExecutionCandidate candidate{target_.device, decision.candidate.kind, "", ""};
    candidate.device.target = *least;
    const auto made = baseline_maker_.make(piece, candidate, stop_);
    if (!made.ok() && made.error().code == ErrorCode::kCancelled) return made.error();
    if (!made.ok()) return baselines;
    for (const PlanStep& step : made.value()->plan.steps) {
      FL_TRY(BundleKernel kernel, describe_kernel(step.kernel, bundle_));
      kernel.configured = kDefault;
      baselines.push_back(std::move(kernel));
    }
    return baselines;
  }

  // Pieces of other extents have one name, and the loader finds them by it.
  std::string unique_name(const std::string& wish) {
    std::string name = wish;
    for (int number = 2; !piece_names_.insert(name).second; ++number) name = wish + " " + std::to_string(number);
    return name;
  }

  Status check_gpu_kernels() {
    for (const std::string& target : spec_.gpu_targets) {
      if (std::ranges::any_of(bundle_.manifest.gpu_kernels, [&](const BundleGpuKernel& each) { return each.target == target; }))
        continue;
      std::string message = "no piece has a kernel for ";
      message += target;
      if (!done_.without_gpu_kernel.empty()) message.append(": ").append(done_.without_gpu_kernel.front());
      return Error{ErrorCode::kUnavailable, std::move(message)};
    }
    return {};
  }

  // A kernel that several pieces share is kept once, as long as its configuration has the same cause.
  int kernel_index(BundleKernel kernel) {
    auto& kernels = bundle_.manifest.kernels;
    const auto known = std::find_if(kernels.begin(), kernels.end(), [&](const BundleKernel& each) {
      return each.key == kernel.key && each.configured == kernel.configured;
    });
    if (known != kernels.end()) return static_cast<int>(known - kernels.begin());
    kernels.push_back(std::move(kernel));
    return static_cast<int>(kernels.size()) - 1;
  }

  Status check(const Piece& piece, const PieceDecision& decision) {
    ++(decision.configured == kTuned ? done_.tuned : decision.configured == kUnconfirmed ? done_.unconfirmed : done_.defaults);
    return check_configured(spec_, piece.operation.name, decision.configured);
  }

  engine::Engine& engine_;
  const ExportSpec& spec_;
  engine::PieceMaker maker_;
  engine::PieceMaker baseline_maker_;  // its own, since it makes other kernels of the same pieces
  FigureMeasuring measuring_;
  engine::WorkerPool& workers_;
  std::stop_token stop_;
  ExportTarget target_;
  Bundle bundle_;
  std::set<std::string> piece_names_;
  std::optional<GpuKernels> gpu_kernels_;
  ExportedBundle done_;
};

}  // namespace

Result<ExportedBundle> export_subjects(engine::Engine& engine, const ExportSpec& spec, std::stop_token stop) {
  engine::WorkerPoolOptions options;
  options.worker_program = engine.config().worker_program;
  options.cache_directory = engine.config().cache_directory;
  engine::WorkerPool workers(options);
  Exporter exporter(engine, spec, workers, std::move(stop));
  FL_TRY_VOID(exporter.run());
  db::Trust trust(engine.config().key_directory);
  ExportedBundle done = std::move(exporter.done());
  if (spec.format == ExportFormat::kHeader) {
    FL_TRY_VOID(write_header(spec.file, exporter.bundle().manifest));
  } else {
    FL_TRY_VOID(write_bundle(spec.file, exporter.bundle(), trust, form_of(spec)));
  }
  done.manifest = std::move(exporter.bundle().manifest);
  done.size = size_on_disk(spec.file);
  return done;
}

}  // namespace fuselab::deploy
