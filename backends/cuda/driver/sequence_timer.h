// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/cuda/driver/device_memory.h"
#include "backends/cuda/driver/start_gate.h"
#include "core/base/units.h"

namespace fuselab::cuda {

// What the stream was given once, recorded a number of times in a row and replayed as a whole: a launch costs the device
// 1-2 µs that way instead of the host 4-6. Owns the graph; dies before its context.
class RecordedGraph {
 public:
  using Enqueue = std::function<Status()>;  // one run, on the context's stream

  static Result<RecordedGraph> record(CudaContext& context, const Enqueue& enqueue, int repetitions);
  RecordedGraph(RecordedGraph&& other) noexcept : context_(other.context_), exec_(std::exchange(other.exec_, nullptr)) {}
  RecordedGraph& operator=(RecordedGraph&&) = delete;
  ~RecordedGraph();

  Status launch();

 private:
  explicit RecordedGraph(CudaContext& context) : context_(&context) {}

  CudaContext* context_;
  abi::GraphExec exec_ = nullptr;
};

// Times work on the stream by device events around replayed graphs. While the first graph is queued the stream waits at a gate, so
// that the host's part lies outside. Used by one thread; dies before its context.
class SequenceTimer {
 public:
  using Key = std::vector<std::uint64_t>;  // what tells one work from another
  static constexpr int kMostNodes = 256;   // of a graph: a gated stream must take it whole
  static constexpr int kMostGraphs = 128;  // kept: those of rotating buffers hardly ever come again

  static Result<std::unique_ptr<SequenceTimer>> create(CudaContext& context);
  SequenceTimer(const SequenceTimer&) = delete;
  SequenceTimer& operator=(const SequenceTimer&) = delete;
  ~SequenceTimer();

  // What is recorded as a graph: `enqueue` queues `nodes` launches. Graphs are kept under `key` until forget(), or until there
  // are too many.
  struct Work {
    Key key;
    int nodes = 1;
    RecordedGraph::Enqueue enqueue;
  };
  // `repetitions` runs of it.
  Result<Nanoseconds> time(const Work& work, int repetitions);
  // The same of several in a row, none of more than kMostNodes.
  Result<Nanoseconds> time(std::span<const Work> works, int repetitions);
  // The same without graphs, each run queued while the ones before it run: what a program that launches eagerly gets.
  Result<Nanoseconds> time_eagerly(const RecordedGraph::Enqueue& enqueue, int repetitions);
  // Two events in a row, queued while the stream is held: what the timings above hold besides their work.
  Result<Nanoseconds> time_nothing();
  // Drops all graphs that name this anywhere in their key.
  void forget(std::uint64_t part);

 private:
  explicit SequenceTimer(CudaContext& context, PinnedMemory gate) : context_(context), gate_(std::move(gate)) {}
  Result<RecordedGraph*> graph(const Work& work, int repetitions);
  void make_room();
  Result<Nanoseconds> between_events(const std::function<Status()>& first, const std::function<Status()>& rest);
  Status close_gate();
  void open_gate();

  CudaContext& context_;
  PinnedMemory gate_;
  abi::DevicePointer gate_on_device_ = 0;
  bool gated_ = why_ungated().empty();  // until the device says that it cannot, or a launch waits for its kernel
  bool proved_ = false;                 // that the host comes back while the stream is held
  abi::Event start_ = nullptr, end_ = nullptr;
  std::map<std::pair<Key, int>, RecordedGraph> graphs_;
};

}  // namespace fuselab::cuda
