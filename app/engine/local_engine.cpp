// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "app/engine/background_job.h"
#include "app/engine/compare/compared_cuts.h"
#include "app/engine/compare/compared_devices.h"
#include "app/engine/compare/preferred_devices.h"
#include "app/engine/compare/recorded_devices.h"
#include "app/engine/compare/runs/run_choice.h"
#include "app/engine/compare/stored_devices.h"
#include "app/engine/compare/stored_results.h"
#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/job/engine.h"
#include "app/engine/offers/offered_limits.h"
#include "app/engine/offers/runnable_share.h"
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
    DeviceChoice named = spec.devices;
    bool only_recorded = false;
    const auto recorded = take_recorded_devices(catalog, named, only_recorded);
    FL_TRY(const DeviceChoice choice, with_user_preferences(config_, named, known.backends));
    FL_TRY(const auto devices_here, compared_devices(catalog, known.backends, choice, config_.synthetic));
    FL_TRY(const std::string run, run_id_of(config_, catalog, spec.run));
    const auto measured = measured_questions(catalog, platform::machine_facts().host, run);
    std::vector<DeviceInfo> infos;
    for (const ComparedDevice& device : devices_here) infos.push_back(device.info);
    FL_TRY(const auto fused_models,
           compared_cuts(config_, spec, catalog, measured, {limits_to_compare(known, infos, spec.stop), known.only_stored}));
    std::map<std::string, EvidenceReader> evidence;  // by level: what is current depends on the compiler's flags
    std::vector<CompareTable> tables;
    for (const FusedModel& fused_model : fused_models) {
      if (spec.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
      const std::string level = fused_model.level.empty() ? JobSpec().level : fused_model.level;
      const auto reader = evidence.try_emplace(level, workers_, stored_, level, spec.stop, run, spec.accepted).first;
      for (const DeviceInfo& device : known.unchecked) reader->second.take_as_stored(device.id);
      std::vector<ComparedDevice> compared = devices_here;
      if (is_recording(fused_model)) {
        for (const ComparedDevice& device : recorded) reader->second.take_as_stored(device.info.id);
        FL_TRY(compared, devices_of_recording(fused_model, recorded, stored_));
      }
      if (compared.empty() || (only_recorded && !is_recording(fused_model))) continue;
      FL_TRY(CompareTable table, build_compare_table(fused_model, compared, spec.protocol, reader->second, {}, spec.accepted));
      table.unchecked = known.why;
      tables.push_back(std::move(table));
    }
    if (spec.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    note_what_else_was_measured(tables, measured);
    ModelNames names(catalog);
    for (const CompareTable& table : tables) names.add(table.model);
    for (CompareTable& table : tables) table.model = names.shown(table.model);
    return tables;
  }

  Result<std::vector<BackendLimits>> limits(const std::vector<DeviceInfo>& chosen, const std::string& level) override {
    FL_TRY(const auto backends, devices(false));
    return offered_limits(workers_, backends, chosen, level);
  }

  Result<FusionResult> fuse(const FuseSpec& spec) override {
    std::vector<BackendLimits> asked;
    std::vector<DeviceInfo> chosen;
    const bool named = !spec.devices.only.empty() || !spec.devices.except.empty();
    if (named || spec.for_job) {
      FL_TRY(const auto backends, devices(false));
      FL_TRY(chosen, select_devices(backends, spec.devices, config_.synthetic));
      asked = offered_limits(workers_, backends, chosen, spec.level);
    }
    FL_TRY(auto fused_models,
           cut_to_look(config_, spec.subject, spec.binding, spec.level, "f32", asked, Extents::kMayBeOpen, spec.numbers));
    const Graph& graph = fused_models.front().fusion.graph;
    for (const auto& given : spec.numbers) {
      const bool known = std::any_of(graph.inputs().begin(), graph.inputs().end(), [&](ValueId input) {
        return graph.value(input).name == given.first && graph.value(input).origin == ValueOrigin::kInput;
      });
      if (!known) return invalid_argument("--value: '" + given.first + "' is no input of " + spec.subject);
    }
    if (spec.what_runs) fill_runnable_share(fused_models.front(), workers_, named ? once(std::move(chosen)) : devices_here());
    return std::move(fused_models.front().fusion);
  }

  Result<GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) override {
    FL_TRY(const auto fused_models, cut_to_look(config_, subject, binding, level, "f32", {}, Extents::kMayBeOpen));
    return view_graph(fused_models.front());
  }

  ResultQueries& queries() override { return stored_; }

 private:
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

  static NextDevices once(std::vector<DeviceInfo> devices) {
    return [devices = std::optional(std::move(devices))]() mutable { return std::exchange(devices, std::nullopt); };
  }

  // The devices of one backend after the other, each probed when it is its turn: most models are run by the first.
  NextDevices devices_here() {
    auto ids = workers_.backend_ids();
    std::vector<std::string> left = ids.ok() ? std::move(ids).value() : std::vector<std::string>();
    std::reverse(left.begin(), left.end());
    return [this, left = std::move(left)]() mutable -> std::optional<std::vector<DeviceInfo>> {
      while (!left.empty()) {
        const auto report = report_on(left.back());
        left.pop_back();
        if (!report.ok()) continue;
        auto devices = select_devices({report.value()}, {}, config_.synthetic);
        if (devices.ok()) return std::move(devices).value();
      }
      return std::nullopt;
    };
  }

  Result<BackendReport> report_on(const std::string& id) {
    {
      const std::lock_guard lock(mutex_);
      if (reports_) {
        const auto known =
            std::find_if(reports_->begin(), reports_->end(), [&](const BackendReport& each) { return each.id == id; });
        if (known != reports_->end()) return *known;
      }
    }
    return workers_.probe(id);
  }

  bool is_probed() {
    const std::lock_guard lock(mutex_);
    return reports_.has_value();
  }

  // While another process measures, no worker is asked.
  std::vector<BackendLimits> limits_to_compare(const StoredDevices& known, const std::vector<DeviceInfo>& compared,
                                               const std::stop_token& stop) {
    if (known.only_stored) return limits_of(known.backends, compared);
    return offered_limits(workers_, known.backends, compared, JobSpec().level, stop);
  }

  static WorkerPoolOptions pool_options(const Config& config) {
    WorkerPoolOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    options.trace = config.trace;
    return options;
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
