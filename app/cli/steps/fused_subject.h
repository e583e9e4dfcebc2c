// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/cli/shell/command.h"
#include "core/fusion/partition/fusion_engine.h"

namespace fuselab::cli {

// The options shared by import and fuse, whose subject is cut into pieces, and the texts they both print.
struct FusedSubject {
  std::string subject;
  std::vector<std::string> shapes;
  std::vector<std::string> values;  // "sr=16000"
  std::string level = "O2";
  DeviceChoice devices;
};

// Adds SUBJECT, `--shape` and `--value`.
void add_fused_subject(CLI::App& command, FusedSubject& of);
// Parses `--value`. Fails with kInvalidArgument.
Result<std::map<std::string, double>> numbers_of(const std::vector<std::string>& texts);
// `what_runs`: as in FuseSpec.
Result<FusionResult> fused(Invocation& invocation, const FusedSubject& of, bool what_runs = true);

// "100% of the operators read, 80% can be run here"; the second where it is known.
std::string shares_text(const FusionResult& fusion);
void print_not_runnable(const FusionResult& fusion);  // a line for each operator and reason
void add_runnable(const FusionResult& fusion, nlohmann::json& document);
void print_open_extents(const Graph& graph);
void print_notes(const FusionResult& fusion);

}  // namespace fuselab::cli
