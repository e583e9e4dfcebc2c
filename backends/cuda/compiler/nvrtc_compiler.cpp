// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/nvrtc_compiler.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "backends/cuda/compiler/compile_log.h"
#include "backends/cuda/driver/cubin_reader.h"
#include "backends/cuda/driver/cuda_driver.h"
#include "core/kernel/launch_notes.h"

namespace fuselab::cuda {
namespace {

using namespace abi;

constexpr std::size_t kLongestWords = 4000;  // of a compile error
constexpr std::string_view kLinesOfSource = " --generate-line-info";

std::vector<std::string> split(const std::string& flags) {
  std::istringstream stream(flags);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A program of NVRTC's, destroyed with the scope.
class Compilation {
 public:
  explicit Compilation(const NvrtcLibrary& library) : library_(library) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (program_ != nullptr) library_.calls().destroy(&program_);
  }

  Status run(const SourceModule& source, const std::string& flags) {
    FL_TRY_VOID(check(library_.calls().create(&program_, source.text.c_str(), "kernel.cu", 0, nullptr, nullptr)));
    const std::vector<std::string> words = split(flags);
    std::vector<const char*> options;
    for (const std::string& word : words) options.push_back(word.c_str());
    const NvrtcCode code = library_.calls().compile(program_, static_cast<int>(options.size()), options.data());
    FL_TRY(log_, text(library_.calls().log_size, library_.calls().log));
    if (code == kNvrtcCompilation) return failure();
    return check(code);
  }

  const std::string& log() const { return log_; }
  Result<std::string> ptx() const { return text(library_.calls().ptx_size, library_.calls().ptx); }
  Result<std::vector<std::byte>> cubin() const {
    std::size_t size = 0;
    FL_TRY_VOID(check(library_.calls().cubin_size(program_, &size)));
    std::vector<std::byte> bytes(size);
    FL_TRY_VOID(check(library_.calls().cubin(program_, reinterpret_cast<char*>(bytes.data()))));
    return bytes;
  }

 private:
  using SizeCall = NvrtcCode (*)(Program, std::size_t*);
  using TextCall = NvrtcCode (*)(Program, char*);

  Status check(NvrtcCode code) const {
    if (code == kNvrtcSuccess) return {};
    const std::string words = std::string("nvrtc ") + library_.version() + ": " + library_.calls().error_text(code);
    if (code == kNvrtcOutOfMemory) return Error{ErrorCode::kOutOfMemory, words};
    if (code == kNvrtcInvalidOption) return Error{ErrorCode::kUnsupported, words + (log_.empty() ? "" : ": " + log_)};
    if (code == kNvrtcBuiltinFailure) {
      return Error{ErrorCode::kUnavailable, words + ": libnvrtc-builtins must lie beside libnvrtc"};
    }
    return Error{ErrorCode::kCompileFailed, words + (log_.empty() ? "" : ": " + log_)};
  }

  // The log holds the lines with errors, each with its line of the kernel.
  Error failure() const {
    const bool too_much = log_.find("uses too much shared data") != std::string::npos;
    return {too_much ? ErrorCode::kUnsupported : ErrorCode::kCompileFailed, log_.substr(0, kLongestWords)};
  }

  Result<std::string> text(SizeCall size_of, TextCall get) const {
    std::size_t size = 0;
    FL_TRY_VOID(check(size_of(program_, &size)));
    std::string held(size, '\0');
    if (size > 0) FL_TRY_VOID(check(get(program_, held.data())));
    while (!held.empty() && (held.back() == '\0' || held.back() == '\n')) held.pop_back();
    return held;
  }

  const NvrtcLibrary& library_;
  Program program_ = nullptr;
  std::string log_;
};

// The compiler's log says most, the cubin what it leaves out. Where both speak they must agree; `differences` says where not.
ResourceUsage resources_of(const std::string& log, const CubinKernel& cubin, const std::string& kernel, std::string& differences) {
  ResourceUsage usage = resources_in_log(log, kernel);
  const auto also = [&](const char* name, std::optional<std::int64_t> in_cubin) {
    if (!in_cubin) return;
    const auto [known, added] = usage.emplace(name, *in_cubin);
    if (added || known->second == *in_cubin) return;
    differences += std::string(differences.empty() ? "" : "; ") + name + ": log " + std::to_string(known->second) + ", cubin " +
                   std::to_string(*in_cubin);
  };
  also("registers", cubin.registers);
  also("stack_bytes", cubin.stack_bytes);
  also("shared_bytes", cubin.shared_bytes);
  also("max_threads", cubin.max_threads);
  return usage;
}

int capability_of(const std::string& target) {
  int number = 0;
  if (target.compare(0, 3, "sm_") == 0) std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

std::string listed(const std::set<int>& architectures) {
  std::string text;
  for (const int each : architectures) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(each);
  return text;
}

}  // namespace

Result<std::shared_ptr<const NvrtcLibrary>> NvrtcCompiler::library() {
  const std::lock_guard lock(mutex_);
  if (!opened_) opened_.emplace(NvrtcLibrary::open(supported_cuda()));
  return *opened_;
}

Availability NvrtcCompiler::probe() {
  const auto opened = library();
  return opened.ok() ? Availability{true, opened.value()->note()} : Availability::unavailable(opened.error().message);
}

CompilerFingerprint NvrtcCompiler::fingerprint() {
  const auto opened = library();
  return opened.ok() ? CompilerFingerprint{"nvrtc", opened.value()->version(), opened.value()->path()} : CompilerFingerprint{};
}

std::string NvrtcCompiler::flags(const Target& target, OptimizationLevel level) const {
  const bool contracts = level == OptimizationLevel::kO2 || level == OptimizationLevel::kO3;
  return "--gpu-architecture=" + target.id + " --std=c++17 --ptxas-options=-v --fmad=" + (contracts ? "true" : "false");
}

Result<KernelBinary> NvrtcCompiler::compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                                            std::stop_token stop) {
  return make(source, target, flags_for(source, target, level), stop);
}

Result<KernelBinary> NvrtcCompiler::recompile(const SourceModule& source, const Target& target, const std::string& flags,
                                              std::stop_token stop) {
  if (flags.ends_with(kLinesOfSource)) {
    const std::string recorded = flags.substr(0, flags.size() - kLinesOfSource.size());
    for (const OptimizationLevel level :
         {OptimizationLevel::kO0, OptimizationLevel::kO1, OptimizationLevel::kO2, OptimizationLevel::kO3}) {
      if (this->flags(target, level) == recorded) return make(source, target, flags, stop);
    }
  }
  return Compiler::recompile(source, target, flags, std::move(stop));
}

Result<KernelBinary> NvrtcCompiler::make(const SourceModule& source, const Target& target, const std::string& flags,
                                         const std::stop_token& stop) {
  FL_TRY(const std::shared_ptr<const NvrtcLibrary> nvrtc, library());
  if (nvrtc->architectures().count(capability_of(target.id)) == 0) {
    return Error{ErrorCode::kUnsupported,
                 "nvrtc " + nvrtc->version() + " makes no code for " + target.id + ", only for " + listed(nvrtc->architectures())};
  }
  if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled before it was compiled"};
  Compilation compilation(*nvrtc);
  FL_TRY_VOID(compilation.run(source, flags));

  KernelBinary binary;
  binary.format = "cubin";
  FL_TRY(binary.data, compilation.cubin());
  FL_TRY(std::string ptx, compilation.ptx());
  binary.metadata = {
      {"compiler", "nvrtc"}, {"version", nvrtc->version()}, {"flags", flags}, {"log", compilation.log()}, {"ptx", std::move(ptx)}};
  FL_TRY_VOID(note_launch(
      source, target,
      [&](const std::string& entry) -> Result<ResourceUsage> {
        FL_TRY(const CubinKernel cubin, read_cubin(binary.data, entry));
        std::string differences;
        ResourceUsage usage = resources_of(compilation.log(), cubin, entry, differences);
        if (!differences.empty() && entry == source.entry) binary.metadata["resources_differ"] = differences;
        usage["code_bytes"] = cubin.code_bytes;
        return usage;
      },
      binary));
  return binary;
}

}  // namespace fuselab::cuda
