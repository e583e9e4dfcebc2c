// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/check_config.h"

namespace fuselab::engine {

struct BaselineSpec {
  CheckConfig config;
  std::vector<std::string> cases;    // by name; empty: all
  std::vector<std::string> devices;  // in place of each case's own; empty: those
  std::string target;                // see CheckSpec
  std::string expires_at;            // UTC, see expiry_of(); empty: never
};

// What could not be kept in a baseline, and why.
struct NotSaved {
  std::string name, device;
  ErrorCode code = ErrorCode::kInternal;
  std::string reason;
  SourceLine where;
};
struct MadeBaseline {
  Baseline baseline;
  std::vector<NotSaved> left_out;
  std::vector<NotSaved> not_timed;  // kept, or extended, without figures: the machine was too disturbed for any
};

// Makes, verifies and times today's kernels of the cases and writes them to `file`, signed. Blocks; `on_kernel` hears of each.
// Fails with the first reason where there is not one kernel to keep, and with kInvalidArgument where another program's file would
// be written over.
Result<MadeBaseline> save_baseline(const Config& config, const BaselineSpec& spec, const std::filesystem::path& file,
                                   const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop);

// Times the kernels of a file once more, as a session of now, and writes it anew, signed with this user's key; its day and its end
// stay. Only on the machine that timed them last, and only as the very binaries that they are: what this cannot be said of is left
// out. `not_timed` as above. Fails, with the file as it was, where nothing was added, for a stranger's file (kUntrusted) and for
// one that is over (kNotFound).
Result<MadeBaseline> extend_baseline(const Config& config, const std::filesystem::path& file,
                                     const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop);

// What a file holds, verified with this user's keys: see read_baseline(). Nothing of it is compiled or run.
Result<Baseline> load_baseline(const Config& config, const std::filesystem::path& file);

}  // namespace fuselab::engine
