// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/topology/topology_plugin.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "backends/xla/topology/gpu_description.h"
#include "backends/xla/topology/hlo_fusions.h"
#include "core/base/plain_text.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::xla {
namespace {

using namespace abi;
using Kind = TopologyPlugin::Kind;

constexpr std::string_view kCudaSonames[] = {"xla_cuda_plugin.so"};
constexpr std::string_view kCudaFolders[] = {"jax_plugins/xla_cuda13"};
constexpr std::string_view kTpuSonames[] = {"libtpu.so"};
constexpr std::string_view kTpuFolders[] = {"libtpu"};

loading::VendorLibrary names_of(Kind kind) {
  if (kind == Kind::kCuda)
    return {.name = "XLA_CUDA", .sonames = kCudaSonames, .folders = {}, .wheel_folders = kCudaFolders, .stack = "xla-cuda"};
  return {.name = "XLA_TPU", .sonames = kTpuSonames, .folders = {}, .wheel_folders = kTpuFolders, .stack = "xla-tpu"};
}

// libtpu asks the cloud's network where it runs, writes logs to /tmp, and keeps other processes out by a lock, as if it drove a
// TPU. Both plugins tell on stderr how they compile.
void prepare_environment(Kind kind) {
  const auto set = [](const char* name, const char* value) { ::setenv(name, value, 1); };
  set("TF_CPP_MIN_LOG_LEVEL", "2");
  if (kind == Kind::kCuda) return;
  set("TPU_SKIP_MDS_QUERY", "1");
  set("TPU_LOG_DIR", "disabled");
  set("TPU_MIN_LOG_LEVEL", "3");
  set("TPU_STDERR_LOG_LEVEL", "3");
  set("ALLOW_MULTIPLE_LIBTPU_LOAD", "1");
  set("TPU_ACCELERATOR_TYPE", "v6e-1");
  set("TPU_WORKER_HOSTNAMES", "localhost");
}

NamedValue text_value(std::string_view name, const std::string& text) {
  NamedValue value = args<NamedValue>();
  value.name = name.data();
  value.name_size = name.size();
  value.type = kText;
  value.text = text.data();
  value.size = text.size();
  return value;
}

void note(AheadProgram& made, const std::string& name, std::int64_t number) {
  made.metadata["resource." + name] = std::to_string(number);
}

// What a plugin does not tell is left out: it is unknown, not 0.
void note_memory(const PjrtPlugin& plugin, Executable* executable, AheadProgram& made) {
  MemoryStatsArgs call = args<MemoryStatsArgs>();
  call.executable = executable;
  made.metadata["resource.code_bytes"] = "";  // what is stored is more than code
  if (!plugin.check(plugin.api->memory_stats(&call), "asking for memory", ErrorCode::kInternal).ok()) return;
  if (call.arguments < 0 || call.outputs < 0 || call.temporaries < 0 || call.aliased < 0 || call.aliased > call.arguments) return;
  // The memory of the outputs is an argument of the program and would count twice.
  note(made, "argument_bytes", call.arguments - call.aliased);
  note(made, "output_bytes", call.outputs);
  note(made, "temporary_bytes", call.temporaries);
  if (call.code > 0) note(made, "code_bytes", call.code);
}

// TPU's plugin alone has a model of cost.
void note_cost(const PjrtPlugin& plugin, Executable* executable, AheadProgram& made) {
  CostAnalysisArgs call = args<CostAnalysisArgs>();
  call.executable = executable;
  if (!plugin.check(plugin.api->cost_analysis(&call), "asking for cost", ErrorCode::kInternal).ok()) return;
  for (std::size_t i = 0; call.values != nullptr && i < call.count; ++i) {
    const NamedValue& value = call.values[i];
    if (value.type != kReal || value.name == nullptr || !std::isfinite(value.real) || value.real <= 0) continue;
    const std::string_view name(value.name, value.name_size);
    const char* const key = name == "optimal_seconds"  ? "estimate.seconds"
                            : name == "flops"          ? "estimate.operations"
                            : name == "bytes accessed" ? "estimate.bytes"
                                                       : nullptr;
    if (key == nullptr) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value.real));
    made.metadata[key] = text;
    if (name == "optimal_seconds") made.metadata["estimate.source"] = "libtpu's optimal_seconds";
  }
}

void note_fusions(const PjrtPlugin& plugin, Executable* executable, AheadProgram& made) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  ProgramText program = args<ProgramText>();
  OptimizedProgramArgs call = args<OptimizedProgramArgs>();
  call.executable = executable;
  call.program = &program;
  const auto ask = [&] {
    return plugin.check(plugin.api->optimized_program(&call), "asking for the program", ErrorCode::kInternal).ok();
  };
  if (!ask() || program.code_size == 0 || program.code_size > kMost) return;
  std::string code(program.code_size, '\0');
  program.code = code.data();
  if (!ask()) return;
  const auto found = fusions_in(code);
  if (!found.ok()) return;
  std::int64_t all = 0;
  for (const auto& [kind, count] : found.value().fusions) {
    all += count;
    note(made, "fusions." + plain_line(kind), count);
  }
  for (const auto& [target, count] : found.value().calls) note(made, "calls." + plain_line(target), count);
  note(made, "fusions", all);
}

}  // namespace

