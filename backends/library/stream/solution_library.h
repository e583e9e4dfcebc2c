// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/gpu/stream/driver.h"
#include "backends/library/stream/stream_library.h"
#include "backends/loading/vendor_library.h"

namespace fuselab::library {

// One of the kernels that a library names for a call.
struct Solution {
  std::int64_t number = 0;                // the library's, good for one build and one architecture
  std::size_t workspace = 0;              // bytes of device memory that it needs
  bool transforms = false;                // by Winograd's or Fourier's transforms, whose error is larger
  std::array<std::byte, 64> opaque = {};  // what else the library wants back
};

// A graph as a call of a library, in the library's descriptors. Must be destroyed before the library. Used by one thread.
class SolutionCall {
 public:
  virtual ~SolutionCall() = default;
  // Returns what the library names for the call, its own choice first; empty where it has nothing.
  virtual Result<std::vector<Solution>> solutions(void* handle) = 0;
  // Does what a run may not do while it is recorded: compiles kernels, tells the handle its stream.
  virtual Status prepare(void* handle, const Solution& solution, void* stream) = 0;
  // Queues one run on that stream. The addresses stand in the order of the kernel's arguments.
  virtual Status enqueue(void* handle, const Solution& solution, std::span<void* const> addresses, void* workspace,
                         void* stream) = 0;
  // Returns the calls of the library that one run makes.
  virtual int calls(const Solution&) const { return 1; }
};

struct DescribedCall {
  std::unique_ptr<SolutionCall> call;
  std::string step;  // in words: "hipblasLtMatmul covers MatMul+Add"
  Drawbacks drawbacks;
};

// A library that covers a graph by one call and names the kernels that it has for it. The parameter `solution` chooses one. Those
// by transforms stand last and state winograd=1. A handle is made for each device on first use, and kept until the process ends.
class SolutionLibrary : public StreamLibrary, public std::enable_shared_from_this<SolutionLibrary> {
 public:
  // Opens the library for devices like this one. Fails with kUnavailable and one line.
  Status start(std::shared_ptr<const gpu::stream::Driver> driver, const DeviceInfo& device);

  const LibraryFacts& facts() const override { return facts_; }
  Result<PlanOutline> outline(const Graph& graph) override;
  Result<std::string> try_plan(const PlanText& plan) override;
  Result<std::unique_ptr<gpu::stream::StreamWork>> build(gpu::stream::DeviceContext& context, const PlanText& plan) override;

 protected:
  // `meaning` says of the parameter what a number is.
  SolutionLibrary(std::string id, std::string name, std::string flags, std::string meaning);

  // Opens the file and takes its functions.
  virtual Result<loading::OpenedLibrary> open() = 0;
  // Makes a handle on the device that is current.
  virtual Status create(void** handle) = 0;
  // Returns the version, or why it is not taken: "0.10.0 or newer is needed, here is 0.9.0".
  virtual Result<std::string> version(void* handle) = 0;
  // Fails with kUnsupported and the reason where no call covers the graph.
  virtual Result<DescribedCall> describe(const Graph& graph) = 0;

 private:
  Result<void*> handle_on(int ordinal);
  Result<std::vector<Solution>> solutions_of(SolutionCall& call, void* handle) const;
  Result<Solution> chosen(SolutionCall& call, const PlanText& plan, void* handle) const;

  std::shared_ptr<const gpu::stream::Driver> driver_;
  int first_ = 0;  // the ordinal of the device that outlines are for
  std::map<int, void*> handles_;
  std::string meaning_;
  LibraryFacts facts_;
};

// Makes one of them and starts it.
template <typename Library>
Result<std::shared_ptr<StreamLibrary>> start_library(std::shared_ptr<const gpu::stream::Driver> driver, const DeviceInfo& device) {
  const auto made = std::make_shared<Library>();
  FL_TRY_VOID(made->start(std::move(driver), device));
  return std::shared_ptr<StreamLibrary>(made);
}

}  // namespace fuselab::library
