// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/asked_kernels.h"

#include <algorithm>

namespace fuselab::engine {
namespace {

bool names_device(const std::vector<std::string>& names, const std::string& device_id) {
  const std::string backend = device_id.substr(0, device_id.find(':'));
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name == device_id || name == backend; });
}

}  // namespace

bool AskedKernels::is_unused(const std::vector<CheckCase>& cases, const BaselineKernel& kernel) const {
  if (taken_.contains(&kernel)) return false;
  if (looked_.contains({kernel.case_name, kernel.device_id})) return true;
  return std::none_of(cases.begin(), cases.end(), [&](const CheckCase& each) {
    return each.name == kernel.case_name && names_device(each.devices, kernel.device_id);
  });
}

std::set<std::string> AskedKernels::missed_devices(const CheckCase& of, const std::vector<std::string>& names,
                                                   const Baseline& baseline) const {
  std::set<std::string> missed;
  for (const BaselineKernel& each : baseline.kernels) {
    const bool asked = each.case_name == of.name && names_device(names, each.device_id);
    if (asked && !taken_.contains(&each) && !looked_.contains({of.name, each.device_id})) missed.insert(each.device_id);
  }
  return missed;
}

std::string AskedKernels::unused(const std::vector<CheckCase>& cases, const Baseline& baseline) const {
  constexpr std::size_t kNamed = 5;
  std::string names;
  std::size_t count = 0;
  for (const BaselineKernel& each : baseline.kernels) {
    if (!is_unused(cases, each)) continue;
    if (++count <= kNamed)
      names += (names.empty() ? "" : ", ") + (each.piece.empty() ? each.case_name : each.piece) + " on " + each.device_id;
  }
  return count <= kNamed ? names : names + " and " + std::to_string(count - kNamed) + " more";
}

}  // namespace fuselab::engine