std::optional<Kind> plugin_for(const Target& target) {
  if (target.arch == "cuda") return Kind::kCuda;
  if (target.arch == "tpu") return Kind::kTpu;
  return std::nullopt;
}

loading::Surroundings TopologyPlugin::real_surroundings(Kind kind) {
  return loading::real_surroundings(names_of(kind).name);
}

Result<std::shared_ptr<TopologyPlugin>> TopologyPlugin::open(Kind kind, const loading::Surroundings& surroundings) {
  prepare_environment(kind);
  FL_TRY(PjrtPlugin plugin, open_plugin(names_of(kind), surroundings));
  return std::shared_ptr<TopologyPlugin>(new TopologyPlugin(kind, std::move(plugin)));
}

Result<Topology*> TopologyPlugin::topology(const Target& target) const {
  TopologyArgs call = args<TopologyArgs>();
  std::vector<NamedValue> options;
  std::string name, description;
  const std::string one = "1x1x1";
  if (kind_ == Kind::kCuda) {
    FL_TRY(GpuDescription gpu, gpu_description(target));
    description = std::move(gpu.text);
    options = {text_value("target_config", description), text_value("topology", one)};
  } else {
    name = target.id.substr(target.id.find('-') + 1) + ":1x1";  // "v6e:1x1": one chip
  }
  call.name = name.data();
  call.name_size = name.size();
  call.options = options.data();
  call.option_count = options.size();
  FL_TRY_VOID(plugin_.check(plugin_.api->create_topology(&call), target.id, ErrorCode::kUnsupported));
  return call.topology;
}

Status TopologyPlugin::knows(const Target& target) const {
  FL_TRY(Topology* const made, topology(target));
  auto end = args<ObjectArgs<Topology>>();
  end.object = made;
  return plugin_.check(plugin_.api->destroy_topology(&end), "freeing a topology", ErrorCode::kInternal);
}

Result<AheadProgram> TopologyPlugin::compile(const std::string& text, const Target& target) const {
  CompileAheadArgs call = args<CompileAheadArgs>();
  FL_TRY(Topology* const made_for, topology(target));
  std::string code = text;
  const ProgramText program = stablehlo_program(code);
  call.topology = made_for;
  call.program = &program;
  call.options = kCompileOptions;
  call.options_size = sizeof kCompileOptions;
  const Status compiled = plugin_.check(plugin_.api->compile_ahead(&call), "XLA", ErrorCode::kCompileFailed);
  AheadProgram made;
  if (compiled.ok()) {
    note_memory(plugin_, call.executable, made);
    note_cost(plugin_, call.executable, made);
    note_fusions(plugin_, call.executable, made);
    SerializeArgs serialize = args<SerializeArgs>();
    serialize.executable = call.executable;
    if (plugin_.check(plugin_.api->serialize(&serialize), "serialising the program", ErrorCode::kInternal).ok()) {
      made.serialized.assign(serialize.bytes, serialize.size);
      if (serialize.destroy_holder != nullptr) serialize.destroy_holder(serialize.holder);
    }
    auto end = args<ObjectArgs<Executable>>();
    end.object = call.executable;
    FL_TRY_VOID(plugin_.check(plugin_.api->destroy_executable(&end), "freeing the program", ErrorCode::kInternal));
  }
  auto end = args<ObjectArgs<Topology>>();
  end.object = made_for;
  FL_TRY_VOID(plugin_.check(plugin_.api->destroy_topology(&end), "freeing a topology", ErrorCode::kInternal));
  if (!compiled.ok()) return compiled.error();
  if (made.serialized.empty()) return Error{ErrorCode::kCompileFailed, name() + " compiled a program that it does not hand out"};
  return made;
}

const TopologyPlugins::Opened& TopologyPlugins::of(TopologyPlugin::Kind kind) {
  const auto known = opened_.find(kind);
  return known != opened_.end() ? known->second : opened_.emplace(kind, open_(kind)).first->second;
}

const TopologyPlugin* TopologyPlugins::any() {
  for (const auto kind : {TopologyPlugin::Kind::kCuda, TopologyPlugin::Kind::kTpu}) {
    if (const Opened& opened = of(kind); opened.ok()) return opened.value().get();
  }
  return nullptr;
}

std::map<std::string, std::string> TopologyPlugins::targets() {
  std::map<std::string, std::string> known;
  for (const std::string& id : virtual_target_ids()) {
    const Target target = virtual_target(id).value().target;
    const auto kind = plugin_for(target);
    if (!kind) continue;
    const Opened& opened = of(*kind);
    if (!opened.ok() || !opened.value()->knows(target).ok()) continue;
    known[id] = "compiled by " + opened.value()->name() + " " + opened.value()->plugin().interface + ", which only compiles";
  }
  return known;
}

}  // namespace fuselab::xla
