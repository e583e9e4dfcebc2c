// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gate/baseline/baseline_mode.h"
#include "app/gate/commands/command_line.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/gate/check_report.h"

// fuselab.toml, which configures the performance gate of a repository. The text is not trusted: its size is bounded, and every
// error names file and line.
namespace fuselab::engine {

// One [[case]], completed with the defaults in [check].
struct CheckCase {
  std::string name;                   // unique
  std::string subject;                // built-in workload or model, text of a graph, or `file` as it is written in fuselab.toml;
                                      // of a command its text
  std::filesystem::path file;         // of a model, inside the configuration's folder; empty where the subject is no file
  std::string shape;                  // "cols=1024,rows=128"
  std::vector<std::string> dtypes;    // of a built-in workload
  std::vector<std::string> devices;   // empty: every usable one
  std::string launch_config;          // "vector=8,threads=2"; empty: the one Fuselab would use
  double margin = 0.01;               // share of the baseline's time
  double detect = 0.05;               // the slowdown that must not go unseen: see CaseOutcome::detect; above the margin
  Nanoseconds budget{2'000'000'000};  // kernel time for a comparison; of a command the time of its runs
  CommandCase command;                // set where the case is a command of the user's own instead of a subject
  SourceLine where;

  // Returns the path or the name by which the subject is resolved.
  std::string resolvable() const { return file.empty() ? subject : file.string(); }
};

struct CheckConfig {
  std::filesystem::path file;                 // the path as passed in; empty when parsed from a text
  std::filesystem::path folder;               // the folder of the file
  std::filesystem::path baseline;             // of [check]; empty: not set
  std::optional<BaselineMode> baseline_mode;  // of [check]; nullopt: not set
  std::filesystem::path selftest;             // of [check]: a self-test's record; empty: not set
  std::vector<std::string> fail_on;           // of [check]; empty: not set
  std::vector<CheckCase> cases;               // at least one, in the file's order
};

// Fails with kInvalidArgument "fuselab.toml:12: …" for text that is no TOML, for keys that are unknown, of the wrong type, repeated
// or out of bounds, and for a subject outside the folder; with kNotFound where there is no such file.
Result<CheckConfig> read_check_config(const std::filesystem::path& file);
// Does the same; error messages call the file `shown`.
Result<CheckConfig> read_check_config(const std::filesystem::path& file, const std::string& shown);
// Does the same for a text; error messages call it `shown`, and its paths are relative to `folder`.
Result<CheckConfig> parse_check_config(std::string_view text, const std::string& shown, const std::filesystem::path& folder);

// Returns the cases of these names, in the file's order; all of them when `names` is empty. Fails with kInvalidArgument, listing
// the cases there are, for an unknown name.
Result<std::vector<CheckCase>> chosen_cases(const CheckConfig& config, const std::vector<std::string>& names);

}  // namespace fuselab::engine
