// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <utility>

#include "backends/python/python_helper.h"
#include "core/backend/backend.h"
#include "core/backend/stored_text.h"

namespace fuselab::triton {

// Triton's compiler, in the Python helper.
class TritonCompiler final : public Compiler, public RunsTexts {
 public:
  explicit TritonCompiler(python::PythonHelper::FindProgram find, python::HelperLimits limits = {})
      : helper_(std::move(find), python::HelperMode::kCompile, limits) {}

  Availability probe() override;
  // The version names Triton's, those of its two assemblers, and the helper's text.
  CompilerFingerprint fingerprint() override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  Result<CompilerFingerprint> about();

  python::PythonHelper helper_;
  std::mutex mutex_;
  std::optional<Result<CompilerFingerprint>> about_;
};

// Runs a text in Triton's interpreter: NumPy on the processor. It checks what the text computes, and neither warps, stages nor
// shared memory. There is no bf16.
class TritonInterpreter final : public KernelEmulator {
 public:
  explicit TritonInterpreter(python::PythonHelper::FindProgram find, python::HelperLimits limits = {})
      : helper_(std::move(find), python::HelperMode::kInterpret, limits) {}

  Availability probe() override;
  Result<std::vector<std::vector<std::byte>>> run(const SourceModule& source, std::span<const std::vector<std::byte>> inputs,
                                                  std::uint64_t order_seed) override;

 private:
  python::PythonHelper helper_;
  // Its programs run in one order, so that a second run of the same would show nothing new.
  std::string last_text_;
  std::vector<std::vector<std::byte>> last_inputs_, last_outputs_;
};

}  // namespace fuselab::triton
