// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backends/native/ceilings/host_ceiling.h"
#include "core/backend/device_info.h"
#include "core/measure/ceilings/paired_ceiling.h"

namespace fuselab::worker {

// Times a block's ceiling kernels between the rounds of its plans, for a fifth of the block at most. Used by one thread.
class BlockCeiling {
 public:
  // Returns nothing where nobody asked, or where the device is not the host's processor: the kernels run there. Neither where there
  // is no memory for them, since the block can do without.
  static std::unique_ptr<BlockCeiling> create(const DeviceInfo& device, const CeilingSpec& spec);

  // To be called before the first round and after each. `timed_ns`: of all `plans` so far. `warm_again` is called where streams
  // went through the caches, so that the next round finds there what it would have found.
  void look(double timed_ns, int plans, const std::function<void()>& warm_again);
  // Returns the time that it took of the block, making its arrays included; that alone is beside the fifth.
  double seconds() const { return making_seconds_ + looking_seconds_; }
  PairedCeiling take();

 private:
  explicit BlockCeiling(std::unique_ptr<cpu::HostCeiling> kernels);

  std::unique_ptr<cpu::HostCeiling> kernels_;
  PairedCeiling paired_;
  int rounds_ = -1;  // of the plans
  double timed_before_ = 0;
  double making_seconds_ = 0, looking_seconds_ = 0;
  int refused_ = 0;  // looks at a process that did not become quiet
};

}  // namespace fuselab::worker
