// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/trial_compilation.h"

#include <algorithm>

#include "backends/native/threads/loaded_module.h"

namespace fuselab::cpu {
namespace {

// The headers and the signature of every generated kernel.
SourceModule tiny_kernel() {
  SourceModule module;
  module.language = "c";
  module.entry = "fuselab_trial";
  module.text =
      "#include <stdint.h>\n#include <string.h>\n"
      "__attribute__((visibility(\"default\")))\n"
      "void fuselab_trial(void* const* buffers, void* scratch, int64_t begin, int64_t end) {\n"
      "  (void)scratch;\n"
      "  memset(buffers[0], 0, (size_t)(end - begin));\n"
      "}\n";
  return module;
}

std::string in_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

Availability trial_compilation(Compiler& compiler, const Target& target) {
  const SourceModule source = tiny_kernel();
  const auto binary = compiler.compile(source, target, OptimizationLevel::kO1, {});
  if (!binary.ok()) return Availability::unavailable(in_one_line(binary.error().message));
  const auto loaded = LoadedModule::load(binary.value().data, source.entry);
  if (!loaded.ok())
    return Availability::unavailable("what the compiler makes is not to be loaded: " + in_one_line(loaded.error().message));
  return Availability::available();
}

}  // namespace fuselab::cpu
