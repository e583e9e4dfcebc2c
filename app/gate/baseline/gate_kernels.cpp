// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/gate_kernels.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

#include "app/engine/kernels/requests.h"
#include "app/engine/offers/offered_limits.h"
#include "app/engine/subject/given_config.h"
#include "app/engine/workers/environment_here.h"
#include "app/engine/workers/selected_devices.h"
#include "core/base/version.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {
namespace {

WorkerPoolOptions pool_options(const Config& config) {
  WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  return options;
}

std::string subject_text(const Subject& subject) {
  return subject.name + (subject.binding.empty() ? "" : " " + subject.binding) + (subject.dtype.empty() ? "" : " " + subject.dtype);
}

// Returns the share of processors that the control groups leave: "1.5 processors".
std::string quota_text(const std::optional<double>& processors) {
  if (!processors) return "none";
  char text[48];
  std::snprintf(text, sizeof text, "%.3g CPUs", *processors);
  return text;
}

// Returns the backends that the cases name, since probing one may take a second; nullopt where some case takes every device.
std::optional<std::set<std::string>> named_backends(const std::vector<CheckCase>& cases, const std::vector<std::string>& devices) {
  std::set<std::string> backends;
  for (const CheckCase& of : cases) {
    if (of.command.is_set()) continue;
    const std::vector<std::string>& wanted = devices.empty() ? of.devices : devices;
    if (wanted.empty()) return std::nullopt;
    for (const std::string& name : wanted) backends.insert(name.substr(0, name.find(':')));
  }
  return backends;
}

}  // namespace

GateKernels::GateKernels(const Config& config, std::stop_token stop)
    : config_(config),
      stop_(std::move(stop)),
      trust_(std::make_shared<db::Trust>(config.key_directory)),
      workers_(pool_options(config)),
      stored_(config.database, trust_),
      evidence_(workers_, stored_, JobSpec().level, stop_) {}

Result<std::unique_ptr<GateKernels>> GateKernels::open(const Config& config, const std::vector<CheckCase>& cases,
                                                       const std::vector<std::string>& devices, std::stop_token stop) {
  auto named = named_backends(cases, devices);
  std::unique_ptr<GateKernels> opened(new GateKernels(config, std::move(stop)));
  const Status readable = opened->stored_.open();
  if (!readable.ok() && readable.error().code != ErrorCode::kNotFound) return readable.error();
  FL_TRY(const std::vector<std::string> ids, opened->workers_.backend_ids());
  const std::set<std::string> known(ids.begin(), ids.end());
  // A user who asks for a device that does not exist is shown all that do, so all backends are probed.
  if (named && !std::includes(known.begin(), known.end(), named->begin(), named->end())) named.reset();
  for (const std::string& id : ids) {
    if (named && !named->contains(id)) continue;
    FL_TRY(BackendReport report, opened->workers_.probe(id));
    opened->backends_.push_back(std::move(report));
  }
  opened->environments_ = environments_here(opened->backends_);
  return opened;
}

bool GateKernels::has(const std::string& device_id) const {
  return std::ranges::any_of(backends_, [&](const BackendReport& backend) {
    return std::ranges::any_of(backend.devices, [&](const DeviceInfo& device) { return device.id == device_id; });
  });
}

Result<std::vector<DeviceInfo>> GateKernels::devices(const std::vector<std::string>& wanted, const std::string& target) const {
  FL_TRY(const std::vector<DeviceInfo> devices, select_devices(backends_, {wanted}, config_.synthetic, Drivers::kFirst));
  std::vector<DeviceInfo> lowered;
  for (const DeviceInfo& device : devices) {
    FL_TRY(DeviceInfo one, on_target(device, target));
    // The targets are sorted from best to least: those above the named one are treated as missing.
    auto& lower = one.other_targets;
    const auto own = std::find_if(lower.begin(), lower.end(), [&](const Target& each) { return each.id == one.target.id; });
    if (own != lower.end()) lower.erase(lower.begin(), own + 1);
    lowered.push_back(std::move(one));
  }
  return lowered;
}

Result<std::vector<GateSubject>> GateKernels::subjects(const CheckCase& of, const DeviceInfo& device) {
  FL_TRY(const OptimizationLevel level, parse_optimization_level(JobSpec().level));
  std::vector<GateSubject> made;
  std::set<std::pair<std::string, std::string>> asked;  // a model's element types are fixed, so once is enough
  for (const std::string& name : of.dtypes) {
    FL_TRY(const DType dtype, parse_element_type(name));
    FL_TRY(std::vector<Subject> subjects, resolve_subject(config_, of.resolvable(), of.shape, dtype));
    for (Subject& subject : subjects) {
      if (!asked.insert({subject.binding, subject.dtype}).second) continue;
      GateSubject& one = made.emplace_back();
      one.name = of.name + (subjects.size() > 1 ? " " + subject.binding : "") +
                 (of.dtypes.size() > 1 && !subject.dtype.empty() ? " " + subject.dtype : "");
      one.text = subject_text(subject);
      FL_TRY(one.fused_model, cut(std::move(subject), level, offered_limits(workers_, backends_, {device}, JobSpec().level)));
    }
  }
  return made;
}

