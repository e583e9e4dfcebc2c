// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::onednn {

// The stored text of a kernel that oneDNN provides: enough to make the same primitives again, and to notice when the library would
// make others. Each field is one line; further lines are for people.
struct PlanText {
  std::string library_version;  // "2.6.3"
  std::string isa;
  LaunchConfig config;
  Graph graph;
  std::vector<std::string> implementations;  // one per primitive
  std::vector<std::string> words;            // one per primitive: the operators that it computes and why it is separate
};

std::string write_plan(const PlanText& plan);
// Reads a plan. The text is untrusted.
// Fails with kCorrupt where it is no plan.
Result<PlanText> read_plan(std::string_view text);

}  // namespace fuselab::onednn
