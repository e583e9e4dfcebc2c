// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/native/threads/thread_pool.h"
#include "core/backend/device_runtime.h"

namespace fuselab::cpu {

// Measures the limits of the host's processor for a backend that drives it. Used by one thread.
class HostCeilingProbe final : public CeilingProbe {
 public:
  // `own`: the backend's own probe, which knows how long its launches take; null: it has none. It must outlive this object.
  explicit HostCeilingProbe(CeilingProbe* own);

  Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) override;
  Result<std::vector<Ceiling>> measure_flops(double seconds) override;

 private:
  CeilingProbe* own_;
  ThreadPool pool_;
};

}  // namespace fuselab::cpu
