// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/baseline_making.h"

#include <fstream>

#include "app/gate/baseline/baseline_kernel.h"
#include "app/gate/baseline/gate_kernels.h"
#include "app/gate/source/repository.h"
#include "app/gate/source/utc_dates.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// Makes and times a kernel. Returns false as add_timing_run() does.
Result<bool> make_kernel(GateKernels& kernels, const CheckCase& of, const GateItem& item, BaselineKernel& made) {
  made.case_name = of.name;
  made.piece = item.name == of.name ? "" : item.name;
  made.subject = item.subject;
  made.graph_text = canonical_text(item.piece.operation.graph);
  made.device_id = item.device.id;
  made.device_uuid = item.device.uuid;
  made.device_name = item.device.name;
  made.target = item.device.target;
  FL_TRY(const GateConfig chosen, kernels.configuration(of, item, nullptr));
  made.config_from = chosen.from;
  made.budget = of.budget;
  FL_TRY(made.kernel, kernels.compile(item, chosen.config));
  return add_timing_run(kernels, item, made);
}

// Fails unless a baseline may be written here: there is no file, or a baseline.
Status check_replaceable(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  std::string start(16, ' ');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  if (std::filesystem::is_regular_file(file, ignored) && start == "fuselab-baseline") return {};
  return invalid_argument(file.string() + " is there and is no baseline; it is left alone");
}

Result<MadeBaseline> make_baseline(const Config& config, const BaselineSpec& spec,
                                   const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop) {
  FL_TRY(const auto chosen, chosen_cases(spec.config, spec.cases));
  FL_TRY(const std::unique_ptr<GateKernels> kernels, GateKernels::open(config, chosen, spec.devices, std::move(stop)));
  MadeBaseline made;
  made.baseline.tool_version = tool_version();
  made.baseline.commit = commit_of(spec.config.folder);
  made.baseline.saved_at = utc_now();
  made.baseline.expires_at = spec.expires_at;
  made.baseline.environment = kernels->environment();
  const auto leave_out = [&](const CheckCase& of, const std::string& name, const std::string& device, const Error& why) {
    made.left_out.push_back({name, device, why.code, why.message, of.where});
  };
  for (const CheckCase& of : chosen) {
    if (of.command.is_set()) continue;  // it is compared with its baseline-command, or with a commit
    const auto devices = kernels->devices(spec.devices.empty() ? of.devices : spec.devices, spec.target);
    if (!devices.ok()) leave_out(of, of.name, "", devices.error());
    for (const DeviceInfo& device : devices.ok() ? devices.value() : std::vector<DeviceInfo>()) {
      const auto items = kernels->items(of, device);
      if (!items.ok()) leave_out(of, of.name, device.id, items.error());
      for (const GateItem& item : items.ok() ? items.value() : std::vector<GateItem>()) {
        if (on_kernel) on_kernel(item.name + " on " + device.id);
        BaselineKernel kernel;
        const auto timed = make_kernel(*kernels, of, item, kernel);
        if (!timed.ok() && timed.error().code == ErrorCode::kCancelled) return timed.error();
        if (!timed.ok()) {
          leave_out(of, item.name, device.id, timed.error());
          continue;
        }
        if (!timed.value()) made.not_timed.push_back({item.name, device.id, ErrorCode::kUnavailable, kTooDisturbed, of.where});
        made.baseline.kernels.push_back(std::move(kernel));
      }
    }
  }
  if (!made.baseline.kernels.empty()) return made;
  if (made.left_out.empty())
    return invalid_argument("there are only commands: no file keeps them, `fuselab check` runs their baseline-command");
  const NotSaved& first = made.left_out.front();
  return Error{first.code, first.where.file + ":" + std::to_string(first.where.line) + ": " + first.name + ": " + first.reason};
}

}  // namespace

Result<MadeBaseline> save_baseline(const Config& config, const BaselineSpec& spec, const std::filesystem::path& file,
                                   const std::function<void(const std::string& name)>& on_kernel, std::stop_token stop) {
  FL_TRY_VOID(check_replaceable(file));
  db::Trust trust(config.key_directory);
  FL_TRY(const std::string key, trust.public_key_text());  // before minutes are spent on a baseline that could not be signed
  FL_TRY(MadeBaseline made, make_baseline(config, spec, on_kernel, std::move(stop)));
  made.baseline.file = file.filename().string();
  made.baseline.signer = key.substr(key.find(' ') + 1);
  made.baseline.trusted = true;
  FL_TRY_VOID(write_baseline(file, made.baseline, trust));
  return made;
}

Result<Baseline> load_baseline(const Config& config, const std::filesystem::path& file) {
  db::Trust trust(config.key_directory);
  return read_baseline(file, trust);
}

}  // namespace fuselab::engine
