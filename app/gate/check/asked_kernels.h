// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/check_config.h"

namespace fuselab::engine {

// Which kernels of a baseline the cases of a run asked for. Holds addresses of the baseline's kernels: they must stay where they
// are. Used by one thread.
class AskedKernels {
 public:
  // The case's pieces are known on the device, and each will be looked for.
  void look(const CheckCase& of, const std::string& device_id) { looked_.insert({of.name, device_id}); }
  // What was found for one of them; null: nothing.
  void take(const BaselineKernel* found) { taken_.insert(found); }

  // The devices of the case's kernels that were neither looked for nor taken for another device, though the names (device ids or
  // backends; none: every device) cover them: where they are not here, nobody said anything of those kernels.
  std::set<std::string> missed_devices(const CheckCase& of, const std::vector<std::string>& names, const Baseline& baseline) const;

  // "renamed on null:0, old on null:0 and 3 more": kept for nothing, as of a case that was renamed, taken out or moved to other
  // devices. Not what a case of these asks for that ended before it looked, as where its device is not there. Empty: none.
  std::string unused(const std::vector<CheckCase>& cases, const Baseline& baseline) const;

 private:
  bool is_unused(const std::vector<CheckCase>& cases, const BaselineKernel& kernel) const;

  std::set<std::pair<std::string, std::string>> looked_;  // case and device id
  std::set<const BaselineKernel*> taken_;
};

}  // namespace fuselab::engine
