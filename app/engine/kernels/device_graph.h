// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/wire/messages.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// A graph (a piece or a single operator) on one device, with everything that a job asks about it. KernelBuilder makes it once, and
// it is handed on from then on.
struct DeviceGraph {
  const Graph* graph = nullptr;
  std::string key;                        // graph_key(), hex
  Result<wire::DescribeReply> described;  // the answer of the device's backend
  std::string generation;                 // generation_key() of its kernels; empty where the backend did not answer
  std::optional<LaunchConfig> best;       // given by the user, found by a search, or the default; empty until it is asked for

  // Fail where the backend did not answer; default_config() also with kUnsupported where it makes no kernel for this graph.
  Result<bool> is_supported() const;
  Result<LaunchConfig> default_config() const;
};

}  // namespace fuselab::engine
