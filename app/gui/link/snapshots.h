// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/link/current_model.h"
#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"
#include "app/gui/look/catalog_words.h"

namespace fuselab::gui {

// The latest immutable snapshots of the engine, shared by all pages: devices, comparison tables, the catalogue. Updated by queries,
// by the running job, and, while another process writes the database, by asking again every second. GUI thread only; getters may
// return nullptr while nothing has arrived.
class Snapshots : public QObject {
  Q_OBJECT

 public:
  Snapshots(EngineLink& engine, JobBridge& job, QObject* parent = nullptr);

  const std::shared_ptr<const std::vector<BackendReport>>& devices() const { return devices_; }
  const TableList& tables() const { return tables_; }
  // Returns the cache mode of the tables' figures: the job's mode once a job of this program ran, else warm, until the user chooses
  // one.
  CacheMode mode() const { return mode_; }
  void set_mode(CacheMode mode);
  // Limits the tables to devices, to an element type and to a run; the catalogue keeps all.
  void set_scope(const WorkScope& scope);
  // Returns another mode in which figures for the table's question are stored, for a table that has none in the mode shown.
  std::optional<CacheMode> measured_in(const engine::CompareTable& table) const;
  const std::shared_ptr<const Catalog>& catalog() const { return catalog_; }
  const WordsPtr& words() const { return words_; }  // meanings of the catalogue's keys; arrives with it
  std::int64_t trial_count() const { return trial_count_; }
  // The number of these trials "timed" on devices with scripted latencies. Tables leave them out unless the engine was asked for
  // them.
  std::int64_t scripted_count() const { return scripted_count_; }
  bool compares_scripted() const { return compares_scripted_; }
  // Returns whether the user looks for scripted trials: --synthetic was given, or a job of this program ran on such a device.
  bool scripted_wanted() const { return scripted_wanted_; }
  // Returns the measured ceilings of a device in the environment that its figures would be stored with today.
  CeilingTable ceilings_of(const DeviceInfo& device) const;
  std::vector<DeviceInfo> usable_devices() const;  // of all backends
  // Returns whether nothing stored was seen yet, so that an empty list of tables says nothing.
  bool loading() const { return !read_once_ && tables_.empty(); }
  // Returns whether the tables are shown as they are stored, while it is checked that the figures are of today's kernels.
  bool checking() const { return checking_; }
  // Returns whether another process is writing the open database.
  bool following() const { return following_; }

  void reload_devices(bool refresh);
  void reload_stored();  // tables, catalogue, number of trials

 signals:
  void devices_changed();
  void tables_changed();
  void mode_changed();
  void catalog_changed();
  void trials_changed();  // rows were added
  void scripted_wanted_changed();
  void following_changed(bool following);
  void failed(const QString& message);

 private:
  struct Stored;
  void count_stored();
  void read_stored();
  void read_as_stored();  // the tables at once, then read_stored()
  void take_counts(const Stored& stored);
  void take(Stored stored);
  void take_tables(Stored& stored);
  void take_job_table(std::shared_ptr<const engine::CompareTable> table);
  void want_scripted();
  bool is_scripted(const engine::CompareTable& table) const;
  void look_for_news();

  EngineLink& engine_;
  JobBridge& job_;
  QTimer follow_timer_;
  std::shared_ptr<const std::vector<BackendReport>> devices_;
  TableList tables_;
  CacheMode mode_ = CacheMode::kWarm;
  WorkScope scope_;
  bool tables_came_ = false;                               // of the job, and views were not told yet
  bool job_chooses_mode_ = false;                          // a job began and has shown no table yet
  using Asked = std::pair<std::string, engine::Question>;  // the model and its question
  std::map<Asked, CacheMode> elsewhere_;
  std::shared_ptr<const Catalog> catalog_;
  WordsPtr words_;
  std::map<std::string, std::string> environments_;  // by device id; sampled with the devices
  std::int64_t trial_count_ = 0, scripted_count_ = 0;
  bool compares_scripted_ = false, scripted_wanted_ = false;
  bool following_ = false;
  int quiet_seconds_ = 0;
  std::optional<CacheMode> shown_mode_;  // of the tables that were read last
  bool read_once_ = false;
  bool checking_ = false;
  bool loading_ = false;
  bool reload_wanted_ = false;
};

// Returns whether the table says nothing about any piece that could be measured: no figure, and no reason for its absence.
bool is_blank(const engine::CompareTable& table);

// Returns the ceilings of one environment; empty when nothing was measured in it.
CeilingTable ceilings_in(const Catalog& catalog, const std::string& environment_key);

}  // namespace fuselab::gui
