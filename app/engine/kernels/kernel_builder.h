// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/job/job_context.h"
#include "app/engine/kernels/device_graph.h"
#include "core/backend/device_info.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::engine {

// A request for one kernel: a concrete graph in one launch configuration.
struct KernelOrder {
  const DeviceGraph* graph = nullptr;
  LaunchConfig config;
};

// Makes kernels for one device: from memory, from the store where a trusted binary of exactly this kernel is kept, or by
// generating and compiling. Compilation runs in parallel, and never while this job times anything, because both are called from
// the one job thread.
class KernelBuilder {
 public:
  KernelBuilder(JobContext& context, DeviceInfo device) : context_(context), device_(std::move(device)) {}

  // Returns the graph on this device; equal graphs are one. The backend is asked once, and again only where it did not answer. The
  // graph has to outlive this builder.
  DeviceGraph& of(const Graph& graph);

  // Returns one kernel per order, in order; an Error is that kernel's own (kCompileFailed, kUnsupported).
  std::vector<Result<CompiledKernel>> make(const std::vector<KernelOrder>& orders);
  // Does the same for configurations whose binaries are not expected in the store: compiles at once, without asking for their
  // identities first.
  std::vector<Result<CompiledKernel>> make_unstored(const std::vector<KernelOrder>& orders);
  // Returns source and identity only; each is generated once.
  std::vector<Result<CompiledKernel>> identify(const std::vector<KernelOrder>& orders);
  // Stores sources and resources of these kernels, and the binaries of those worth keeping.
  Status keep(const std::vector<CompiledKernel>& kernels, bool with_binaries);

 private:
  using OrderName = std::pair<std::string, std::string>;  // graph key and configuration
  static OrderName name_of(const KernelOrder& order) { return {order.graph->key, order.config.text()}; }
  void compile(const std::vector<KernelOrder>& orders, const std::vector<std::size_t>& places,
               std::vector<Result<CompiledKernel>>& kernels);

  JobContext& context_;
  DeviceInfo device_;
  std::map<std::string, DeviceGraph> graphs_;       // by key
  std::map<const Graph*, DeviceGraph*> known_;      // those of graphs_, by the graphs that were asked about
  std::map<OrderName, CompiledKernel> identified_;  // without binaries
  std::map<std::string, CompiledKernel> made_;      // by kernel key
};

}  // namespace fuselab::engine
