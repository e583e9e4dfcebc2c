// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "app/engine/background_job.h"
#include "app/engine/compare/compare_builder.h"
#include "app/engine/compare/compared_devices.h"
#include "app/engine/compare/preferred_devices.h"
#include "app/engine/compare/stored_devices.h"
#include "app/engine/compare/stored_results.h"
#include "app/engine/job/engine.h"
#include "app/engine/subject/graph_view.h"
#include "app/engine/subject/measured_question.h"
#include "app/engine/subject/model_names.h"
#include "app/engine/workers/selected_devices.h"
#include "core/platform/machine/machine.h"
#include "db/database.h"

namespace fuselab::engine {
namespace {

// The engine on this machine: worker processes beside this program, a SQLite file of this user.
class LocalEngine : public Engine {
 public:
  explicit LocalEngine(Config config)
      : config_(std::move(config)),
        trust_(std::make_shared<db::Trust>(config_.key_directory)),
        workers_(pool_options(config_)),
        stored_(config_.database, trust_) {}

  // Opens the database if it exists. A missing one is no error unless read-only: the first job creates it, and use without a job
  // leaves no file behind.
  Status open_database() {
    const Status opened = stored_.open();
    const bool none_yet = !opened.ok() && opened.error().code == ErrorCode::kNotFound;
    return none_yet && !config_.read_only ? Status() : opened;
  }

  const Config& config() const override { return config_; }

  Result<std::vector<BackendReport>> devices(bool refresh) override {
    const std::lock_guard lock(mutex_);
    if (reports_ && !refresh) return *reports_;
    FL_TRY(const auto ids, workers_.backend_ids());
    std::vector<BackendReport> reports;
    for (const std::string& id : ids) {
      FL_TRY(BackendReport report, workers_.probe(id));
      reports.push_back(std::move(report));
    }
    reports_ = reports;
    return reports;
  }

  Result<std::vector<BackendReport>> devices_at_once() override {
    FL_TRY(const Catalog catalog, stored_.catalog());
    FL_TRY(StoredDevices known, known_devices(catalog, /*at_once=*/true));
    return std::move(known.backends);
  }

  Result<std::unique_ptr<Job>> start(JobSpec spec) override {
    if (config_.read_only) return Error{ErrorCode::kUnavailable, config_.database.string() + " is open for reading only"};
    FL_TRY(auto backends, devices(false));
    FL_TRY(spec.devices, with_user_preferences(config_, spec.devices, backends));
    FL_TRY_VOID(select_devices(backends, spec.devices, config_.synthetic));
    FL_TRY(auto database, db::Database::open(config_.database, db::Access::kWrite, trust_));
    FL_TRY([[maybe_unused]] const std::string key, trust_->public_key_text());  // or the results could not be signed and kept
    return std::unique_ptr<Job>(
        std::make_unique<BackgroundJob>(config_, std::move(spec), workers_, std::move(database), std::move(backends)));
  }

  Result<std::vector<CompareTable>> compare(const CompareSpec& spec) override {
    FL_TRY(const Catalog catalog, stored_.catalog());
    FL_TRY(const StoredDevices known, known_devices(catalog, spec.at_once));
    FL_TRY(const DeviceChoice choice, with_user_preferences(config_, spec.devices, known.backends));
    FL_TRY(const auto devices_here, compared_devices(catalog, known.backends, choice, config_.synthetic));
    const auto measured = measured_questions(catalog, platform::machine_facts().host);
    std::vector<DeviceInfo> infos;
    for (const ComparedDevice& device : devices_here) infos.push_back(device.info);
    FL_TRY(const auto fused_models, asked_for(spec, catalog, measured, {limits_of(known.backends, infos), known.only_stored}));
    std::map<std::string, EvidenceReader> evidence;  // by level: what is current depends on the compiler's flags
    std::vector<CompareTable> tables;
    for (const FusedModel& fused_model : fused_models) {
      const std::string level = fused_model.level.empty() ? JobSpec().level : fused_model.level;
      const auto reader = evidence.try_emplace(level, workers_, stored_, level, std::stop_token(), "", spec.accepted).first;
      for (const DeviceInfo& device : known.unchecked) reader->second.take_as_stored(device.id);
      FL_TRY(CompareTable table, build_compare_table(fused_model, devices_here, spec.protocol, reader->second, {}, spec.accepted));
      table.unchecked = known.why;
      tables.push_back(std::move(table));
    }
    note_what_else_was_measured(tables, measured);
    ModelNames names(catalog);
    for (const CompareTable& table : tables) names.add(table.model);
    for (CompareTable& table : tables) table.model = names.shown(table.model);
    return tables;
  }

