// SPDX-License-Identifier: Apache-2.0
#include "app/engine/doctor.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/compare/runs/run_diff.h"
#include "app/engine/maintenance.h"
#include "app/engine/measure/device_timers.h"
#include "app/engine/stacks/stack_state.h"
#include "app/engine/workers/worker_pool.h"
#include "core/measure/ceilings/thread_gain.h"
#include "core/platform/files/directories.h"
#include "core/platform/files/installed_stack.h"
#include "core/platform/machine/counter_permission.h"
#include "core/platform/machine/machine.h"
#include "core/platform/processes/program_run.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

Finding examine_worker(const Config& config) {
  WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  WorkerPool pool(options);
  const auto ids = pool.backend_ids();
  if (!ids.ok())
    return {"worker program", Health::kBad, ids.error().message,
            "build the target `programs`; fuselab-worker belongs beside fuselab"};
  return {"worker program", Health::kGood,
          config.worker_program.string() + ", " + std::to_string(ids.value().size()) + " backends known", ""};
}

Finding examine_cpu_backend(const Config& config) {
  WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  WorkerPool pool(options);
  const auto report = pool.probe("cpu");
  if (!report.ok()) return {"cpu backend", Health::kBad, report.error().message, "run `fuselab devices` for all backends"};
  if (!report.value().availability.usable) {
    return {"cpu backend", Health::kBad, report.value().availability.reason,
            "install gcc or clang: kernels are compiled on this machine"};
  }
  const DeviceInfo& device = report.value().devices.front();
  return {"cpu backend", Health::kGood, device.name + ", target " + device.target.id, ""};
}

// Reports the timer's cost, since two readings of a clock are in every sample. An unknown cost is reported and counts as no fault.
Finding examine_timer(const std::string& device, const TimerCost& timer) {
  const std::string subject = "timer of " + device;
  if (timer.timings == 0) return {subject, Health::kGood, timer_text(timer), ""};
  const Nanoseconds sample = Protocol{}.min_sample;
  const double times = times_the_timer(timer, sample);
  const bool enough = times == 0 || times >= kEnoughTimes;
  char share[64];
  std::snprintf(share, sizeof share, ": %.2g %% of the shortest sample (", times == 0 ? 0.0 : 100 / times);
  return {subject, enough ? Health::kGood : Health::kDoubtful,
          timer_text(timer) + (times == 0 ? "" : share + format_duration(sample) + ")"),
          enough ? "" : "differences below that share are the timer's, unless samples are long"};
}

Finding examine_sensors(const DeviceInfo& device) {
  const auto sensors = device.properties.find("sensors");
  if (sensors == device.properties.end()) return {"sensors of " + device.id, Health::kGood, "none that Fuselab reads", ""};
  const bool read = sensors->second.find(", driver ") != std::string::npos;
  return {
      "sensors of " + device.id, read ? Health::kGood : Health::kDoubtful, sensors->second,
      read ? "" : "a device that slows itself down is not noticed; `fuselab devices --details` names the library that is missing"};
}

Finding examine_counters(const std::string& subject, const platform::CounterPermission& permission) {
  return {subject, permission.is_given ? Health::kGood : Health::kDoubtful, permission.found, permission.advice};
}

// Returns whether a program lies where the stack that brings it is fetched to, or in $PATH.
bool has_program(const Config& config, const InstallableStack& stack, const fs::path& program) {
  std::error_code absent;
  return fs::exists(platform::stack_folder(config.data_directory, stack) / program, absent) ||
         platform::find_program({program.filename().string()});
}

// Names the compiler of CUDA's kernels, which needs no device, and the programs that disassemble them.
Finding examine_nvrtc(const Config& config, const CompilerReport& compiler) {
  const InstallableStack& stack = *find_installable_stack("nvrtc");
  if (compiler.name.empty())
    return {"NVRTC", Health::kDoubtful, compiler.why_not,
            "`" + stack.install_command() + "`: CUDA's kernels are then compiled and tuned for a target, without a GPU too"};
  std::string there, missing;
  for (const std::string_view program : stack.programs) {
    std::string& names = has_program(config, stack, program) ? there : missing;
    names += (names.empty() ? "" : " and ") + fs::path(program).filename().string();
  }
  return {"NVRTC", Health::kGood,
          compiler.name + ", " + compiler.file + (there.empty() ? "" : "; " + there + " found") +
              (missing.empty() ? "" : "; " + missing + " not found"),
          ""};
}

