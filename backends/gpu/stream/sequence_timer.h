// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/gpu/stream/device_memory.h"
#include "backends/gpu/stream/start_gate.h"
#include "core/base/units.h"

namespace fuselab::gpu::stream {

// Work that was given to the stream once, recorded a number of times in a row and replayed as a whole: a launch then costs the
// device 1-2 µs instead of the host 4-6. Owns the graph; must be destroyed before its context.
class RecordedGraph {
 public:
  using Enqueue = std::function<Status()>;  // one run, on the context's stream

  static Result<RecordedGraph> record(DeviceContext& context, const Enqueue& enqueue, int repetitions);
  RecordedGraph(RecordedGraph&& other) noexcept : context_(other.context_), exec_(std::exchange(other.exec_, nullptr)) {}
  RecordedGraph& operator=(RecordedGraph&&) = delete;
  ~RecordedGraph();

  Status launch();

 private:
  explicit RecordedGraph(DeviceContext& context) : context_(&context) {}

  DeviceContext* context_;
  abi::GraphExec exec_ = nullptr;
};

// Times work on the stream by device events around replayed graphs. While the first graph is queued the stream waits at a gate, so
// that the host's part is not timed. Used by one thread; must be destroyed before its context.
class SequenceTimer {
 public:
  using Key = std::vector<std::uint64_t>;  // distinguishes one work from another
  static constexpr int kMostNodes = 256;   // in a graph: a gated stream must accept it as a whole
  static constexpr int kMostGraphs = 128;  // kept; those of rotating buffers are hardly ever used again

  static Result<std::unique_ptr<SequenceTimer>> create(DeviceContext& context);
  SequenceTimer(const SequenceTimer&) = delete;
  SequenceTimer& operator=(const SequenceTimer&) = delete;
  ~SequenceTimer();

  // Work to record as a graph: `enqueue` queues `nodes` launches. Graphs are kept under `key` until forget(), or until there are
  // too many.
  struct Work {
    Key key;
    int nodes = 1;
    RecordedGraph::Enqueue enqueue;
  };
  // Times `repetitions` runs of it.
  Result<Nanoseconds> time(const Work& work, int repetitions);
  // Times several in a row, none with more than kMostNodes.
  Result<Nanoseconds> time(std::span<const Work> works, int repetitions);
  // Does the same without graphs, queueing each run while the ones before it run, as a program that launches eagerly does.
  Result<Nanoseconds> time_eagerly(const RecordedGraph::Enqueue& enqueue, int repetitions);
  // Times two events in a row, queued while the stream is held: the overhead that the timings above contain.
  Result<Nanoseconds> time_nothing();
  // Drops all graphs whose keys contain this number.
  void forget(std::uint64_t part);

 private:
  SequenceTimer(DeviceContext& context, PinnedMemory gate)
      : context_(context), gate_(std::move(gate)), gated_(why_ungated(context.vendor().blocking_variables).empty()) {}
  Result<RecordedGraph*> graph(const Work& work, int repetitions);
  void make_room();
  Result<Nanoseconds> between_events(const std::function<Status()>& first, const std::function<Status()>& rest);
  Status close_gate();
  void open_gate();

  DeviceContext& context_;
  PinnedMemory gate_;
  abi::DevicePointer gate_on_device_ = 0;
  bool gated_;           // until the device turns out to be unable to, or a launch waits for its kernel
  bool proved_ = false;  // the host was seen to continue while the stream is held
  abi::Event start_ = nullptr, end_ = nullptr;
  std::map<std::pair<Key, int>, RecordedGraph> graphs_;
};

}  // namespace fuselab::gpu::stream
