// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// How a backend does over the pieces of several tables, each piece once. Whoever sets a default backend is told before.
struct BackendStanding {
  std::string backend;
  int fastest = 0;       // pieces that it is recommended for
  int measured = 0;      // pieces of which it has a plan that may be chosen
  double slow_down = 1;  // geometric mean, over those, of its time as a multiple of the recommended one's
};

struct BackendStandings {
  int pieces = 0;                         // with a recommended plan
  std::vector<BackendStanding> backends;  // that measured any of them; fastest for most pieces first

  const BackendStanding* find(const std::string& backend) const;  // nullptr: none of its plans may be chosen
};

BackendStandings backend_standings(const std::vector<std::shared_ptr<const CompareTable>>& tables);

}  // namespace fuselab::engine
