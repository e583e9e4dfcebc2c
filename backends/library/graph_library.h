// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::library {

struct PlanText;  // plan_text.h

// An opened library as tables and identities show it.
struct LibraryFacts {
  std::string id;        // of its backend: "mkl"
  std::string name;      // "MKL"
  std::string version;   // "2026.2"
  std::string build;     // what tells two builds of one version apart; may be empty
  std::string path;      // the file
  std::string settings;  // what its results hang on besides, as one word of the target's id: "def-gnu"
  std::string threads;   // how it computes with several threads, for people: "OpenMP, pinned"
  int most_threads = 1;
  std::string flags;  // the settings that are the same for every plan: "precision=f32"
};

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

// What the library would do for a graph.
struct PlanOutline {
  // What may be chosen besides the number of threads; the first value of each is the default.
  std::vector<Parameter> parameters;
  std::vector<std::string> steps;  // its calls in order, in words: "cblas_sgemm covers MatMul"
  std::string program;             // the text that it compiles, of those that compile text; others: empty
  Drawbacks drawbacks;             // of the plan; its configuration states them
};

// A library that computes whole graphs on this process's processor. What every backend of such a library shares hangs on this:
// see library_backend.h. Used by one thread.
class GraphLibrary {
 public:
  virtual ~GraphLibrary() = default;
  virtual const LibraryFacts& facts() const = 0;
  virtual BackendCapabilities capabilities() = 0;
  // Fails with kUnsupported and the reason where the library does not take the graph, which is concrete.
  virtual Result<PlanOutline> outline(const Graph& graph) = 0;
  // Returns the compiled form of a plan's program, which is stored in its place. Asked only where outline() gives a program.
  virtual Result<std::string> compile(const PlanText&) { return Error{ErrorCode::kUnsupported, "this library compiles no text"}; }
  // Makes a plan ready; its program, where it has one, is what compile() returned.
  virtual Result<std::unique_ptr<HostPlan>> build(const PlanText& plan) = 0;
  // Sets the number of threads of what runs next, where it is not a property of a plan.
  virtual Status use_threads(int threads) = 0;
  // Returns the processor that the calling thread is kept on while plans are made and run; nothing: it is left where it is.
  virtual std::optional<int> caller_cpu() const = 0;
  // Called before each timing: threads that other plans left spinning go to sleep.
  virtual void settle(int threads) = 0;
};

inline int threads_of(const LaunchConfig& config) {
  return static_cast<int>(config.integer("threads", 1));
}

}  // namespace fuselab::library
