// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/views/snapshots.h"
#include "core/backend/device_choice.h"
#include "core/kernel/launch_config.h"
#include "core/measure/protocol.h"
#include "core/platform/files/links.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

// The folders and files that the engine uses. Defaults follow the XDG base directories; the only place that reads the environment
// is config_from_environment().
struct Config {
  std::filesystem::path database;                           // $XDG_DATA_HOME/fuselab/fuselab.db
  std::filesystem::path data_directory;                     // $XDG_DATA_HOME: installed stacks lie in fuselab/backends
  std::filesystem::path model_directory;                    // $XDG_DATA_HOME/fuselab/models: built-in models as ONNX files
  std::filesystem::path cache_directory;                    // reference results
  std::filesystem::path key_directory;                      // $XDG_CONFIG_HOME/fuselab: signing key (mode 0600) and trusted keys
  std::filesystem::path worker_program;                     // fuselab-worker, beside this program
  bool synthetic = false;                                   // include the null backend's devices
  std::shared_ptr<TraceRecorder> trace;                     // takes a span for every step; null: none is kept
  bool read_only = false;                                   // follow a database that another process writes
  platform::Links model_links = platform::Links::kRefused;  // on the way to a model's weights
};
// The row of a timeline on which a job's own steps stand.
inline const TraceTrack kJobTrack{"engine", "job"};

Config config_from_environment(const std::filesystem::path& program);

// The subjects of a job (models, files, built-in workloads or graph texts), what to do with them, and for how long.
struct JobSpec {
  enum class Verb { kRun, kBench, kTune } verb = Verb::kRun;
  std::string command;                // as typed
  std::vector<std::string> subjects;  // "resnet50", "w3", "model.onnx", "graph(…) {…}"; empty: the built-in models
  std::vector<std::string> bindings;  // "batch=8,seq=128", one for all subjects or one each
  DeviceChoice devices;
  std::string dtype = "f32";
  std::string level = "O2";
  std::string strategy = "coordinate-descent";
  double budget_seconds = 600;  // run and tune: of the whole job, except for cold figures
  int budget_trials = 64;       // per piece and device
  // Configurations that were fast elsewhere, the fastest first: searches try what they come to in their spaces after the start.
  std::vector<LaunchConfig> prior = {};
  std::uint64_t seed = 1;
  Protocol protocol;
  bool keep_all_binaries = false;
  bool remeasure = false;  // ignore valid stored rows
  Accepted accepted;       // applies when a plan is chosen from what was measured
  // A device: confirm there what stands of the pieces with these keys, and measure nothing else. Such a job is no new answer about
  // the subjects: what an earlier one measured of them stays the newest.
  std::string confirm_only;
  std::set<std::string> confirm_pieces;
  bool cold = false;               // measure the plans that stand at the end with emptied caches, too
  bool decide = false;             // spend more fresh processes on gains that are undecided
  bool whole_models = true;        // measure each model as one graph, too, on devices whose backends take such
  bool slow_whole_models = false;  // also those whose float64 reference takes long
  bool decide_gains = true;        // compare fused with unfused in fresh processes: a gain and the choice between them rest on that
  // bench: each subject is one kernel in this configuration, measured without the unfused plan; keys it leaves out are as in the
  // default. Empty: pieces in their best known configurations.
  LaunchConfig config;
  std::string target;  // bench: generate for this target of the device, "x86-64-v3"; empty: its best
};

// The stored tables that are wanted. A field that is left empty is as in the newest run.
struct CompareSpec {
  std::vector<std::string> subjects;  // as for a job; empty: all that was ever measured, by model
  std::vector<std::string> bindings;  // one for all subjects or one each; without subjects: only models at one of these extents
  DeviceChoice devices;
  std::string level, dtype;
  std::string run;              // figures of this run alone, by what find_run() takes; empty: of every run
  bool every_question = false;  // a table for each level and element type, not only for the newest
  Protocol protocol;
  Accepted accepted = {};
  // While another process measures into the database, answer from it alone: probing devices and making kernels would wait for each
  // of its timings. CompareTable::unchecked then says so.
  bool at_once = false;
  std::stop_token stop = {};  // ends the answer early, with kCancelled
};

// A subject to be cut into pieces, and the devices to cut it for.
struct FuseSpec {
  std::string subject, binding;
  std::string level = "O2";
  // The model is cut as for a job on these devices; where none is named, so that all backends that come with Fuselab can write it.
  DeviceChoice devices = {};
  // Whose devices are named by nothing: cut as a job does then, for all devices that it would take.
  bool for_job = false;
  bool what_runs = false;                      // fill in which operators the named devices can run, or else this machine's
  std::map<std::string, double> numbers = {};  // that inputs of a model will hold, by their names; see import_onnx()
};

}  // namespace fuselab::engine
