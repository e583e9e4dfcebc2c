// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/platform/system/clock.h"

namespace fuselab::worker {

// Adds the wall time of a scope to a sum, in ns.
class ScopedTime {
 public:
  explicit ScopedTime(double& sum) : sum_(sum), start_(platform::monotonic_now().count) {}
  ScopedTime(const ScopedTime&) = delete;
  ScopedTime& operator=(const ScopedTime&) = delete;
  ~ScopedTime() { sum_ += platform::monotonic_now().count - start_; }

 private:
  double& sum_;
  double start_;
};

}  // namespace fuselab::worker
