// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/snapshots.h"
#include "core/base/result.h"
#include "core/kernel/launch_config.h"
#include "core/measure/protocol.h"
#include "core/measure/result_store.h"

namespace fuselab::session {

// Where the engine keeps its things. Defaults follow the XDG base directories; the only place that reads the environment
// is config_from_environment().
struct Config {
  std::filesystem::path database;         // $XDG_DATA_HOME/fuselab/fuselab.db
  std::filesystem::path model_directory;  // $XDG_DATA_HOME/fuselab/models: built-in models as ONNX files
  std::filesystem::path cache_directory;  // reference results
  std::filesystem::path key_directory;    // $XDG_CONFIG_HOME/fuselab: signing key (mode 0600) and trusted keys
  std::filesystem::path worker_program;   // fuselab-worker, beside this program
  bool synthetic = false;                 // include the null backend's devices
  bool read_only = false;                 // follow somebody else's database
};
Config config_from_environment(const std::filesystem::path& program);

// What a job is about: models, files, built-in workloads or graph texts; what to do with them; how long.
struct JobSpec {
  enum class Verb { kRun, kBench, kTune } verb = Verb::kRun;
  std::string command;                // as typed
  std::vector<std::string> subjects;  // "resnet50", "w3", "model.onnx", "graph(…) {…}"; empty: the built-in models
  std::vector<std::string> bindings;  // "batch=8,seq=128", one for all subjects or one each
  std::vector<std::string> devices;   // empty: every usable one
  std::string dtype = "f32";
  std::string level = "O2";
  std::string strategy = "coordinate-descent";
  double budget_seconds = 300;
  int budget_trials = 64;  // per piece and device
  std::uint64_t seed = 1;
  Protocol protocol;
  bool keep_all_binaries = false;
  bool remeasure = false;  // ignore valid stored rows
  Accepted accepted;       // for what is chosen of what was measured
  bool cold = true;        // run and tune: measure the winners with emptied caches, too
  bool hold_plans = true;  // hold fused against unfused in fresh processes: what a gain and the choice between them stand on
  // bench: each subject is one kernel in this configuration, measured as given and without the unfused plan; what it leaves out is
  // as in the default. Empty: pieces in their best known configurations.
  LaunchConfig config;
  std::string target;  // bench: generate for this target of the device, "x86-64-v3"; empty: its best
};

// Which stored tables are wanted. What is left empty is as in the newest run.
struct CompareSpec {
  std::vector<std::string> subjects;  // as for a job; empty: all that was ever measured, by model
  std::vector<std::string> bindings;  // one for all subjects or one each; without subjects: only models at one of these extents
  std::vector<std::string> devices;   // empty: every usable one
  std::string level, dtype;
  bool every_question = false;  // a table for each level and element type, not only for the newest
  Protocol protocol;
  Accepted accepted = {};
};

// What is to be cut into pieces, and for whom.
struct FuseSpec {
  std::string subject, binding;
  std::string level = "O2";
  std::vector<std::string> devices =
      {};  // as a job on them would cut it; empty: as backends that come with Fuselab can all write it
};

// A running job. All calls are thread-safe and return at once.
class Job {
 public:
  virtual ~Job() = default;
  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void cancel() = 0;
  // Events since the last call, oldest first; a bounded queue that merges progress and table events, never trials.
  virtual std::vector<Event> drain() = 0;
  virtual JobState state() const = 0;
  // Paused, and nothing is measured any more: true only after the block that ran when it was asked to pause.
  virtual bool stands_still() const = 0;
  // Blocks until the job has ended or the time is over; whether it has ended.
  virtual bool wait_for(std::chrono::milliseconds time) = 0;
  virtual Status result() const = 0;  // after it has ended
  virtual std::vector<CompareTable> tables() const = 0;
  virtual JobProgress last_progress() const = 0;  // with the final counts after it has ended
};

// The engine's use cases without any face. Thread-safe; owns the database, the workers and the jobs.
class Session {
 public:
  static Result<std::unique_ptr<Session>> open(Config config);
  virtual ~Session() = default;

  virtual const Config& config() const = 0;
  // Probes every registered backend in short-lived workers; cached until `refresh`.
  virtual Result<std::vector<BackendReport>> devices(bool refresh) = 0;
  virtual Result<std::unique_ptr<Job>> start(JobSpec spec) = 0;  // kBusy when the database's writer lease is held
  // Tables from what is stored, nothing is measured. Each says what it answers, and what else is stored of its model.
  virtual Result<std::vector<CompareTable>> compare(const CompareSpec& spec) = 0;
  // Imports and fuses, nothing is measured.
  virtual Result<FusionResult> fuse(const FuseSpec& spec) = 0;
  virtual Result<GraphView> graph_view(const std::string& subject, const std::string& binding, const std::string& level) = 0;
  virtual ResultQueries& queries() = 0;
};

}  // namespace fuselab::session
