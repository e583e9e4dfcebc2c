// SPDX-License-Identifier: Apache-2.0
#include "core/store/trial_record.h"

namespace fuselab {

std::string_view name_of(PlanKind kind) {
  switch (kind) {
    case PlanKind::kFused: return "fused";
    case PlanKind::kUnfused: return "unfused";
  }
  FL_ASSERT(false);
}

Result<PlanKind> parse_plan_kind(std::string_view name) {
  for (const PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) {
    if (name_of(kind) == name) return kind;
  }
  return invalid_argument("unknown plan kind '" + std::string(name) + "'; known: fused, unfused");
}

std::string plan_key_of(const std::vector<std::string>& kernel_keys) {
  IdentityHasher hasher("plan");
  for (const std::string& key : kernel_keys) hasher.add("kernel", key);
  return hasher.finish().hex();
}

std::string given_up_because(const TuningRecord& record) {
  const std::size_t at = record.stopped.find(kGivenUp);
  return at == std::string::npos ? std::string() : record.stopped.substr(at + kGivenUp.size());
}

}  // namespace fuselab
