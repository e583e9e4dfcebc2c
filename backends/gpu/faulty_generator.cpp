// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/faulty_generator.h"

#include <cstdlib>
#include <string>

#include "core/base/assert.h"

namespace fuselab::gpu {
namespace {

constexpr std::string_view kParameter = "fault";
constexpr std::string_view kNone = "none";
constexpr std::int64_t kMoreThanThereIs = std::int64_t{1} << 50;  // bytes

// Holds the text that is put where a kernel begins.
struct Fault {
  std::string_view name;
  std::string_view text;
};
constexpr Fault kFaults[] = {
    {"crash", "  *reinterpret_cast<volatile int*>(8ll) = 1;  // made to fault: no memory lies there\n"},
    {"trap", "  fl_trap();  // made to fault\n"},
    {"oom", ""},
    // Past every time-out, and never for longer than a rest's two milliseconds times its turns, whatever the clock says.
    {"hang",
     "  if (fl_block() == 0 && fl_thread() == 0) {  // made to hang, and to end by itself\n"
     "    const unsigned long long begin = fl_nanoseconds();\n"
     "    for (int turn = 0; turn < 14000 && fl_nanoseconds() - begin < 14000000000ull; ++turn) fl_pause();\n"
     "  }\n"},
};

// Gives every kernel of the module one argument more than any device has memory for: they all take the same.
SourceModule with_too_much(SourceModule module) {
  constexpr std::string_view kBegin = "extern \"C\" FL_KERNEL(";
  for (std::size_t at = module.text.find(kBegin); at != std::string::npos; at = module.text.find(kBegin, at + 1)) {
    module.text.insert(module.text.find(") {\n", at), ",\n    unsigned char* FL_RESTRICT more_than_there_is");
  }
  const TensorType bytes{DType::kU8, {Dim(kMoreThanThereIs)}};
  module.abi.arguments.push_back({"more_than_there_is", BufferRole::kScratch, bytes, 64});
  return module;
}

Result<SourceModule> with_fault(SourceModule module, const Fault& fault) {
  if (fault.name == "oom") return with_too_much(std::move(module));
  const std::size_t kernel = module.text.rfind(" " + module.entry + "(");
  const std::size_t close = module.text.find(") {\n", kernel);
  if (kernel == std::string::npos || close == std::string::npos) {
    return Error{ErrorCode::kInternal, "no kernel called " + module.entry + " in the generated text"};
  }
  module.text.insert(close + 4, fault.text);
  return module;
}

}  // namespace

bool FaultyGenerator::is_wanted() {
  const char* const set = std::getenv("FUSELAB_FAULTY_KERNELS");
  return set != nullptr && std::string_view(set) == "1";
}

ParameterSpace FaultyGenerator::space(const Graph& graph, const Target& target) const {
  ParameterSpace space = sound_.space(graph, target);
  Parameter axis{std::string(kParameter), "what goes wrong", {std::string(kNone)}};
  for (const Fault& each : kFaults) axis.values.emplace_back(std::string(each.name));
  const Status added = space.add(std::move(axis));
  FL_ASSERT(added.ok());
  return space;
}

LaunchConfig FaultyGenerator::default_config(const Graph& graph, const Target& target) const {
  LaunchConfig config = sound_.default_config(graph, target);
  config.set(std::string(kParameter), std::string(kNone));
  return config;
}

Result<SourceModule> FaultyGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  std::string wanted(kNone);
  LaunchConfig sound;
  for (const auto& [name, value] : config.values()) {
    if (name == kParameter) {
      wanted = parameter_text(value);
    } else {
      sound.set(name, value);
    }
  }
  FL_TRY(SourceModule module, sound_.generate(graph, sound, target));
  module.generator = std::string(id());
  module.generator_version = std::string(version());
  if (wanted == kNone) return module;
  for (const Fault& each : kFaults) {
    if (each.name == wanted) return with_fault(std::move(module), each);
  }
  return invalid_argument("no kernel is made to fail by '" + wanted + "'");
}

}  // namespace fuselab::gpu
