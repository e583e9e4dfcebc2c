// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <chrono>

#include "core/backend/backend.h"
#include "core/backend/library_provider.h"
#include "core/backend/stored_text.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

using Clock = std::chrono::steady_clock;

Nanoseconds since(Clock::time_point start) {
  return {std::chrono::duration<double, std::nano>(Clock::now() - start).count()};
}

Error cancelled() {
  return {ErrorCode::kCancelled, "cancelled before it was compiled"};
}

// Returns what the compiler reported as metadata "resource.<name>", and the size of the binary as that of the code where it
// reported nothing of that. An empty text says that it is not known.
ResourceUsage resources_of(const KernelBinary& binary) {
  constexpr std::string_view kPrefix = "resource.";
  ResourceUsage usage = {{"code_bytes", static_cast<std::int64_t>(binary.data.size())}};
  for (const auto& [key, text] : binary.metadata) {
    if (key.compare(0, kPrefix.size(), kPrefix) != 0) continue;
    if (text.empty()) usage.erase(key.substr(kPrefix.size()));
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) usage[key.substr(kPrefix.size())] = value;
  }
  return usage;
}

// Some compilers decide themselves how much shared memory a launch must ask for, and say so as metadata.
void take_launch(CompiledKernel& kernel) {
  const auto found = kernel.binary.metadata.find("launch.shared_bytes");
  if (found != kernel.binary.metadata.end()) kernel.abi.shared_bytes.text = found->second;
}

KernelIdentity identify(FusionBackend& backend, const Graph& graph, const SourceModule& source, const LaunchConfig& config,
                        const Target& target, OptimizationLevel level) {
  const auto compiler = backend.compiler()->fingerprint_for(target);
  KernelIdentity identity;
  identity.graph = graph_key(graph);
  identity.backend = backend.id();
  identity.generator = source.generator;
  identity.generator_version = source.generator_version;
  identity.source = ContentHash::of(source.text);
  identity.target = target.id;
  identity.compiler = compiler.id;
  identity.compiler_version = compiler.version;
  identity.flags = backend.compiler()->flags_for(source, target, level);
  identity.config = config.text();
  if (auto* const provider = dynamic_cast<LibraryProvider*>(backend.generator())) {
    const LibraryFingerprint library = provider->library_for(target);
    identity.library = library.name;
    identity.library_version = library.version;
  }
  return identity;
}

}  // namespace

Result<KernelBinary> Compiler::recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                         std::stop_token stop) {
  if (dynamic_cast<const RunsTexts*>(this) != nullptr)
    return Error{ErrorCode::kUntrusted, "the stored text is a program that compiling would run: it is not compiled"};
  for (const OptimizationLevel level :
       {OptimizationLevel::kO0, OptimizationLevel::kO1, OptimizationLevel::kO2, OptimizationLevel::kO3}) {
    if (this->flags(target, level) == flags) return compile(source, target, level, std::move(stop));
  }
  return Error{ErrorCode::kUnsupported,
               "this Fuselab compiles nothing for " + target.id + " with the recorded flags '" + flags.substr(0, 200) + "'"};
}

bool is_written_alike(const CompiledKernel& stored, const CompiledKernel& written) {
  KernelAbi abi = stored.abi;
  abi.shared_bytes = written.abi.shared_bytes;
  return stored.source.text == written.source.text && abi == written.abi;
}

Result<CompiledKernel> recompile_kernel(FusionBackend& backend, CompiledKernel kernel, const Target& target,
                                        const std::string& flags, std::stop_token stop) {
  if (backend.compiler() == nullptr) return Error{ErrorCode::kUnsupported, std::string(backend.id()) + " has no compiler"};
  if (kernel.source.text.empty()) return Error{ErrorCode::kNotFound, "its source was not kept"};
  const auto start = Clock::now();
  FL_TRY(kernel.binary, backend.compiler()->recompile(kernel.source, target, flags, stop));
  kernel.metrics.compile_time = since(start);
  kernel.metrics.binary_size = {static_cast<std::int64_t>(kernel.binary.data.size())};
  kernel.resources = resources_of(kernel.binary);
  take_launch(kernel);
  const auto compiler = backend.compiler()->fingerprint_for(target);
  kernel.identity.target = target.id;
  kernel.identity.flags = flags;
  kernel.identity.compiler = compiler.id;
  kernel.identity.compiler_version = compiler.version;
  return kernel;
}

Result<CompiledKernel> generate_kernel(FusionBackend& backend, const Graph& graph, const LaunchConfig& config, const Target& target,
                                       OptimizationLevel level) {
  auto* const generator = backend.generator();
  if (generator == nullptr || backend.compiler() == nullptr) {
    return Error{ErrorCode::kUnsupported, std::string(backend.id()) + " has no code generator and compiler"};
  }
  if (!graph.is_concrete()) return invalid_argument("the graph has unbound symbols; bind them with --shape");
  if (const auto support = generator->supports(graph, target); !support.yes) return Error{ErrorCode::kUnsupported, support.why_not};
  if (auto valid = generator->space(graph, target).check(config); !valid.ok()) {
    return std::move(valid).error().within("launch configuration '" + config.text() + "'");
  }
  CompiledKernel kernel;
  const auto start = Clock::now();
  FL_TRY(kernel.source, generator->generate(graph, config, target));
  kernel.metrics.generate_time = since(start);
  kernel.metrics.level = level;
  kernel.identity = identify(backend, graph, kernel.source, config, target, level);
  kernel.config = config;
  kernel.abi = kernel.source.abi;
  return kernel;
}

Result<CompiledKernel> compile_kernel(FusionBackend& backend, const Graph& graph, const LaunchConfig& config, const Target& target,
                                      OptimizationLevel level, std::stop_token stop) {
  if (stop.stop_requested()) return cancelled();
  FL_TRY(CompiledKernel kernel, generate_kernel(backend, graph, config, target, level));
  if (stop.stop_requested()) return cancelled();

  const auto start = Clock::now();
  FL_TRY(kernel.binary, backend.compiler()->compile(kernel.source, target, level, stop));
  kernel.metrics.compile_time = since(start);
  kernel.metrics.binary_size = {static_cast<std::int64_t>(kernel.binary.data.size())};
  kernel.resources = resources_of(kernel.binary);
  take_launch(kernel);
  return kernel;
}

}  // namespace fuselab
