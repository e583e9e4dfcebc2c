// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "backends/library/host/host_library.h"
#include "backends/onednn/library/onednn_library.h"

namespace fuselab::onednn {

// oneDNN as a library of graphs: each is cut into primitives, one where everything behind the first can be a post-op, more where
// not. What is stored of a plan names the implementation of each, so that it is noticed when the library would take others. Used by
// one thread.
class OneDnnGraphs final : public library::HostLibrary {
 public:
  // Fails as OneDnnLibrary::open().
  static Result<std::shared_ptr<library::HostLibrary>> open(const loading::Surroundings& surroundings);
  explicit OneDnnGraphs(std::shared_ptr<OneDnnLibrary> library);

  const library::LibraryFacts& facts() const override { return facts_; }
  // Asks the library which types it multiplies matrices in, besides f32.
  BackendCapabilities capabilities() override;
  Result<library::PlanOutline> outline(const Graph& graph) override;
  // Returns the implementations that the library takes with the plan's configuration.
  Result<std::string> compile(const library::PlanText& plan) override;
  Result<std::unique_ptr<library::HostPlan>> build(const library::PlanText& plan) override;
  Status use_threads(int threads) override { return library_->team().use(threads); }
  // The first processor, where the team has the others; elsewhere all its threads would be made on that one.
  std::optional<int> caller_cpu() const override;
  void settle(int) override { library_->team().let_others_sleep(); }

 private:
  std::shared_ptr<OneDnnLibrary> library_;
  library::LibraryFacts facts_;
};

}  // namespace fuselab::onednn