Result<std::vector<GateItem>> GateKernels::items(const CheckCase& of, const DeviceInfo& device) {
  FL_TRY(std::vector<GateSubject> subjects, this->subjects(of, device));
  std::vector<GateItem> items;
  for (GateSubject& subject : subjects) {
    std::set<std::string> names;
    const bool several = subject.fused_model.pieces.size() > 1;
    for (Piece& piece : subject.fused_model.pieces) {
      if (!piece.not_measured.empty()) continue;
      std::string own = piece.operation.name;
      for (int next = 2; !names.insert(own).second; ++next) own = piece.operation.name + "#" + std::to_string(next);
      items.push_back({subject.name + (several ? "/" + own : ""), subject.text, device, std::move(piece)});
    }
  }
  if (!items.empty()) return items;
  return invalid_argument("nothing of '" + of.subject + "' runs as a kernel");
}

Result<std::optional<LaunchConfig>> GateKernels::tuned(const GateItem& item) {
  const auto environment = environments_.find(item.device.id);
  if (environment == environments_.end()) return std::optional<LaunchConfig>();
  FL_TRY(const auto trials, evidence_.current({item.piece, item.device, metric_of(Protocol()).key().hex(), environment->second}));
  for (const TrialRecord& trial : trials) {
    if (trial.kind != PlanKind::kFused) continue;
    FL_TRY(LaunchConfig config, LaunchConfig::parse(trial.config));
    return std::optional<LaunchConfig>(std::move(config));
  }
  return std::optional<LaunchConfig>();
}

Result<wire::DescribeReply> GateKernels::describe(const GateItem& item) {
  return workers_.describe(describe_request(item.device, JobSpec().level, item.piece.operation.graph), stop_);
}

Result<bool> GateKernels::accepts(const GateItem& item, const LaunchConfig& config) {
  FL_TRY(const wire::DescribeReply described, describe(item));
  return described.support.yes && described.space.check(config).ok();
}

Result<GateConfig> GateKernels::configuration(const CheckCase& of, const GateItem& item, const BaselineKernel* baseline) {
  FL_TRY(const wire::DescribeReply described, describe(item));
  if (!described.support.yes) return Error{ErrorCode::kUnsupported, item.device.id + ": " + described.support.why_not};
  if (!of.launch_config.empty()) {
    FL_TRY(const LaunchConfig given, LaunchConfig::parse(of.launch_config));
    FL_TRY(LaunchConfig config, completed_config(given, described, item.name + " on " + item.device.id));
    return GateConfig{std::move(config), "fuselab.toml"};
  }
  FL_TRY(auto known, tuned(item));
  if (known) return GateConfig{std::move(*known), "tuned"};
  const bool usable = baseline != nullptr && baseline->kernel.identity.generator == described.generator &&
                      described.space.check(baseline->kernel.config).ok();
  if (usable) return GateConfig{baseline->kernel.config, "as in the baseline"};
  return GateConfig{described.default_config, "default"};
}

Result<CompiledKernel> GateKernels::identify(const GateItem& item, const LaunchConfig& config) {
  return workers_.generate(generate_request(item.device, JobSpec().level, item.piece.operation.graph, {config}), stop_).front();
}

Result<CompiledKernel> GateKernels::compile(const GateItem& item, const LaunchConfig& config) {
  return workers_.compile(compile_request(item.device, JobSpec().level, item.piece.operation.graph, config), stop_);
}

EnvironmentIdentity GateKernels::machine(const DeviceInfo& device) const {
  return platform::environment_identity(platform::machine_facts(), device, std::string(tool_version()));
}

std::vector<std::pair<std::string, std::string>> GateKernels::environment() const {
  const auto machine = platform::machine_facts();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"cpu", machine.cpu_model}, {"microcode", machine.microcode}, {"kernel", machine.os_kernel}, {"clock", machine.clock_policy}};
  if (!machine.smt.empty()) facts.emplace_back("smt", machine.smt);
  if (machine.numa_nodes > 0) facts.emplace_back("numa nodes", std::to_string(machine.numa_nodes));
  facts.emplace_back("cpu quota", quota_text(machine.cpu_quota));
  if (!machine.aslr.empty()) facts.emplace_back("aslr", machine.aslr);
  for (const BackendReport& backend : backends_) {
    for (const DeviceInfo& device : backend.devices) {
      if (device.synthetic) continue;
      facts.emplace_back(
          device.id, device.name + (device.driver_version ? ", driver " + *device.driver_version : "") + ", " + device.target.id);
    }
  }
  return facts;
}

}  // namespace fuselab::engine
