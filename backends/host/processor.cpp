// SPDX-License-Identifier: Apache-2.0
#include "backends/host/processor.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "core/base/content_hash.h"
#include "core/platform/machine/counter_permission.h"
#include "core/platform/machine/machine.h"

namespace fuselab::host {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "512K" → 524288.
std::int64_t cache_bytes(const std::string& text) {
  if (text.empty()) return 0;
  const std::int64_t number = std::atoll(text.c_str());
  if (text.back() == 'K') return number * 1024;
  if (text.back() == 'M') return number * 1024 * 1024;
  return number;
}

// Data and unified caches of the first processor: level → bytes.
std::map<int, std::int64_t> caches() {
  std::map<int, std::int64_t> found;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string type = first_line(folder + "type");
    if (type.empty() || type == "Instruction") continue;
    found[std::atoi(first_line(folder + "level").c_str())] = cache_bytes(first_line(folder + "size"));
  }
  return found;
}

// Returns how many caches of the last level the processors have together.
std::int64_t last_caches(const std::vector<int>& cpus, int level) {
  std::set<std::string> shared_by;
  for (const int cpu : cpus) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
    for (int i = 0; i < 8; ++i) {
      const std::string cache = folder + std::to_string(i) + "/";
      if (std::atoi(first_line(cache + "level").c_str()) == level) shared_by.insert(first_line(cache + "shared_cpu_list"));
    }
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(shared_by.size()));
}

// Processors' worth of time that the control group allows; 0 when it does not limit.
double quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string most;
  double period = 0;
  if (!(file >> most >> period) || most == "max" || period <= 0) return 0;
  return std::atof(most.c_str()) / period;
}

Target make_target(const std::string& id, std::int64_t vector_bytes, const std::map<int, std::int64_t>& cache, std::int64_t cores) {
  Target target{id, "x86-64", {{"vector_bytes", vector_bytes}, {"cores", cores}, {"max_threads", cores}}};
  for (const auto& [level, bytes] : cache) target.limits["l" + std::to_string(level) + "_bytes"] = bytes;
  return target;
}

std::vector<Target> targets(const std::map<int, std::int64_t>& cache, std::int64_t cores) {
  std::vector<Target> all;
  // The levels of the x86-64 psABI, as far as kernels depend on them.
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd")) {
    all.push_back(make_target("x86-64-v4", 64, cache, cores));
    if (__builtin_cpu_supports("avx512vnni")) all.back().limits["dot_bytes"] = 1;  // no part of the level
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    all.push_back(make_target("x86-64-v3", 32, cache, cores));
  }
  all.push_back(make_target("x86-64", 16, cache, cores));
  return all;
}

}  // namespace

std::vector<int> usable_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) cpus.push_back(i);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  if (const double most = quota(); most > 0) {
    cpus.resize(std::min(cpus.size(), static_cast<std::size_t>(std::max(1.0, std::floor(most)))));
  }
  return cpus;
}

DeviceInfo describe_cpu() {
  __builtin_cpu_init();
  const platform::MachineFacts machine = platform::machine_facts();
  const auto cache = caches();
  const auto cores = static_cast<std::int64_t>(usable_cpus().size());
  DeviceInfo info;
  info.id = "cpu:0";
  info.backend = "cpu";
  info.type = "cpu";
  info.name = machine.cpu_model.empty() ? "x86-64 CPU" : machine.cpu_model;
  info.unified_memory = true;
  const long pages = sysconf(_SC_PHYS_PAGES);
  if (pages > 0) info.total_memory_bytes = static_cast<std::int64_t>(pages) * sysconf(_SC_PAGE_SIZE);
  info.free_memory_bytes = platform::available_memory().count;
  info.compute_units = cores;
  std::vector<Target> levels = targets(cache, cores);
  if (const auto many = cache.empty() ? 1 : last_caches(usable_cpus(), cache.rbegin()->first); many > 1) {
    for (Target& level : levels) level.limits["last_caches"] = many;
  }
  info.target = levels.front();
  info.other_targets.assign(levels.begin() + 1, levels.end());
  info.properties = {{"simd", info.target.id}, {"denormals", "kept"}, {"clock_policy", machine.clock_policy}};
  info.properties["counters"] = platform::processor_counter_permission().text();
  if (!machine.microcode.empty()) info.properties["microcode"] = machine.microcode;
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty()) info.properties["governor"] = governor;
  const std::string smt = first_line("/sys/devices/system/cpu/smt/active");
  if (!smt.empty()) info.properties["smt"] = smt == "1" ? "on" : "off";
  IdentityHasher identity("cpu");
  identity.add("host", machine.host).add("model", machine.cpu_model).add("microcode", machine.microcode).add("cores", cores);
  for (const auto& [level, bytes] : cache) {
    info.properties["l" + std::to_string(level)] = format_bytes({bytes});
    identity.add("l" + std::to_string(level), bytes);
  }
  info.uuid = identity.finish().hex();
  return info;
}

}  // namespace fuselab::host