  Result<FusionResult> fuse(const FuseSpec& spec) override {
    std::vector<BackendLimits> asked;
    if (!spec.devices.only.empty() || !spec.devices.except.empty()) {
      FL_TRY(const auto backends, devices(false));
      FL_TRY(const auto chosen, select_devices(backends, spec.devices, config_.synthetic));
      asked = limits_of(backends, chosen);
    }
    FL_TRY(const auto fused_models,
           cut_subject(spec.subject, spec.binding, spec.level, "f32", asked, Extents::kMayBeOpen, spec.numbers));
    const Graph& graph = fused_models.front().fusion.graph;
    for (const auto& given : spec.numbers) {
      const bool known = std::any_of(graph.inputs().begin(), graph.inputs().end(), [&](ValueId input) {
        return graph.value(input).name == given.first && graph.value(input).origin == ValueOrigin::kInput;
      });
      if (!known) return invalid_argument("--value: '" + given.first + "' is no input of " + spec.subject);
    }
    return fused_models.front().fusion;
  }

  Result<GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) override {
    FL_TRY(const auto fused_models, cut_subject(subject, binding, level, "f32", {}, Extents::kMayBeOpen));
    return view_graph(fused_models.front());
  }

  ResultQueries& queries() override { return stored_; }

 private:
  // What a subject is cut for: the limits of the backends, or where they were not asked, the cut that is stored.
  struct CutFor {
    std::vector<BackendLimits> limits;
    bool as_stored = false;
  };

  Result<StoredDevices> known_devices(const Catalog& catalog, bool at_once) {
    const std::string writer = at_once && !is_probed() ? stored_.writer() : std::string();
    if (!writer.empty()) {
      FL_TRY(const auto ids, workers_.backend_ids());
      StoredDevices known = only_stored_devices(ids, writer, catalog);
      if (!known.unchecked.empty()) return known;
    }
    FL_TRY(auto found, devices(false));
    return with_stored_devices(std::move(found), catalog);
  }

  bool is_probed() {
    const std::lock_guard lock(mutex_);
    return reports_.has_value();
  }

  static WorkerPoolOptions pool_options(const Config& config) {
    WorkerPoolOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    options.trace = config.trace;
    return options;
  }

  Result<std::vector<FusedModel>> cut_subject(const std::string& name, const std::string& binding, const std::string& level_name,
                                              const std::string& dtype_name, const std::vector<BackendLimits>& asked = {},
                                              Extents extents = Extents::kAllBound, const InputNumbers& numbers = {}) const {
    FL_TRY(const OptimizationLevel level, parse_optimization_level(level_name));
    FL_TRY(const DType dtype, parse_element_type(dtype_name));
    Config only_looking = config_;
    only_looking.model_directory.clear();
    FL_TRY(auto subjects, resolve_subject(only_looking, name, binding, dtype, extents, Weights::kShapesAlone, numbers));
    std::vector<FusedModel> fused_models;
    for (Subject& subject : subjects) {
      const TraceScope traced(config_.trace, kJobTrack, "fuse " + subject.name, "fuse");
      FL_TRY(FusedModel fused_model, cut(std::move(subject), level, asked));
      fused_models.push_back(std::move(fused_model));
    }
    return fused_models;
  }

  static Result<QuestionFilter> filter_of(const CompareSpec& spec) {
    QuestionFilter filter;
    if (!spec.level.empty()) {
      FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
      filter.level = name_of(level);
    }
    if (!spec.dtype.empty()) {
      FL_TRY(const DType dtype, parse_element_type(spec.dtype));
      filter.dtype = name_of(dtype);
    }
    return filter;
  }

  Result<std::vector<FusedModel>> asked_for(const CompareSpec& spec, const Catalog& catalog,
                                            const std::vector<MeasuredQuestion>& measured, const CutFor& cut_for) const {
    FL_TRY(QuestionFilter filter, filter_of(spec));
    std::vector<FusedModel> fused_models;
    std::vector<std::string> bindings;
    if (!spec.subjects.empty()) {
      FL_TRY(bindings, shape_of_each(spec.subjects, spec.bindings, config_.model_links));
    }
    for (std::size_t index = 0; index < spec.subjects.size(); ++index) {
      FL_TRY(auto cut,
             cut_as_measured(spec.subjects[index], bindings[index], filter, catalog, measured, spec.every_question, cut_for));
      std::move(cut.begin(), cut.end(), std::back_inserter(fused_models));
    }
    if (!spec.subjects.empty()) return fused_models;
    for (const std::string& text : spec.bindings) {
      FL_TRY(const Bindings wanted, parse_bindings(text));
      filter.any_shape.push_back(wanted);
    }
    for (const MeasuredQuestion& asked : choose_questions(measured, filter, spec.every_question)) {
      FL_TRY(FusedModel fused_model, stored_fused_model(catalog, asked));
      fused_models.push_back(std::move(fused_model));
    }
    return fused_models;
  }