// Examines the devices that are not synthetic; `fuselab devices --details` says why a backend has none.
void examine_devices(const Config& config, std::vector<Finding>& findings, const std::stop_token& stop) {
  WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  WorkerPool pool(options);
  const auto ids = pool.backend_ids();
  if (!ids.ok()) return;  // examine_worker() has told why
  std::vector<BackendReport> reports;
  for (const std::string& id : ids.value()) {
    if (stop.stop_requested()) return;
    auto report = pool.probe(id);
    if (!report.ok()) findings.push_back({id + " backend", Health::kDoubtful, "probing it failed: " + report.error().message, ""});
    if (report.ok() && id == "cuda") findings.push_back(examine_nvrtc(config, report.value().compiler));
    if (!report.ok() || !report.value().availability.usable) continue;
    std::erase_if(report.value().devices, [](const DeviceInfo& device) { return device.synthetic; });
    reports.push_back(std::move(report).value());
  }
  if (stop.stop_requested()) return;
  for (const auto& [device, timer] : measure_timers(config, reports)) findings.push_back(examine_timer(device, timer));
  bool any_gpu = false;
  for (const BackendReport& report : reports) {
    for (const DeviceInfo& device : report.devices) {
      if (device.type != "gpu") continue;
      any_gpu = true;
      findings.push_back(examine_sensors(device));
      if (device.backend == "cuda")
        findings.push_back(examine_counters("counters of " + device.id, platform::nvidia_counter_permission()));
    }
  }
  if (!any_gpu)
    findings.push_back({"GPU sensors", Health::kGood, "none are read: no GPU is driven here; `fuselab devices` says why", ""});
}

Finding examine_database(const Config& config) {
  std::error_code ignored;
  if (!fs::exists(config.database, ignored)) return {"database", Health::kGood, "none yet at " + config.database.string(), ""};
  const auto info = database_info(config);
  if (!info.ok()) return {"database", Health::kBad, info.error().message, ""};
  std::string found = config.database.string() + ", " + format_bytes({info.value().file.count + info.value().log.count}) +
                      ", schema " + std::to_string(info.value().schema);
  if (info.value().writer.empty()) return {"database", Health::kGood, found, ""};
  return {"database", Health::kDoubtful, found + "; being written by " + info.value().writer, "wait for it before measuring here"};
}

Finding examine_disk(const Config& config) {
  std::error_code failed;
  fs::path folder = fs::absolute(config.database, failed).parent_path();
  while (folder.has_relative_path() && !fs::exists(folder, failed)) folder = folder.parent_path();
  const auto space = fs::space(folder, failed);
  if (failed) return {"disk", Health::kBad, folder.string() + ": " + failed.message(), "choose another file with --db"};
  const Bytes available{static_cast<std::int64_t>(space.available)};
  const bool enough = available.count > (std::int64_t{1} << 30);
  return {"disk", enough ? Health::kGood : Health::kDoubtful, format_bytes(available) + " free in " + folder.string(),
          enough ? "" : "`fuselab db gc --budget 100MiB` drops binaries of losers"};
}

// Checks that a folder can be written. One that cannot ends a job before it measures, except the cache, which only costs time.
Finding examine_folder(const char* subject, const fs::path& folder, Health when_refused, const char* advice) {
  const Status writable = platform::check_writable(folder);
  std::error_code absent;
  if (!writable.ok()) return {subject, when_refused, writable.error().message, advice};
  return {subject, Health::kGood, folder.string() + (fs::exists(folder, absent) ? "" : ", made when first needed"), ""};
}

// Checks the key. An existing key is enough, since it is only read.
Finding examine_key(const Config& config) {
  const auto signers = trusted_signers(config);
  const char* const elsewhere = "set XDG_CONFIG_HOME to a folder that can be written: the key that signs binaries is made there";
  if (!signers.ok())
    return {"signing key", Health::kBad, signers.error().message, signers.error().code == ErrorCode::kIo ? elsewhere : ""};
  std::error_code absent;
  if (fs::exists(config.key_directory / "signing.key", absent))
    return {"signing key", Health::kGood, (config.key_directory / "signing.key").string(), ""};
  return examine_folder("signing key", config.key_directory, Health::kBad, elsewhere);
}

Finding examine_memory() {
  const Bytes available = platform::available_memory();
  const bool enough = available.count > (std::int64_t{1} << 30);
  return {"memory", enough ? Health::kGood : Health::kDoubtful, format_bytes(available) + " available",
          enough ? "" : "pieces that need more are skipped and say so"};
}

