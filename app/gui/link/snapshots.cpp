// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/snapshots.h"

#include <algorithm>
#include <utility>

#include "app/engine/compare/compare_as_stored.h"
#include "app/engine/compare/runs/run_list.h"
#include "app/engine/workers/environment_here.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

constexpr int kFollowMilliseconds = 1000;
constexpr int kFollowReloadSeconds = 5;

TrialFilter every_trial() {
  TrialFilter filter;
  filter.include_synthetic = true;
  return filter;
}

Result<std::vector<engine::CompareTable>> all_tables(engine::Engine& opened, const WorkScope& scope, CacheMode mode) {
  engine::CompareSpec everything;
  everything.every_question = scope.dtype.isEmpty();
  everything.dtype = scope.dtype.toStdString();
  everything.devices.only = scope.only();
  everything.run = scope.run.toStdString();
  everything.protocol.mode = mode;
  return opened.compare(everything);
}

bool is_of_all(const WorkScope& scope) {
  return scope.devices.isEmpty() && scope.dtype.isEmpty();
}

}  // namespace

// The results of one consistent look at the database.
struct Snapshots::Stored {
  CacheMode mode = CacheMode::kWarm;
  WorkScope scope;
  Result<std::vector<engine::CompareTable>> tables = std::vector<engine::CompareTable>();
  std::map<Asked, CacheMode> elsewhere;
  Result<Catalog> catalog = Catalog();
  WordsPtr words;
  Result<std::int64_t> trials = std::int64_t{0}, measured = std::int64_t{0};  // with and without scripted ones

  void count(engine::Engine& opened);
  void read(engine::Engine& opened);
  void look_elsewhere(engine::Engine& opened);
};

void Snapshots::Stored::count(engine::Engine& opened) {
  trials = opened.queries().count_trials(every_trial());
  measured = opened.queries().count_trials(TrialFilter());
}

void Snapshots::Stored::read(engine::Engine& opened) {
  catalog = opened.queries().catalog();
  if (catalog.ok()) {
    engine::mark_interrupted(catalog.value().runs, engine::is_written(opened.config().database));
    words = std::make_shared<const CatalogWords>(catalog.value());
  }
  tables = all_tables(opened, scope, mode);
  look_elsewhere(opened);
  count(opened);
}

// An empty table must not hide that the same was measured in another mode. Asked only where there is one.
void Snapshots::Stored::look_elsewhere(engine::Engine& opened) {
  if (!tables.ok() || !catalog.ok() || std::none_of(tables.value().begin(), tables.value().end(), is_blank)) return;
  for (const CacheMode other : kCacheModes) {
    const auto& metrics = catalog.value().metrics;
    const bool used = std::any_of(metrics.begin(), metrics.end(), [&](const auto& entry) { return entry.second.mode == other; });
    if (other == mode || !used) continue;
    const auto found = all_tables(opened, scope, other);
    if (!found.ok()) continue;
    for (const engine::CompareTable& table : found.value()) {
      if (!is_blank(table)) elsewhere.try_emplace({table.model, table.question()}, other);
    }
  }
}

Snapshots::Snapshots(EngineLink& engine, JobBridge& job, QObject* parent) : QObject(parent), engine_(engine), job_(job) {
  follow_timer_.setInterval(kFollowMilliseconds);
  connect(&follow_timer_, &QTimer::timeout, this, &Snapshots::look_for_news);
  connect(&engine_, &EngineLink::opened, this, [this] {
    compares_scripted_ = engine_.engine()->config().synthetic;
    if (compares_scripted_) want_scripted();
    count_stored();
    reload_stored();
    reload_devices(false);
    follow_timer_.start();
  });
  connect(&job_, &JobBridge::devices_found, this, [this](std::shared_ptr<const std::vector<BackendReport>> backends) {
    devices_ = std::move(backends);
    emit devices_changed();
  });
  connect(&job_, &JobBridge::table_changed, this,
          [this](std::shared_ptr<const engine::CompareTable> table) { take_job_table(std::move(table)); });
  connect(&job_, &JobBridge::trials_finished, this, [this](const TrialBatch& trials) {
    trial_count_ += static_cast<std::int64_t>(trials->size());
    scripted_count_ += std::count_if(trials->begin(), trials->end(), [](const auto& trial) { return trial.row.synthetic; });
    emit trials_changed();
  });
  connect(&job_, &JobBridge::started, this, [this] {
    job_chooses_mode_ = true;
    scripted_wanted_ = compares_scripted_;  // who unticked them sees them again when the next job is about them
  });
  connect(&job_, &JobBridge::ended, this, [this] { reload_stored(); });
}

