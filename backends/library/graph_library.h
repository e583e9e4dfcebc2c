// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  int most_threads = 1;  // 0: it has none, the stream that it is given computes
  std::string flags;     // the settings that are the same for every plan: "precision=f32"
  bool is_tried = true;  // false: Fuselab was never tried with this version, and what it loses or gets wrong may be other things
};

// What the library would do for a graph.
struct PlanOutline {
  // What may be chosen besides the number of threads; the first value of each is the default.
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints = {};  // of these parameters, which are then numbers
  std::vector<std::string> steps;            // its calls in order, in words: "cblas_sgemm covers MatMul"
  std::string program;                       // the text that it compiles, of those that compile text; others: empty
  Drawbacks drawbacks;                       // of the plan; its configuration states them
};

// A library that computes whole graphs. What every backend of such a library shares hangs on this; where it computes says
// host/host_library.h or stream/stream_library.h. Used by one thread.
class GraphLibrary {
 public:
  virtual ~GraphLibrary() = default;
  virtual const LibraryFacts& facts() const = 0;
  virtual BackendCapabilities capabilities() = 0;
  // Fails with kUnsupported and the reason where the library does not take the graph, which is concrete.
  virtual Result<PlanOutline> outline(const Graph& graph) = 0;
  // Returns the compiled form of a plan's program, which is stored in its place. Asked only where outline() gives a program.
  virtual Result<std::string> compile(const PlanText&) { return Error{ErrorCode::kUnsupported, "this library compiles no text"}; }
  // Makes a plan once, so that one which cannot be made is found when it is compiled; its program, where it has one, is what
  // compile() returned. Returns what is not part of its timings or makes them unusual; empty: nothing.
  virtual Result<std::string> try_plan(const PlanText& plan) = 0;
};

// Returns the id of the target that a library's plans are for.
inline std::string target_id(const LibraryFacts& facts) {
  return facts.id + "-" + facts.version + "-" + facts.settings;
}

inline int threads_of(const LaunchConfig& config) {
  return static_cast<int>(config.integer("threads", 1));
}

}  // namespace fuselab::library
