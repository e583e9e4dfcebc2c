// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/library/graph_library.h"

namespace fuselab::library {

// Where the tensors of a launch lie, and how often each was written from outside, in the order of the kernel's arguments.
struct Places {
  std::vector<std::byte*> addresses;
  std::vector<std::uint64_t> versions;
};

// A plan with its tensors in place. Must be destroyed before its plan.
class BoundPlan {
 public:
  virtual ~BoundPlan() = default;
  // Computes the graph once and returns when it is done.
  virtual Status run() = 0;
  // Called after launches, outside of what is timed. Fails where they left their results elsewhere than was asked.
  virtual Status check_results() { return {}; }
};

// A plan that the library has made: the graph with its configuration, ready for tensors. Used by one thread.
class HostPlan {
 public:
  virtual ~HostPlan() = default;
  // Does what is not timed: weights that have not changed since they were packed are not packed again.
  virtual Result<std::unique_ptr<BoundPlan>> bind(const Places& places) = 0;
  // Returns what is not part of the timings or makes them unusual; empty: nothing.
  virtual std::string remarks() const { return {}; }
};

// A library that computes on this process's processor. Used by one thread.
class HostLibrary : public GraphLibrary {
 public:
  // Makes a plan ready; its program, where it has one, is what compile() returned.
  virtual Result<std::unique_ptr<HostPlan>> build(const PlanText& plan) = 0;
  // Sets the number of threads of what runs next, where it is not a property of a plan.
  virtual Status use_threads(int threads) = 0;
  // Returns the processor that the calling thread is kept on while plans are made and run; nothing: it is left where it is.
  virtual std::optional<int> caller_cpu() const = 0;
  // Called before each timing: threads that other plans left spinning go to sleep.
  virtual void settle(int threads) = 0;

  Result<std::string> try_plan(const PlanText& plan) override {
    FL_TRY(const auto built, build(plan));
    return built->remarks();
  }
};

}  // namespace fuselab::library
