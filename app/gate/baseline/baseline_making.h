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
  std::vector<std::string> devices;  // used instead of each case's own; empty: each case's own
  std::string target;                // see CheckSpec
  std::string expires_at;            // UTC, see expiry_of(); empty: never
};

// An item that could not be kept in a baseline, and why.
struct NotSaved {
  std::string name, device;
  ErrorCode code = ErrorCode::kInternal;
  std::string reason;
  SourceLine where;
};
struct MadeBaseline {
  Baseline baseline;
  std::vector<NotSaved> left_out;
  std::vector<NotSaved> not_timed;  // kept or extended without figures, because the machine was too disturbed
};

// Makes, verifies and times today's kernels of the cases and writes them to `file`, signed. Blocks; `on_kernel` is called with the
// name of each.
// Fails with the first reason where there is no kernel to keep, and with kInvalidArgument where a file that is no baseline would be
// overwritten.
Result<MadeBaseline> save_baseline(const Config& config, const BaselineSpec& spec, const std::filesystem::path& file,
                                   const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop);

// Times the kernels of a file once more as a new timing run and writes the file again, signed with this user's key; its date and
// its expiry stay. A kernel is timed only on the machine that timed it last (without such a timing run, on the device it was saved
// on) and only as the very binary saved; the others are in `left_out`. `not_timed` as above. Fails, leaving the file as it was,
// where nothing was added, with kUntrusted for a file of a signer who is not trusted, and with kNotFound for one that has expired.
Result<MadeBaseline> extend_baseline(const Config& config, const std::filesystem::path& file,
                                     const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop);

// Reads a file and verifies it with this user's keys: see read_baseline(). Nothing in it is compiled or run.
Result<Baseline> load_baseline(const Config& config, const std::filesystem::path& file);

}  // namespace fuselab::engine
