// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backends/library/graph_library.h"
#include "backends/loading/shared_library.h"
#include "backends/torch/abi/torch_abi.h"
#include "backends/torch/torch_plan.h"

namespace fuselab::torch {

// The functions of PyTorch by which operators are called, wherever their tensors lie, and the plans that are made of such calls.
// Stays loaded for the process. Used by one thread.
class TorchFunctions {
 public:
  const abi::Functions& calls() const { return calls_; }
  std::uint64_t version() const { return version_; }
  // Returns the number that PyTorch has for an element type.
  std::int32_t number_of(DType dtype) const { return numbers_.at(dtype); }
  // Returns success, or an error with the action and the library's words in one line.
  Status check(abi::Code code, const std::string& what) const;
  // Returns the calls of a graph. Fails with kUnsupported and the reason where PyTorch is not asked for it, or is another than was
  // tried and lacks a function.
  Result<TorchPlan> plan_for(const Graph& graph) const;
  // Returns what a table shows of such a plan.
  Result<library::PlanOutline> outline_for(const Graph& graph) const;

 protected:
  // Takes libtorch_cpu.so, which has them for every device. Fails with kUnavailable and one line for a library that lacks one.
  Status take(loading::OpenedLibrary opened);
  const loading::OpenedLibrary& opened() const { return opened_; }
  // Returns what is the same of every device: id, settings, threads and flags are the caller's.
  library::LibraryFacts facts_of(std::string id) const;

 private:
  abi::Functions calls_{};
  loading::OpenedLibrary opened_;
  std::uint64_t version_ = 0;
  std::map<DType, std::int32_t> numbers_;
};

// Returns words of a library as one line of bearable length.
std::string one_line(std::string words);

// Returns what PyTorch is asked for.
BackendCapabilities torch_capabilities();

// Returns what is not part of a plan's timings or makes them unusual; empty: nothing.
std::string remarks_on(const TorchPlan& plan);

}  // namespace fuselab::torch
