// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gate/baseline/baseline_mode.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/gate/check_report.h"

// fuselab.toml: what the performance gate of a repository is about. The text is a stranger's: bounded, and every complaint names
// file and line.
namespace fuselab::engine {

// One [[case]], with what [check] says for all of them filled in.
struct CheckCase {
  std::string name;                   // unique
  std::string subject;                // built-in workload or model, text of a graph, or `file` as it is written
  std::filesystem::path file;         // of a model: inside the configuration's folder; empty where the subject is no file
  std::string shape;                  // "cols=1024,rows=128"
  std::vector<std::string> dtypes;    // of a built-in workload
  std::vector<std::string> devices;   // empty: every usable one
  std::string launch_config;          // "vector=8,threads=2"; empty: what Fuselab would use
  double margin = 0.01;               // of the baseline's time
  Nanoseconds budget{2'000'000'000};  // of kernel time for a comparison
  SourceLine where;

  // What a path or a name of the subject is resolved by.
  std::string resolvable() const { return file.empty() ? subject : file.string(); }
};

struct CheckConfig {
  std::filesystem::path file;                 // as given; empty: of a text
  std::filesystem::path folder;               // that the file lies in
  std::filesystem::path baseline;             // of [check]; empty: not said
  std::optional<BaselineMode> baseline_mode;  // of [check]; none: not said
  std::filesystem::path selftest;             // of [check]: a self-test's record; empty: not said
  std::vector<std::string> fail_on;           // of [check]; empty: not said
  std::vector<CheckCase> cases;               // at least one, in the file's order
};

// kInvalidArgument "fuselab.toml:12: …" for what is no TOML, unknown, of the wrong type, twice or beyond its bounds, and for a
// subject that leaves the folder; kNotFound where there is no such file.
Result<CheckConfig> read_check_config(const std::filesystem::path& file);
// The same; `shown` is how complaints call the file.
Result<CheckConfig> read_check_config(const std::filesystem::path& file, const std::string& shown);
// The same of a text; `shown` is how the file is called, `folder` what its paths are relative to.
Result<CheckConfig> parse_check_config(std::string_view text, const std::string& shown, const std::filesystem::path& folder);

// The cases of these names, in the file's order; all for none. kInvalidArgument names those there are.
Result<std::vector<CheckCase>> chosen_cases(const CheckConfig& config, const std::vector<std::string>& names);

}  // namespace fuselab::engine
