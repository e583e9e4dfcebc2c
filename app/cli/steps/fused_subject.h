// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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
Result<FusionResult> fused(Invocation& invocation, const FusedSubject& of);

std::string percent(double share);
void print_open_extents(const Graph& graph);
void print_notes(const FusionResult& fusion);

}  // namespace fuselab::cli
