// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/check_config.h"

namespace fuselab::engine {

// Records which kernels of a baseline the cases of a run asked for. Holds addresses of the baseline's kernels, which must not move.
// Used by one thread.
class AskedKernels {
 public:
  // Notes that the case's pieces are known on the device, and that each will be looked for.
  void mark_seen(const CheckCase& of, const std::string& device_id) { looked_.insert({of.name, device_id}); }
  // Notes the kernel that was found for one of them; null: none was found.
  void mark_used(const BaselineKernel* found) { taken_.insert(found); }

  // Returns the devices of those kernels of the case that were neither looked for nor taken for another device, although `names`
  // (device ids or backends; empty: every device) covers them. Where such a device is not here, nothing else reports these kernels.
  std::set<std::string> missed_devices(const CheckCase& of, const std::vector<std::string>& names, const Baseline& baseline) const;

  // Lists the kernels that no case uses: "renamed on null:0, old on null:0 and 3 more". A case may have been renamed, taken out or
  // moved to other devices. Kernels of a case that ended before it looked, for example because its device is not there, are not
  // listed. Empty: there are none.
  std::string unused(const std::vector<CheckCase>& cases, const Baseline& baseline) const;

 private:
  bool is_unused(const std::vector<CheckCase>& cases, const BaselineKernel& kernel) const;

  std::set<std::pair<std::string, std::string>> looked_;  // case and device id
  std::set<const BaselineKernel*> taken_;
};

}  // namespace fuselab::engine
