// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/null/null_runtime.h"
#include "core/backend/counter_collector.h"

namespace fuselab::null {

// What becomes of a synthetic device's counters.
enum class CounterTrouble { kNone, kDenied, kCrash, kHang, kFailingPass };

// A synthetic device with counters of its own: two metrics a pass, values from the script. It has no counter for one metric of the
// vocabulary, as real devices lack some.
class CountingRuntime : public NullRuntime, public CounterCollector {
 public:
  CountingRuntime(DeviceInfo info, CounterTrouble trouble) : NullRuntime(std::move(info)), trouble_(trouble) {}

  Result<CounterPasses> plan_passes(std::span<const std::string> metrics) override;
  Result<std::vector<Metric>> collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) override;

 private:
  CounterTrouble trouble_;
};

}  // namespace fuselab::null