bool is_blank(const engine::CompareTable& table) {
  bool pending = false;
  for (const engine::CompareRow& row : table.rows) {
    for (const engine::CompareCell& cell : row.cells) {
      const engine::CellState state = cell.fused.state;
      const bool tried = state == engine::CellState::kFailed || state == engine::CellState::kWithheld;
      if (cell.fused.figure || cell.unfused.figure || tried) return false;
      pending = pending || cell.fused.state == engine::CellState::kPending;
    }
  }
  return pending;
}

void Snapshots::set_mode(CacheMode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  emit mode_changed();
  if (engine_.is_open()) reload_stored();
}

void Snapshots::set_scope(const WorkScope& scope) {
  if (scope == scope_) return;
  const bool other_run = scope.run != scope_.run;
  scope_ = scope;
  shown_mode_.reset();  // what is shown is of other devices
  if (!engine_.is_open()) return;
  reload_stored();
  if (!other_run) return;
  tables_.clear();  // they would stand under the name of the run
  read_once_ = false;
  emit tables_changed();
}

std::optional<CacheMode> Snapshots::measured_in(const engine::CompareTable& table) const {
  const auto found = elsewhere_.find({table.model, table.question()});
  return found == elsewhere_.end() ? std::nullopt : std::optional(found->second);
}

// The first table of a job says in which mode it measures: that is what its user wants to see.
void Snapshots::take_job_table(std::shared_ptr<const engine::CompareTable> table) {
  if (!scope_.run.isEmpty()) return;  // another run is looked at
  if (std::exchange(job_chooses_mode_, false)) set_mode(table->mode);
  if (is_scripted(*table)) want_scripted();
  if (table->mode != mode_) return;
  put_table(tables_, std::move(table));
  // Told once for all tables that come together.
  if (std::exchange(tables_came_, true)) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        tables_came_ = false;
        emit tables_changed();
      },
      Qt::QueuedConnection);
}

void Snapshots::want_scripted() {
  if (!std::exchange(scripted_wanted_, true)) emit scripted_wanted_changed();
}

// A job's table has its own devices only.
bool Snapshots::is_scripted(const engine::CompareTable& table) const {
  const std::vector<DeviceInfo> usable = usable_devices();
  const auto scripted = [&](const engine::CompareCell& cell) {
    return std::any_of(usable.begin(), usable.end(),
                       [&](const DeviceInfo& device) { return device.synthetic && device.id == cell.device_id; });
  };
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const engine::CompareRow& row) { return std::any_of(row.cells.begin(), row.cells.end(), scripted); });
}

CeilingTable ceilings_in(const Catalog& catalog, const std::string& environment_key) {
  for (const auto& [key, table] : catalog.ceilings) {
    if (key == environment_key) return table;
  }
  return {};
}

CeilingTable Snapshots::ceilings_of(const DeviceInfo& device) const {
  const auto environment = environments_.find(device.id);
  if (catalog_ == nullptr || environment == environments_.end()) return {};
  return ceilings_in(*catalog_, environment->second);
}

std::vector<DeviceInfo> Snapshots::usable_devices() const {
  std::vector<DeviceInfo> usable;
  if (devices_ == nullptr) return usable;
  for (const BackendReport& report : *devices_) {
    if (report.availability.usable) usable.insert(usable.end(), report.devices.begin(), report.devices.end());
  }
  return usable;
}

void Snapshots::reload_devices(bool refresh) {
  using Reports = Result<std::vector<BackendReport>>;
  using Found = std::pair<Reports, std::map<std::string, std::string>>;
  engine_.query(
      this,
      [refresh](engine::Engine& opened) -> Found {
        Reports reports = opened.devices(refresh);
        std::map<std::string, std::string> environments;
        if (reports.ok()) environments = engine::environments_here(reports.value());
        return {std::move(reports), std::move(environments)};
      },
      [this](const Found& found) {
        const auto& [reports, environments] = found;
        environments_ = environments;
        if (!reports.ok()) {
          emit failed(window_words(reports.error()));
          return;
        }
        devices_ = std::make_shared<const std::vector<BackendReport>>(reports.value());
        emit devices_changed();
      });
}

