// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/views/profile_view.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

// What is to be profiled: the winner of a subject, or one stored trial.
struct ProfileSpec {
  std::string subject, binding;
  std::string trial;    // its id or the beginning of it, in the place of a subject
  std::string target;   // "sm_90": compile for it and read what is to be read without a device; nothing runs
  LaunchConfig config;  // for a target; what it leaves out is as in the default
  std::string piece;    // name, or the beginning of the key, of one of several pieces; empty: the one that takes the most time
  std::string plan;     // "fused", "unfused"; empty: the winner's
  DeviceChoice devices;
  std::string dtype, level;
  Protocol protocol;
  Accepted accepted = {};
  bool again = false;                         // collect anew what is stored
  bool stored = false;                        // take stored answers alone: nothing is collected, compiled or run
  bool exact = false;                         // count instructions with a simulator
  double seconds = 1.5;                       // of launches under counters
  std::shared_ptr<TraceRecorder> trace = {};  // takes the spans of the processes that collect; null: the engine's own, if any
};

// Collects what is known about why a plan is as fast as it is, in processes of its own; no trial is measured or stored. Answers of
// collectors are taken from the database where the same plan was profiled before, and stored where they are new and the database
// can be written. For a target, what its compiler says of the default configuration is all. What cannot be collected is a reason
// within the view. Fails where there is no such subject, piece or trial, and with kUnsupported for a plan of which nothing can be
// run or read here.
Result<ProfileView> profile_subject(Engine& engine, const ProfileSpec& spec, std::stop_token stop);

// Returns what is stored of the profile of a trial's plan, judged as `profile_subject` does; nothing where it was never profiled.
Result<std::optional<ProfileView>> stored_profile(Engine& engine, const std::string& trial);

// Returns the full id of the one stored trial whose id begins so. Fails with kNotFound where there is none, and with
// kInvalidArgument where there are several.
Result<std::string> find_trial(ResultQueries& queries, const std::string& beginning);

}  // namespace fuselab::engine
