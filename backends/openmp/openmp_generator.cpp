// SPDX-License-Identifier: Apache-2.0
#include "backends/openmp/openmp_generator.h"

#include <algorithm>

namespace fuselab::openmp {
namespace {

constexpr std::string_view kSchedule = "schedule", kChunk = "chunk", kBinding = "proc_bind";
constexpr std::string_view kOwn[] = {kSchedule, kChunk, kBinding};
constexpr std::string_view kTasks = "fuselab_tasks";  // what the cpu backend calls fuselab_kernel
constexpr std::int64_t kCacheLine = 64;

// The configuration of the kernel alone, as the cpu backend knows it.
LaunchConfig without_own(const LaunchConfig& config) {
  LaunchConfig rest;
  for (const auto& [name, value] : config.values()) {
    if (std::find(std::begin(kOwn), std::end(kOwn), name) == std::end(kOwn)) rest.set(name, value);
  }
  return rest;
}

void rename(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// The parallel region around the kernel. A thread's scratch begins on a cache line of its own.
std::string region(const LaunchConfig& config, std::int64_t tasks, std::int64_t scratch, std::string_view entry) {
  const std::int64_t threads = std::max<std::int64_t>(1, config.integer("threads", 1));
  const std::int64_t asked = config.integer(kChunk, 0);
  const std::int64_t chunk = std::max<std::int64_t>(1, asked > 0 ? asked : (tasks + threads - 1) / threads);
  return "\nint omp_get_thread_num(void);\n\nvoid " + std::string(entry) +
         "(void* const* buffers, void* scratch, int64_t begin, int64_t end) {\n  (void)begin;\n  (void)end;\n#pragma omp parallel "
         "num_threads(" +
         std::to_string(threads) + ") proc_bind(" + config.choice(kBinding, "close") +
         ")\n  {\n    char* const own = (char*)scratch + (int64_t)omp_get_thread_num() * " + std::to_string(scratch) +
         ";\n#pragma omp for schedule(" + config.choice(kSchedule, "static") + ", 1)\n    for (int64_t task = 0; task < " +
         std::to_string(tasks) + "; task += " + std::to_string(chunk) + ") {\n      const int64_t last = task + " +
         std::to_string(chunk) + " < " + std::to_string(tasks) + " ? task + " + std::to_string(chunk) + " : " +
         std::to_string(tasks) + ";\n      " + std::string(kTasks) + "(buffers, own, task, last);\n    }\n  }\n}\n";
}

}  // namespace

Support OpenMpGenerator::supports(const Graph& graph, const Target& target) const {
  if (target.arch != "x86-64") return Support::no("target " + target.id + " is no x86-64 target");
  return kernels_.supports(graph, target);
}

ParameterSpace OpenMpGenerator::space(const Graph& graph, const Target& target) const {
  ParameterSpace space = kernels_.space(graph, target);
  Status added = space.add({std::string(kSchedule), "how OpenMP shares out the chunks", {"static", "dynamic", "guided"}});
  if (added.ok())
    added = space.add(
        {std::string(kChunk), "tasks that a thread takes at a time; 0: as many as give each thread one chunk", {0, 1, 4, 16}});
  if (added.ok()) added = space.add({std::string(kBinding), "where OpenMP binds the threads", {"close", "spread"}});
  FL_ASSERT(added.ok());
  return space;
}

LaunchConfig OpenMpGenerator::default_config(const Graph& graph, const Target& target) const {
  LaunchConfig config = kernels_.default_config(graph, target);
  config.set(std::string(kSchedule), "static");
  config.set(std::string(kChunk), std::int64_t{0});
  config.set(std::string(kBinding), "close");
  return config;
}

Result<SourceModule> OpenMpGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  FL_TRY(SourceModule module, kernels_.generate(graph, without_own(config), target));
  FL_TRY(const std::int64_t tasks, module.abi.grid_x.evaluate({}));
  FL_TRY(const std::int64_t scratch, module.abi.shared_bytes.evaluate({}));
  const std::int64_t own = (scratch + kCacheLine - 1) / kCacheLine * kCacheLine;
  rename(module.text, module.entry, kTasks);
  module.text = "// The tasks of the kernel below are shared out by OpenMP: " + config.text() + "\n" + module.text +
                region(config, tasks, own, module.entry);
  module.generator = std::string(id());
  module.generator_version = std::string(version()) + "." + module.generator_version;
  module.abi.grid_x.text = "1";
  module.abi.shared_bytes.text = std::to_string(own * std::max<std::int64_t>(1, config.integer("threads", 1)));
  return module;
}

}  // namespace fuselab::openmp
