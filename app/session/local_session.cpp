// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "app/session/background_job.h"
#include "app/session/compare_builder.h"
#include "app/session/compared_devices.h"
#include "app/session/graph_view.h"
#include "app/session/measured_question.h"
#include "app/session/model_names.h"
#include "app/session/selected_devices.h"
#include "app/session/session.h"
#include "app/session/stored_devices.h"
#include "app/session/stored_results.h"
#include "core/platform/machine.h"
#include "db/database.h"

namespace fuselab::session {
namespace {

// The engine on this machine: worker processes beside this program, a SQLite file of this user.
class LocalSession : public Session {
 public:
  explicit LocalSession(Config config)
      : config_(std::move(config)),
        trust_(std::make_shared<db::Trust>(config_.key_directory)),
        workers_(house_options(config_)),
        stored_(config_.database, trust_) {}

  // The first job makes it; who only looks leaves nothing behind.
  Status open_database() {
    Status const opened = stored_.open();
    bool const none_yet = !opened.ok() && opened.error().code == ErrorCode::kNotFound;
    return none_yet && !config_.read_only ? Status() : opened;
  }

  const Config& config() const override { return config_; }

  Result<std::vector<BackendReport>> devices(bool refresh) override {
    std::lock_guard const lock(mutex_);
    if (reports_ && !refresh) return *reports_;
    FL_TRY(auto const ids, workers_.backend_ids());
    std::vector<BackendReport> reports;
    for (const std::string& id : ids) {
      FL_TRY(BackendReport report, workers_.probe(id));
      reports.push_back(std::move(report));
    }
    reports_ = reports;
    return reports;
  }

  Result<std::unique_ptr<Job>> start(JobSpec spec) override {
    if (config_.read_only) return Error{ErrorCode::kUnavailable, "this session only reads " + config_.database.string()};
    FL_TRY(auto backends, devices(false));
    FL_TRY_VOID(select_devices(backends, spec.devices, config_.synthetic));
    FL_TRY(auto database, db::Database::open(config_.database, db::Access::kWrite, trust_));
    FL_TRY([[maybe_unused]] std::string const key, trust_->public_key_text());  // or what was measured could not be signed and kept
    return std::unique_ptr<Job>(
        std::make_unique<BackgroundJob>(config_, std::move(spec), workers_, std::move(database), std::move(backends)));
  }

  Result<std::vector<CompareTable>> compare(const CompareSpec& spec) override {
    FL_TRY(Catalog const catalog, stored_.catalog());
    FL_TRY(auto const found, devices(false));
    StoredDevices const known = with_stored_devices(found, catalog);
    FL_TRY(auto const devices_here, compared_devices(catalog, known.backends, spec.devices, config_.synthetic));
    auto const measured = measured_questions(catalog, platform::machine_facts().host);
    std::vector<DeviceInfo> infos;
    for (const ComparedDevice& device : devices_here) infos.push_back(device.info);
    FL_TRY(auto const workpieces, asked_for(spec, catalog, measured, limits_of(known.backends, infos)));
    std::map<std::string, EvidenceReader> evidence;  // by level: what is current depends on the compiler's flags
    std::vector<CompareTable> tables;
    for (const Workpiece& workpiece : workpieces) {
      std::string const level = workpiece.level.empty() ? JobSpec().level : workpiece.level;
      auto const reader = evidence.try_emplace(level, workers_, stored_, level, std::stop_token()).first;
      for (const DeviceInfo& device : known.unchecked) reader->second.take_as_stored(device.id);
      FL_TRY(CompareTable table, build_compare_table(workpiece, devices_here, spec.protocol, reader->second, {}, spec.accepted));
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
    if (!spec.devices.empty()) {
      FL_TRY(auto const backends, devices(false));
      FL_TRY(auto const chosen, select_devices(backends, spec.devices, config_.synthetic));
      asked = limits_of(backends, chosen);
    }
    FL_TRY(auto const workpieces, cut_subject(spec.subject, spec.binding, spec.level, "f32", asked, Extents::kAsGiven));
    return workpieces.front().fusion;
  }

  Result<GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) override {
    FL_TRY(auto const workpieces, cut_subject(subject, binding, level, "f32"));
    return view_graph(workpieces.front());
  }

  ResultQueries& queries() override { return stored_; }

 private:
  static HouseOptions house_options(const Config& config) {
    HouseOptions options;
    options.worker_program = config.worker_program;
    options.cache_directory = config.cache_directory;
    return options;
  }

