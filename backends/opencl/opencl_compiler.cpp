// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_compiler.h"
#include "core/base/words.h"

#include <algorithm>
#include <set>

namespace fuselab::opencl {
namespace {

// The driver is the compiler: "Portable Computing Language 3.1".
std::string driver_of(const DeviceInfo& info) {
  const auto platform = info.properties.find("platform");
  const std::string name = platform == info.properties.end() ? "nameless" : platform->second;
  return name + " " + info.driver_version.value_or("unknown");
}

}  // namespace

Result<OpenClStack::Found> OpenClStack::look() {
  Found found;
  FL_TRY(found.library, OpenClLibrary::open());
  FL_TRY(found.devices, list_devices(*found.library));
  return found;
}

const Result<OpenClStack::Found>& OpenClStack::find() {
  const std::lock_guard lock(mutex_);
  if (!found_) found_.emplace(look());
  return *found_;
}

Availability OpenClCompiler::probe() {
  const auto& found = stack_.find();
  return found.ok() ? Availability::available() : Availability::unavailable(found.error().message);
}

CompilerFingerprint OpenClCompiler::fingerprint() {
  const auto& found = stack_.find();
  if (!found.ok()) return {};
  std::set<std::string> versions;
  for (const OpenClDevice& device : found.value().devices) versions.insert(driver_of(device.info));
  std::string text = joined(versions);
  return {"opencl", text};
}

CompilerFingerprint OpenClCompiler::fingerprint_for(const Target& target) {
  const auto& found = stack_.find();
  if (!found.ok()) return {};
  for (const OpenClDevice& device : found.value().devices) {
    if (device.info.target.id == target.id) return {"opencl", driver_of(device.info)};
  }
  return fingerprint();
}

std::string OpenClCompiler::flags(const Target&, OptimizationLevel level) const {
  std::string flags = "-cl-std=CL1.2";
  if (level == OptimizationLevel::kO0) flags += " -cl-opt-disable";
  if (level == OptimizationLevel::kO3) flags += " -cl-mad-enable";
  return flags;
}

Result<OpenClContext*> OpenClCompiler::context_for(const Target& target) {
  if (const auto open = contexts_.find(target.id); open != contexts_.end()) return open->second.get();
  const auto& found = stack_.find();
  if (!found.ok()) return found.error();
  for (const OpenClDevice& device : found.value().devices) {
    if (device.info.target.id != target.id) continue;
    FL_TRY(std::unique_ptr<OpenClContext> context,
           OpenClContext::open(found.value().library, device.handle, device.info.id, nullptr));
    return contexts_.emplace(target.id, std::move(context)).first->second.get();
  }
  return Error{ErrorCode::kUnsupported, "no OpenCL device here has the target " + target.id +
                                            ": a driver compiles for its own devices only, and its version is part of the target"};
}

Result<KernelBinary> OpenClCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                             std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  FL_TRY(OpenClContext* const context, context_for(target));
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was compiled"};
  FL_TRY(const BuiltProgram program, BuiltProgram::of_source(*context, source.text, flags_for(source, target, level)));
  KernelBinary binary;
  binary.format = "opencl-program";
  FL_TRY(binary.data, program.binary());
  const CompilerFingerprint compiler = fingerprint_for(target);
  binary.metadata = {{"compiler", compiler.id},
                     {"version", compiler.version},
                     {"flags", flags_for(source, target, level)},
                     {"log", program.log()}};
  FL_TRY(const LoadedKernel kernel, LoadedKernel::load(program, source.entry));
  if (const auto bytes = kernel.local_bytes()) binary.metadata["resource.shared_bytes"] = std::to_string(*bytes);
  if (const auto items = kernel.largest_group()) binary.metadata["resource.max_threads"] = std::to_string(*items);
  return binary;
}

}  // namespace fuselab::opencl
