// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/baseline_kernel.h"

#include <algorithm>
#include <sstream>

#include "app/engine/kernels/recompiled_kernel.h"
#include "app/gate/source/utc_dates.h"
#include "core/base/plain_text.h"
#include "core/graph/graph_text.h"
#include "core/reference/own_reference.h"

namespace fuselab::engine {
namespace {

bool runs(const DeviceInfo& device, const std::string& target) {
  return device.target.id == target || std::any_of(device.other_targets.begin(), device.other_targets.end(),
                                                   [&](const Target& other) { return other.id == target; });
}

// Returns the recorded flags for another target: the new target's name in place of the old one's.
std::string flags_for(const std::string& flags, const std::string& old_target, const std::string& new_target) {
  std::istringstream words(flags);
  std::string text;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos && word.substr(equals + 1) == old_target)
      word.replace(equals + 1, std::string::npos, new_target);
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

bool is_of_piece(const BaselineKernel& saved, const GateItem& item) {
  if (saved.kernel.identity.backend != item.device.backend) return false;
  if (saved.kernel.identity.graph.hex() == item.piece.key) return true;
  // The key of a kernel that the user wrote holds its text, which is what may have become slower.
  const auto then = parse_graph(saved.graph_text);
  return then.ok() && ask_the_same(then.value(), item.piece.operation.graph);
}

std::string library_text(const KernelIdentity& kernel) {
  return kernel.library.empty() ? "no library" : kernel.library + " " + kernel.library_version;
}

std::string targets_text(const DeviceInfo& device) {
  std::string text = device.target.id;
  for (const Target& other : device.other_targets) text += ", " + other.id;
  return text;
}

}  // namespace

const BaselineKernel* find_kernel(const Baseline& baseline, const CheckCase& of, const GateItem& item) {
  // The very graph comes before one that is to compute the same: a case may have several of these.
  const BaselineKernel *exact = nullptr, *same = nullptr;
  for (const BaselineKernel& each : baseline.kernels) {
    if (each.case_name != of.name || !is_of_piece(each, item)) continue;
    const BaselineKernel*& found = each.kernel.identity.graph.hex() == item.piece.key ? exact : same;
    const bool is_here = each.device_id == item.device.id;
    if (found == nullptr || (is_here && found->device_id != item.device.id)) found = &each;
  }
  return exact != nullptr ? exact : same;
}

std::string elsewhere_note(const BaselineKernel& saved, const GateItem& item) {
  return saved.device_id == item.device.id ? "" : "saved on " + saved.device_id;
}

std::string untrusted_text(const Baseline& baseline) {
  return baseline.file + " was signed by " + baseline.signer.substr(0, 12) +
         ", whom you do not trust; `fuselab trust add \"fuselab-ed25519 " + baseline.signer + "\"` accepts that key";
}

MissingKernel missing_kernel(const Baseline& baseline, const CheckCase& of, const GateItem& item,
                             const std::set<std::string>& cases) {
  bool has_name = false, has_kernel = false;
  for (const BaselineKernel& each : baseline.kernels) {
    if (each.case_name != of.name) continue;
    has_name = true;
    has_kernel = has_kernel || each.kernel.identity.backend == item.device.backend;
  }
  const auto namesake = std::find_if(baseline.kernels.begin(), baseline.kernels.end(), [&](const BaselineKernel& each) {
    return is_of_piece(each, item) && !cases.contains(each.case_name);
  });
  MissingKernel missing;
  std::string who = has_kernel ? " knows this case as another graph: its model, shape or fusion changed since"
                               : " has no kernel of this case for " + item.device.backend;
  if (!has_kernel && namesake != baseline.kernels.end()) {
    missing.state = CaseState::kRenamed;
    who += ", and one of the same graph for case '" + plain_line(namesake->case_name) + "', which is gone: was it renamed?";
  } else if (!has_name) {
    missing.state = CaseState::kNew;
  }
  missing.reason = baseline.origin() + who + "; save one with `fuselab baseline save`";
  return missing;
}

Result<RunnableBaseline> runnable(GateKernels& kernels, const BaselineKernel& saved, const GateItem& item,
                                  const KernelIdentity& today) {
  const KernelIdentity& then = saved.kernel.identity;
  if (then.library != today.library || then.library_version != today.library_version) {
    return Error{ErrorCode::kUnsupported, "it was made with " + library_text(then) + ", and here is " + library_text(today) +
                                              ": it cannot be run again as it was"};
  }
  const bool whole = !saved.kernel.binary.data.empty();
  if (whole && runs(item.device, saved.target.id)) return RunnableBaseline{saved.kernel, false, ""};
  const std::string why =
      whole ? "its binary is for " + saved.target.id + " and " + item.device.id + " runs " + targets_text(item.device)
            : "its binary was not kept";
  if (saved.kernel.source.text.empty()) return Error{ErrorCode::kNotFound, why + "; its source was not kept either"};
  // Only targets of one architecture will do: the text for another one is in another language, or for another machine.
  if (saved.target.arch != item.device.target.arch) return Error{ErrorCode::kUnsupported, why};
  // Text that was written for wider vectors computes the same here, only slower than text written for this processor: any candidate
  // compared with it would look like an improvement.
  FL_TRY(const bool fits, kernels.accepts(item, saved.kernel.config));
  if (!fits) {
    return Error{ErrorCode::kUnsupported,
                 why + "; its text in the configuration " + saved.kernel.config.text() +
                     " would be slow here for that alone: save a baseline on such a CPU, or with --target " +
                     item.device.target.id};
  }
  CompiledKernel bare = saved.kernel;
  bare.binary = {};
  const std::string flags = flags_for(bare.identity.flags, saved.target.id, item.device.target.id);
  auto compiled = recompiled_kernel(kernels.workers(), {item.device.backend, item.device.target, std::move(bare), flags},
                                    saved.graph_text, kernels.stop());
  if (!compiled.ok() && compiled.error().code == ErrorCode::kCancelled) return compiled.error();
  if (!compiled.ok()) return Error{ErrorCode::kUnsupported, why + "; compiled anew: " + compiled.error().message};
  return RunnableBaseline{std::move(compiled).value(), true, why + ": its source was compiled anew with " + flags};
}

Result<bool> add_timing_run(GateKernels& kernels, const GateItem& item, BaselineKernel& kernel) {
  TimingRun run;
  run.at = utc_now();
  run.machine = kernels.machine(item.device);
  run.protocol = Protocol::kVersion;
  TimingRunSpec spec;
  spec.device = item.device;
  spec.plan = whole_graph_plan(item.name, item.piece.operation.graph, kernel.kernel);
  spec.budget = kernel.budget;
  FL_TRY(const MeasuredTimingRun measured, measure_timing_run(kernels.workers(), spec, kernels.stop()));
  if (!measured.fit.ok()) return false;
  run.processes = samples_of(measured.processes);
  kernel.sessions.push_back(std::move(run));
  if (kernel.sessions.size() > kMostTimingRuns) kernel.sessions.erase(kernel.sessions.begin());
  return true;
}

}  // namespace fuselab::engine
