// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_compiler.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "backends/null/null_script.h"

namespace fuselab::null {
namespace {

// Sleeps, unless stopped; whether it slept to the end.
bool sleep_for(double nanoseconds, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::duration<double, std::nano>(nanoseconds), [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

std::string NullCompiler::flags(const Target& target, OptimizationLevel level) const {
  return "--target=" + target.id + " -" + std::string(name_of(level));
}

Result<KernelBinary> NullCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                           std::stop_token stop) {
  FL_TRY(const auto script, Script::parse(source.text));
  if (!sleep_for(script.compile_ns, stop)) return Error{ErrorCode::kCancelled, "compilation was cancelled"};
  if (script.fault == Fault::kCompileError) {
    return Error{ErrorCode::kCompileFailed, "null_kernel:2: error: scripted compile error"};
  }
  KernelBinary binary;
  binary.format = "null";
  for (const char c : source.text) binary.data.push_back(static_cast<std::byte>(c));
  binary.metadata = {{"compiler", "null 1"}, {"flags", flags(target, level)}};
  return binary;
}

}  // namespace fuselab::null
