// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/baseline_kernel.h"
#include "app/gate/baseline/baseline_making.h"
#include "app/gate/baseline/gate_kernels.h"
#include "app/gate/baseline/usable_baseline.h"
#include "core/base/plain_text.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// Returns cases that name only the devices of a file, which is all that opening a GateKernels needs.
std::vector<CheckCase> cases_on_devices_of(const Baseline& baseline) {
  std::vector<CheckCase> cases;
  for (const BaselineKernel& each : baseline.kernels) cases.emplace_back().devices = {each.device_id};
  return cases;
}

// Returns why times measured here would not belong to this kernel, by the machine that timed it last, or else saved it. Empty: they
// do belong to it.
std::string elsewhere(const BaselineKernel& kernel, const EnvironmentIdentity& here) {
  if (!kernel.sessions.empty() && is_known(kernel.sessions.back().machine)) {
    const std::string differs = machine_differences(kernel.sessions.back().machine, here);
    return differs.empty() ? "" : "its times were taken elsewhere: " + differs;
  }
  const bool same = kernel.device_uuid.empty() || kernel.device_uuid == here.device_uuid;
  return same ? "" : "it was saved on another device than this " + kernel.device_id + ": " + plain_line(kernel.device_name);
}

// Times one kernel once more: the very binary, on the machine that timed it last.
Result<bool> extend_kernel(GateKernels& kernels, BaselineKernel& kernel) {
  FL_TRY(const std::vector<DeviceInfo> devices, kernels.devices({kernel.device_id}, ""));
  GateItem item;
  item.name = kernel.piece.empty() ? kernel.case_name : kernel.piece;
  item.subject = kernel.subject;
  item.device = devices.front();
  if (std::string why = elsewhere(kernel, kernels.machine(item.device)); !why.empty())
    return Error{ErrorCode::kUnavailable, std::move(why)};
  FL_TRY(item.piece.operation.graph, parse_graph(kernel.graph_text));
  item.piece.key = kernel.graph_key();
  KernelIdentity today = kernel.kernel.identity;
  if (!today.library.empty()) {
    FL_TRY(const CompiledKernel described, kernels.identify(item, kernel.kernel.config));
    today = described.identity;
  }
  FL_TRY(const RunnableBaseline here, runnable(kernels, kernel, item, today));
  if (here.recompiled) return Error{ErrorCode::kUnsupported, here.note + ", which is another kernel"};
  return add_timing_run(kernels, item, kernel);
}

}  // namespace

Result<MadeBaseline> extend_baseline(const Config& config, const std::filesystem::path& file,
                                     const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop) {
  db::Trust trust(config.key_directory);
  FL_TRY(const std::string key, trust.public_key_text());
  FL_TRY(UsableBaseline usable, usable_baseline(file, BaselineMode::kPaired, trust));
  if (!usable.none.empty())
    return Error{usable.baseline.signer.empty() || usable.baseline.trusted ? ErrorCode::kNotFound : ErrorCode::kUntrusted,
                 usable.none};
  MadeBaseline made;
  made.baseline = std::move(usable.baseline);
  if (made.baseline.kernels.empty()) return Error{ErrorCode::kNotFound, file.string() + " holds no kernel"};
  FL_TRY(const std::unique_ptr<GateKernels> kernels,
         GateKernels::open(config, cases_on_devices_of(made.baseline), {}, std::move(stop)));
  for (BaselineKernel& kernel : made.baseline.kernels) {
    const std::string name = kernel.piece.empty() ? kernel.case_name : kernel.piece;
    if (on_kernel) on_kernel(name + " on " + kernel.device_id);
    const auto added = extend_kernel(*kernels, kernel);
    if (!added.ok() && added.error().code == ErrorCode::kCancelled) return added.error();
    if (!added.ok()) {
      made.left_out.push_back({name, kernel.device_id, added.error().code, added.error().message, {}});
    } else if (!added.value()) {
      made.not_timed.push_back({name, kernel.device_id, ErrorCode::kUnavailable, kTooDisturbed, {}});
    }
  }
  if (made.left_out.size() + made.not_timed.size() == made.baseline.kernels.size()) {
    const NotSaved& first = made.left_out.empty() ? made.not_timed.front() : made.left_out.front();
    return Error{first.code, file.string() + ": " + first.name + ": " + first.reason};
  }
  made.baseline.signer = key.substr(key.find(' ') + 1);
  FL_TRY_VOID(write_baseline(file, made.baseline, trust));
  return made;
}

}  // namespace fuselab::engine