  // Returns a subject as it is now, cut as in its newest measurement, or as a job would cut it by default when there is none.
  Result<std::vector<FusedModel>> cut_as_measured(const std::string& name, const std::string& binding, const QuestionFilter& filter,
                                                  const Catalog& catalog, const std::vector<MeasuredQuestion>& measured,
                                                  bool every_question, const CutFor& cut_for) const {
    const std::vector<BackendLimits>& limits = cut_for.limits;
    const JobSpec usual;
    const std::string dtype = filter.dtype.empty() ? usual.dtype : filter.dtype;
    const std::string level = filter.level.empty() ? usual.level : filter.level;
    FL_TRY(const auto by_default, cut_subject(name, binding, level, dtype, limits));
    std::vector<FusedModel> fused_models;
    for (const FusedModel& usual_cut : by_default) {
      const Subject& subject = usual_cut.subject;
      const std::string model = stored_model(subject.name, subject.content);
      const auto asked = choose_questions_of(measured, model, subject.binding, filter, every_question);
      if (asked.empty()) fused_models.push_back(usual_cut);
      for (const MeasuredQuestion& as : asked) {
        if (cut_for.as_stored) {
          FL_TRY(FusedModel stored, stored_fused_model(catalog, as));
          fused_models.push_back(std::move(stored));
          continue;
        }
        const std::string its_level = as.question.level.empty() ? level : as.question.level;
        const std::string its_dtype = as.question.dtype.empty() ? dtype : as.question.dtype;
        std::vector<FusedModel> found = {usual_cut};
        if (its_level != usual_cut.level || its_dtype != dtype) {
          FL_TRY(found, cut_subject(name, subject.binding, its_level, its_dtype, limits));
        }
        FL_TRY_VOID(cut_for_fewer(found, pieces_of(catalog, as), limits, [&](const std::vector<BackendLimits>& fewer) {
          return cut_subject(name, subject.binding, its_level, its_dtype, fewer);
        }));
        std::move(found.begin(), found.end(), std::back_inserter(fused_models));
      }
    }
    return fused_models;
  }

  static std::set<std::string> pieces_of(const Catalog& catalog, const MeasuredQuestion& asked) {
    std::set<std::string> keys;
    for (const ModelPieceRecord& use : catalog.model_pieces) {
      if (use.run_id == asked.run_id && use.model == asked.model && Question{use.binding, use.level, use.dtype} == asked.question)
        keys.insert(use.piece_key);
    }
    return keys;
  }

  // Replaces the cut for all devices by the cut for some of them, where that has the pieces that were measured and the former has
  // not: the measuring job was restricted to devices that can write more in one kernel.
  static Status cut_for_fewer(std::vector<FusedModel>& found, const std::set<std::string>& stored,
                              const std::vector<BackendLimits>& limits,
                              const std::function<Result<std::vector<FusedModel>>(const std::vector<BackendLimits>&)>& cut) {
    const auto is_stored = [&](const std::vector<FusedModel>& models) {
      std::set<std::string> keys;
      for (const FusedModel& model : models) {
        for (const Piece& piece : model.pieces) keys.insert(piece.key);
        if (model.whole && stored.contains(model.whole->key)) keys.insert(model.whole->key);  // where a stack took it
      }
      return keys == stored;
    };
    constexpr std::size_t kMostBackends = 5;  // of which all subsets are tried
    if (stored.empty() || is_stored(found) || limits.size() < 2 || limits.size() > kMostBackends) return {};
    for (std::size_t subset = 1; subset + 1 < (std::size_t{1} << limits.size()); ++subset) {
      std::vector<BackendLimits> fewer;
      for (std::size_t index = 0; index < limits.size(); ++index) {
        if ((subset >> index & 1U) != 0) fewer.push_back(limits[index]);
      }
      FL_TRY(auto models, cut(fewer));
      if (!is_stored(models)) continue;
      found = std::move(models);
      return {};
    }
    return {};
  }

  Config config_;
  std::shared_ptr<db::Trust> trust_;
  WorkerPool workers_;
  StoredResults stored_;
  std::mutex mutex_;
  std::optional<std::vector<BackendReport>> reports_;
};

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(Config config) {
  auto engine = std::make_unique<LocalEngine>(std::move(config));
  FL_TRY_VOID(engine->open_database());
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace fuselab::engine
