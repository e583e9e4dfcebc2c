// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/workers/worker_pool.h"
#include "core/backend/device_info.h"
#include "core/stats/comparison.h"

namespace fuselab::engine {

// Says before the first comparison on a device what its budget is expected to find there. The reference kernel is compared with
// itself in a few processes, in about a second. Used by one thread.
class ExpectedPower {
 public:
  ExpectedPower(WorkerPool& workers, std::function<void(const std::string&)> on_note)
      : workers_(workers), on_note_(std::move(on_note)) {}

  // Does so where the device was not asked for before. Not for devices with scripted times, which scatter as they are written.
  void tell(const DeviceInfo& device, const ComparisonRule& rule, const std::stop_token& stop);
  // Returns what was said, as CheckReport::environment has it.
  std::vector<std::pair<std::string, std::string>> said() const { return said_; }

 private:
  WorkerPool& workers_;
  std::function<void(const std::string&)> on_note_;
  std::set<std::string> asked_;
  std::vector<std::pair<std::string, std::string>> said_;
};

// Returns "slowdowns from 2.3 % are expected to be found 19 times in 20, with a margin of 1 % and 2 s a comparison".
std::string power_text(const ComparisonRule& rule, const ComparisonResult& pilot);

}  // namespace fuselab::engine
