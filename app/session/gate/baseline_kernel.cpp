// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/baseline_kernel.h"

#include <algorithm>

namespace fuselab::session {
namespace {

bool runs(const DeviceInfo& device, const std::string& target) {
  return device.target.id == target || std::any_of(device.other_targets.begin(), device.other_targets.end(),
                                                   [&](const Target& other) { return other.id == target; });
}

std::string targets_text(const DeviceInfo& device) {
  std::string text = device.target.id;
  for (const Target& other : device.other_targets) text += ", " + other.id;
  return text;
}

}  // namespace

const BaselineKernel* find_kernel(const Baseline& baseline, const GateItem& item) {
  const BaselineKernel* elsewhere = nullptr;  // on another device of the same backend
  for (const BaselineKernel& each : baseline.kernels) {
    if (each.kernel.identity.graph.hex() != item.piece.key || each.kernel.identity.backend != item.device.backend) continue;
    if (each.device_id == item.device.id) return &each;
    if (elsewhere == nullptr) elsewhere = &each;
  }
  return elsewhere;
}

std::string missing_text(const Baseline& baseline, const CheckCase& of, const GateItem& item) {
  bool const known = std::any_of(baseline.kernels.begin(), baseline.kernels.end(), [&](const BaselineKernel& each) {
    return each.case_name == of.name && each.kernel.identity.backend == item.device.backend;
  });
  std::string const who = known ? " knows this case as another graph: its model, shape or fusion changed since"
                                : " has no kernel of this case for " + item.device.backend;
  return baseline.origin() + who + "; save one with `fuselab baseline save`";
}

Result<RunnableBaseline> runnable(GateBench& bench, const Baseline& baseline, const BaselineKernel& saved, const GateItem& item) {
  (void)bench;
  if (!baseline.trusted) {
    return Error{ErrorCode::kUntrusted, baseline.file + " was signed by " + baseline.signer.substr(0, 12) +
                                            ", whom you do not trust; `fuselab trust add \"fuselab-ed25519 " + baseline.signer +
                                            "\"` accepts that key"};
  }
  if (!runs(item.device, saved.target.id)) {
    return Error{ErrorCode::kUnsupported,
                 "its binary is for " + saved.target.id + "; " + item.device.id + " runs " + targets_text(item.device)};
  }
  return RunnableBaseline{saved.kernel, false, ""};
}

}  // namespace fuselab::session