// What is counted in milliseconds is said before what takes longer: which of a million trials are scripted is not.
void Snapshots::count_stored() {
  engine_.query(
      this, [](engine::Engine& opened) { return opened.queries().count_trials(every_trial()); },
      [this](const Result<std::int64_t>& trials) {
        if (!trials.ok() || read_once_) return;
        trial_count_ = trials.value();
        emit trials_changed();
      });
}

void Snapshots::reload_stored() {
  if (loading_) {
    reload_wanted_ = true;
    return;
  }
  loading_ = true;
  if (shown_mode_ != mode_ && !job_.active() && is_of_all(scope_)) {
    read_as_stored();
  } else {
    read_stored();
  }
}

// Checking takes seconds, since every backend is asked and every kernel written again. Whoever opens the window sees at once what
// is stored. A failure is told by the check that follows.
void Snapshots::read_as_stored() {
  using Tables = Result<std::vector<engine::CompareTable>>;
  engine_.query(
      this,
      [mode = mode_, scope = scope_](engine::Engine& opened) -> std::pair<CacheMode, Tables> {
        Protocol protocol;
        protocol.mode = mode;
        return {mode, engine::compare_as_stored(opened, protocol, scope.run.toStdString())};
      },
      [this, scope = scope_](std::pair<CacheMode, Tables> found) {
        auto& [mode, tables] = found;
        if (tables.ok() && !tables.value().empty() && mode == mode_ && !job_.active() && scope == scope_) {
          checking_ = true;
          Stored stored;
          stored.tables = std::move(tables);
          take_tables(stored);
        }
        read_stored();
      });
}

void Snapshots::read_stored() {
  engine_.query(
      this,
      [mode = mode_, scope = scope_](engine::Engine& opened) {
        Stored stored;
        stored.mode = mode;
        stored.scope = scope;
        stored.read(opened);
        return stored;
      },
      [this](Stored stored) { take(std::move(stored)); });
}

void Snapshots::take_counts(const Stored& stored) {
  if (!stored.trials.ok()) return;
  const std::int64_t scripted = stored.measured.ok() ? stored.trials.value() - stored.measured.value() : scripted_count_;
  if (stored.trials.value() == trial_count_ && scripted == scripted_count_) return;
  trial_count_ = stored.trials.value();
  scripted_count_ = scripted;
  emit trials_changed();
}

void Snapshots::take(Stored stored) {
  loading_ = false;
  read_once_ = true;
  checking_ = false;
  for (const Error* error :
       {stored.catalog.ok() ? nullptr : &stored.catalog.error(), stored.tables.ok() ? nullptr : &stored.tables.error()}) {
    if (error != nullptr) emit failed(window_words(*error));
  }
  if (stored.catalog.ok()) {
    catalog_ = std::make_shared<const Catalog>(std::move(stored.catalog).value());
    words_ = std::move(stored.words);
    const bool written = !job_.active() && !catalog_->runs.empty() && catalog_->runs.front().state == "running";
    if (written != following_) {
      following_ = written;
      emit following_changed(following_);
    }
    emit catalog_changed();
  }
  if (stored.tables.ok() && stored.mode == mode_ && stored.scope == scope_) {
    shown_mode_ = mode_;
    take_tables(stored);
  } else {
    emit tables_changed();  // those that are shown are not being checked any more
  }
  take_counts(stored);
  if (std::exchange(reload_wanted_, false)) reload_stored();
}

void Snapshots::take_tables(Stored& stored) {
  tables_.clear();
  for (engine::CompareTable& table : stored.tables.value())
    tables_.push_back(std::make_shared<const engine::CompareTable>(std::move(table)));
  // While a job of ours runs, its own tables are newer than what is stored.
  for (const auto& table : job_.active() && scope_.run.isEmpty() ? job_.tables() : TableList()) {
    if (table->mode == mode_) put_table(tables_, table);
  }
  elsewhere_ = std::move(stored.elsewhere);
  emit tables_changed();
}

// One cheap question per second while nothing of ours runs: has the number of trials changed? The end of a foreign run adds
// no trial, so while one goes on everything is read again now and then.
void Snapshots::look_for_news() {
  if (job_.active() || loading_) return;
  engine_.query(
      this, [](engine::Engine& opened) { return opened.queries().count_trials(every_trial()); },
      [this](Result<std::int64_t> count) {
        if (!count.ok() || job_.active()) return;
        const bool due = following_ && ++quiet_seconds_ % kFollowReloadSeconds == 0;
        if (due || count.value() != trial_count_) reload_stored();
      });
}

}  // namespace fuselab::gui
