// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "backends/library/graph_library.h"
#include "backends/python/python_helper.h"
#include "core/backend/backend.h"
#include "core/backend/library_provider.h"

namespace fuselab::inductor {

// Inductor for CUDA devices that are not here: it writes Triton kernels and calls of NVIDIA's libraries, and Triton compiles the
// kernels. Nothing of it is loaded, run or timed. Starts Python on first use, one process a target. Used by one thread.
class CudaInductor {
 public:
  // `find` returns a Python that has PyTorch and Triton. `kept` is a folder for what later helpers need again.
  CudaInductor(python::PythonHelper::FindProgram find, std::filesystem::path kept, python::HelperLimits limits = {})
      : find_(std::move(find)), kept_(std::move(kept)), limits_(limits) {}

  // Returns which PyTorch and Triton they are, as of a library for this target. Fails with kUnavailable where one of them is
  // missing or of a version that was not tried, and with kUnsupported where the target has no description of a device.
  Result<library::LibraryFacts> facts(const Target& target);
  // Returns the text to compile: the graph and its calls of PyTorch. Fails with kUnsupported where PyTorch does not take the graph.
  Result<std::string> write(const Graph& graph, const Target& target);
  // Compiles such a text. It may be a stranger's: it is taken only where it is what write() writes for its graph.
  // Fails with kUntrusted otherwise, and as PythonHelper::ask().
  Result<KernelBinary> compile(const std::string& text, const Target& target, const std::stop_token& stop);

 private:
  Result<library::LibraryFacts> asked();

  python::PythonHelper::FindProgram find_;
  std::filesystem::path kept_;  // once it was asked: the folder in it of this PyTorch and helper
  python::HelperLimits limits_;
  std::optional<Result<library::LibraryFacts>> facts_;   // of no target
  std::map<std::string, python::PythonHelper> helpers_;  // by target: PyTorch remembers what it asked of a device
};

// Inductor's generator: what the processor's library takes goes to `host`; for targets of CUDA it writes the same calls, without a
// choice of configurations. `host` is a LibraryProvider as well.
class InductorGenerator final : public CodeGenerator, public LibraryProvider {
 public:
  InductorGenerator(CodeGenerator& host, CudaInductor& cuda) : host_(host), cuda_(cuda) {}

  std::string_view id() const override { return host_.id(); }
  std::string_view version() const override { return host_.version(); }
  Support supports(const Graph& graph, const Target& target) const override;
  ParameterSpace space(const Graph& graph, const Target& target) const override;
  LaunchConfig default_config(const Graph& graph, const Target& target) const override;
  Result<SourceModule> generate(const Graph& graph, const LaunchConfig& config, const Target& target) const override;

  LibraryFingerprint library() override;
  LibraryFingerprint library_for(const Target& target) override;

 private:
  CodeGenerator& host_;
  CudaInductor& cuda_;
};

// Inductor's compiler: `host` for the processor, the stand-in of a device for CUDA.
class InductorCompiler final : public Compiler {
 public:
  InductorCompiler(Compiler& host, CudaInductor& cuda) : host_(host), cuda_(cuda) {}

  Availability probe() override { return host_.probe(); }
  Availability probe_for(const Target& target) override;
  CompilerFingerprint fingerprint() override { return host_.fingerprint(); }
  CompilerFingerprint fingerprint_for(const Target& target) override;
  std::string flags(const Target& target, OptimizationLevel level) const override;
  Result<KernelBinary> compile(const SourceModule& source, const Target& target, OptimizationLevel level,
                               std::stop_token stop) override;

 private:
  Compiler& host_;
  CudaInductor& cuda_;
};

}  // namespace fuselab::inductor
