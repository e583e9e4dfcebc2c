// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/python/python_helper.h"
#include "backends/torch/torch_library.h"

namespace fuselab::inductor {

// PyTorch's Inductor as a library of graphs: each is lowered to PyTorch's operators as the torch backend lowers it, and Inductor
// fuses them itself. What it compiled is machine code for the processor that it was compiled on. Used by one thread.
class InductorLibrary final : public library::HostLibrary {
 public:
  // Asks the Python that `find` returns where its PyTorch is, and opens that. `kept` is a folder for what later helpers need again.
  // Fails with kUnavailable and one line: no Python, no PyTorch in it, no C++ compiler, or as TorchLibrary::open().
  static Result<std::shared_ptr<InductorLibrary>> open(python::PythonHelper::FindProgram find, const std::filesystem::path& kept,
                                                       python::HelperLimits limits = {});

  const library::LibraryFacts& facts() const override { return facts_; }
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  // Takes about 10 seconds, the first of a process 10 more, the first of all 50. Fails as PythonHelper::ask(), and with
  // kCompileFailed where the code would be scalar.
  Result<std::string> compile(const library::PlanText& plan) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& plan) override;
  // Loads nothing where plans of all backends are made: a model needs PyTorch's names, and so its MKL's, in the whole process.
  Result<std::string> try_plan(const library::PlanText&) override { return std::string(); }
  Status use_threads(int threads) override { return torch_->use_threads(threads); }
  std::optional<int> caller_cpu() const override { return torch_->caller_cpu(); }
  void settle(int threads) override { torch_->settle(threads); }

 private:
  InductorLibrary(python::PythonHelper::FindProgram find, python::HelperLimits limits)
      : helper_(std::move(find), python::HelperMode::kCompile, limits) {}

  python::PythonHelper helper_;
  std::filesystem::path kept_;
  std::shared_ptr<torch::TorchLibrary> torch_;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::inductor
