// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::onednn {

// What is stored of a kernel that oneDNN provides: enough to make the same primitives again, and to notice when the library would
// make others. One line each; what follows are words for people.
struct PlanText {
  std::string library_version;  // "2.6.3"
  std::string isa;
  LaunchConfig config;
  Graph graph;
  std::vector<std::string> implementations;  // one per primitive
  std::vector<std::string> words;            // one per primitive: what it covers and why it stands apart
};

std::string write_plan(const PlanText& plan);
// kCorrupt where it is no plan. The text is untrusted.
Result<PlanText> read_plan(std::string_view text);

}  // namespace fuselab::onednn