  Result<std::vector<Workpiece>> cut_subject(const std::string& name, const std::string& binding, const std::string& level_name,
                                             const std::string& dtype_name, const std::vector<BackendLimits>& asked = {},
                                             Extents extents = Extents::kAllBound) const {
    FL_TRY(OptimizationLevel const level, parse_optimization_level(level_name));
    FL_TRY(DType const dtype, parse_element_type(dtype_name));
    Config only_looking = config_;
    only_looking.model_directory.clear();
    FL_TRY(auto subjects, resolve_subject(only_looking, name, binding, dtype, extents));
    std::vector<Workpiece> workpieces;
    for (Subject& subject : subjects) {
      FL_TRY(Workpiece workpiece, cut(std::move(subject), level, asked));
      workpieces.push_back(std::move(workpiece));
    }
    return workpieces;
  }

  static Result<QuestionFilter> filter_of(const CompareSpec& spec) {
    QuestionFilter filter;
    if (!spec.level.empty()) {
      FL_TRY(OptimizationLevel const level, parse_optimization_level(spec.level));
      filter.level = name_of(level);
    }
    if (!spec.dtype.empty()) {
      FL_TRY(DType const dtype, parse_element_type(spec.dtype));
      filter.dtype = name_of(dtype);
    }
    return filter;
  }

  Result<std::vector<Workpiece>> asked_for(const CompareSpec& spec, const Catalog& catalog,
                                           const std::vector<MeasuredQuestion>& measured,
                                           const std::vector<BackendLimits>& limits) const {
    FL_TRY(QuestionFilter filter, filter_of(spec));
    std::vector<Workpiece> workpieces;
    std::vector<std::string> bindings;
    if (!spec.subjects.empty()) {
      FL_TRY(bindings, shape_of_each(spec.subjects, spec.bindings));
    }
    for (std::size_t index = 0; index < spec.subjects.size(); ++index) {
      FL_TRY(auto cut, cut_as_measured(spec.subjects[index], bindings[index], filter, measured, spec.every_question, limits));
      std::move(cut.begin(), cut.end(), std::back_inserter(workpieces));
    }
    if (!spec.subjects.empty()) return workpieces;
    for (const std::string& text : spec.bindings) {
      FL_TRY(Bindings const wanted, parse_bindings(text));
      filter.any_shape.push_back(wanted);
    }
    for (const MeasuredQuestion& asked : choose_questions(measured, filter, spec.every_question)) {
      FL_TRY(Workpiece workpiece, stored_workpiece(catalog, asked));
      workpieces.push_back(std::move(workpiece));
    }
    return workpieces;
  }

  // A subject as it is now, cut the way its newest measurement was; as a job would by itself when there is none.
  Result<std::vector<Workpiece>> cut_as_measured(const std::string& name, const std::string& binding, const QuestionFilter& filter,
                                                 const std::vector<MeasuredQuestion>& measured, bool every_question,
                                                 const std::vector<BackendLimits>& limits) const {
    JobSpec const usual;
    std::string const dtype = filter.dtype.empty() ? usual.dtype : filter.dtype;
    std::string const level = filter.level.empty() ? usual.level : filter.level;
    FL_TRY(auto const by_default, cut_subject(name, binding, level, dtype, limits));
    std::vector<Workpiece> workpieces;
    for (const Workpiece& usual_cut : by_default) {
      const Subject& subject = usual_cut.subject;
      std::string const model = stored_model(subject.name, subject.content);
      auto const asked = choose_questions_of(measured, model, subject.binding, filter, every_question);
      if (asked.empty()) workpieces.push_back(usual_cut);
      for (const MeasuredQuestion& as : asked) {
        std::string const its_level = as.question.level.empty() ? level : as.question.level;
        std::string const its_dtype = as.question.dtype.empty() ? dtype : as.question.dtype;
        if (its_level == usual_cut.level && its_dtype == dtype) {
          workpieces.push_back(usual_cut);
          continue;
        }
        FL_TRY(auto cut, cut_subject(name, subject.binding, its_level, its_dtype, limits));
        std::move(cut.begin(), cut.end(), std::back_inserter(workpieces));
      }
    }
    return workpieces;
  }

  Config config_;
  std::shared_ptr<db::Trust> trust_;
  WorkerHouse workers_;
  StoredResults stored_;
  std::mutex mutex_;
  std::optional<std::vector<BackendReport>> reports_;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::open(Config config) {
  auto session = std::make_unique<LocalSession>(std::move(config));
  FL_TRY_VOID(session->open_database());
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace fuselab::session