Finding examine_clock() {
  const auto machine = platform::machine_facts();
  const bool steady = machine.clock_policy.find("performance") != std::string::npos;
  return {"clock policy", steady ? Health::kGood : Health::kDoubtful, machine.clock_policy,
          steady ? "" : "figures may drift with the clock; where you may, set the governor to performance"};
}

// Watches the machine while doing nothing for a quarter of a second, to see whether other processes use it.
Finding examine_quiet() {
  const auto before = platform::contention_counters();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const auto after = platform::contention_counters();
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  const double steal = after.steal_seconds - before.steal_seconds;
  const auto cpus = static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
  char found[96];
  std::snprintf(found, sizeof found, "load %.2f on %.0f CPUs, %.0f ms stolen in 250 ms", load, cpus, steal * 1e3);
  const bool quiet = load < 0.5 * cpus && steal < 0.01;
  return {"quiet machine", quiet ? Health::kGood : Health::kDoubtful, found,
          quiet ? "" : "intervals will be wide: measure when nothing else runs"};
}

// The ceilings that were measured on this machine, of all environments; none without a database that can be read.
std::vector<Ceiling> ceilings_of_here(const Config& config) {
  std::vector<Ceiling> rows;
  std::error_code absent;
  if (!fs::exists(config.database, absent)) return rows;
  const auto stored = open_other_database(config, config.database);
  if (!stored.ok()) return rows;
  const auto catalog = stored.value()->catalog();
  if (!catalog.ok()) return rows;
  std::set<std::string> here;
  const std::string host = platform::machine_facts().host;
  for (const auto& [key, environment] : catalog.value().environments) {
    if (environment.host == host) here.insert(key);
  }
  for (const auto& [key, table] : catalog.value().ceilings) {
    if (here.contains(key)) rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  }
  return rows;
}

// Several threads that compute no faster than one make every figure of several threads doubtful.
Finding examine_threads(const Config& config) {
  constexpr const char* kSubject = "CPU's threads";
  const auto gain = thread_gain(ceilings_of_here(config));
  if (!gain) return {kSubject, Health::kGood, "not measured yet, or there is one", ""};
  const std::string found = std::to_string(gain->threads) + " compute " + format_flop_rate(gain->all_per_second) + ", one " +
                            format_flop_rate(gain->one_per_second);
  if (!gain->is_lost()) return {kSubject, Health::kGood, found, ""};
  return {kSubject, Health::kDoubtful, found + ": no faster together",
          "other load had the CPUs, or they share a core: measure again with --remeasure when nothing else runs"};
}

// Reads every byte of what `fuselab backends install` put here; says nothing of what is not installed.
void examine_stacks(const Config& config, std::vector<Finding>& findings, const std::stop_token& stop) {
  for (const InstallableStack& stack : installable_stacks()) {
    if (stop.stop_requested()) return;
    const StackState state = stack_state(config.data_directory, stack, StackCheck::kBytes);
    const std::string subject = "installed " + std::string(stack.id), version = std::string(stack.version);
    if (state.kind == StackState::Kind::kInstalled)
      findings.push_back({subject, Health::kGood, version + ", " + format_bytes(state.disk) + ", every byte as published", ""});
    if (state.kind == StackState::Kind::kAltered)
      findings.push_back({subject, Health::kBad, state.problem, "`" + stack.install_command() + "` puts it right"});
    if (state.kind == StackState::Kind::kOtherVersion)
      findings.push_back({subject, Health::kDoubtful, "version " + state.problem + ", which is not used",
                          "`" + stack.install_command() + "` brings " + version});
  }
}

}  // namespace

std::vector<Finding> examine(const Config& config, const std::stop_token& stop) {
  std::vector<Finding> findings = {
      examine_worker(config),
      examine_cpu_backend(config),
      examine_database(config),
      examine_disk(config),
      examine_folder("database folder", fs::absolute(config.database).parent_path(), Health::kBad,
                     "choose another file with --db, or set XDG_DATA_HOME"),
      examine_key(config),
      examine_folder("cache folder", config.cache_directory, Health::kDoubtful,
                     "set XDG_CACHE_HOME to a folder that can be written: without it, reference results are computed each time"),
      examine_memory(),
      examine_clock(),
      examine_quiet(),
      examine_counters("CPU's counters", platform::processor_counter_permission()),
      examine_threads(config)};
  examine_stacks(config, findings, stop);
  examine_devices(config, findings, stop);
  return findings;
}

}  // namespace fuselab::engine
