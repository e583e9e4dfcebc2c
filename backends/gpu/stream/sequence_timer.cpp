// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/sequence_timer.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>

namespace fuselab::gpu::stream {

Result<RecordedGraph> RecordedGraph::record(DeviceContext& context, const Enqueue& enqueue, int repetitions) {
  const auto& calls = context.calls();
  RecordedGraph recorded(context);
  FL_TRY_VOID(context.check(calls.capture_begin(context.stream(), context.vendor().capture_mode), "recording a graph"));
  Status queued;
  for (int i = 0; i < repetitions && queued.ok(); ++i) queued = enqueue();
  abi::Graph graph = nullptr;
  const abi::Code ended = calls.capture_end(context.stream(), &graph);  // also after a failure: the stream must not stay in it
  if (queued.ok()) queued = context.check(ended, "recording a graph");
  if (queued.ok()) queued = context.check(calls.graph_instantiate(&recorded.exec_, graph, 0), "making a graph");
  if (graph != nullptr && !context.lost()) calls.graph_destroy(graph);
  FL_TRY_VOID(std::move(queued));
  // Its first launch would pay for this.
  FL_TRY_VOID(context.check(calls.graph_upload(recorded.exec_, context.stream()), "uploading a graph"));
  FL_TRY_VOID(context.synchronize("uploading a graph"));
  return recorded;
}

RecordedGraph::~RecordedGraph() {
  if (exec_ != nullptr && !context_->lost()) context_->calls().graph_exec_destroy(exec_);
}

Status RecordedGraph::launch() {
  return context_->check(context_->calls().graph_launch(exec_, context_->stream()), "launching a graph");
}

Result<std::unique_ptr<SequenceTimer>> SequenceTimer::create(DeviceContext& context) {
  FL_TRY(PinnedMemory gate, PinnedMemory::create(context, 64));
  std::unique_ptr<SequenceTimer> timer(new SequenceTimer(context, std::move(gate)));
  FL_TRY(timer->gate_on_device_, timer->gate_.on_device());
  FL_TRY_VOID(context.check(context.calls().event_create(&timer->start_, context.vendor().event_flags), "making an event"));
  FL_TRY_VOID(context.check(context.calls().event_create(&timer->end_, context.vendor().event_flags), "making an event"));
  return timer;
}

SequenceTimer::~SequenceTimer() {
  if (context_.lost()) return;
  for (const abi::Event event : {start_, end_}) {
    if (event != nullptr) context_.calls().event_destroy(event);
  }
}

Result<RecordedGraph*> SequenceTimer::graph(const Work& work, int repetitions) {
  const auto at = std::pair(work.key, repetitions);
  if (const auto known = graphs_.find(at); known != graphs_.end()) return &known->second;
  FL_TRY(RecordedGraph made, RecordedGraph::record(context_, work.enqueue, repetitions));
  return &graphs_.emplace(at, std::move(made)).first->second;
}

// Makes room between timings only: while one lasts, its graphs stay.
void SequenceTimer::make_room() {
  if (graphs_.size() >= kMostGraphs) graphs_.clear();
}

void SequenceTimer::forget(std::uint64_t part) {
  std::erase_if(graphs_, [&](const auto& each) {
    const Key& key = each.first.first;
    return std::find(key.begin(), key.end(), part) != key.end();
  });
}

// The stream waits until the host's word is 1.
Status SequenceTimer::close_gate() {
  if (!gated_) return {};
  auto* const word = reinterpret_cast<std::uint32_t*>(gate_.data());
  std::atomic_ref(*word).store(0, std::memory_order_release);
  const abi::Code code = context_.calls().stream_wait_value(context_.stream(), gate_on_device_, 1, context_.vendor().wait_flags);
  if (code == context_.vendor().not_supported) {
    gated_ = false;
    return {};
  }
  return context_.check(code, "holding the stream");
}

void SequenceTimer::open_gate() {
  std::atomic_ref(*reinterpret_cast<std::uint32_t*>(gate_.data())).store(1, std::memory_order_release);
}

Result<Nanoseconds> SequenceTimer::between_events(const std::function<Status()>& first, const std::function<Status()>& rest) {
  const auto& calls = context_.calls();
  FL_TRY_VOID(close_gate());
  std::optional<GateRescue> rescue;
  if (gated_ && !proved_) rescue.emplace([this] { open_gate(); });
  Status queued = context_.check(calls.event_record(start_, context_.stream()), "recording an event");
  if (queued.ok()) queued = first();
  const bool all_queued = rest == nullptr;
  if (queued.ok() && all_queued) queued = context_.check(calls.event_record(end_, context_.stream()), "recording an event");
  open_gate();  // whatever happened: a stream that waits for ever would hang the process
  FL_TRY_VOID(std::move(queued));
  if (rescue && rescue->over()) {
    std::fprintf(stderr,
                 "launches wait for their kernels here: timed without holding the stream back, so what is short looks slower\n");
    gated_ = false;
    FL_TRY_VOID(context_.synchronize("running what is timed"));
    return between_events(first, rest);
  }
  if (!all_queued) {
    FL_TRY_VOID(rest());
    FL_TRY_VOID(context_.check(calls.event_record(end_, context_.stream()), "recording an event"));
  }
  FL_TRY_VOID(context_.synchronize("running what is timed"));
  float milliseconds = 0;
  FL_TRY_VOID(context_.check(calls.event_elapsed(&milliseconds, start_, end_), "reading the device's clock"));
  return Nanoseconds{static_cast<double>(milliseconds) * 1e6};
}

Result<Nanoseconds> SequenceTimer::time(const Work& work, int repetitions) {
  make_room();
  const int each = std::clamp(kMostNodes / std::max(1, work.nodes), 1, std::max(1, repetitions));
  const int replays = repetitions / each;
  const int left = repetitions % each;
  FL_TRY(RecordedGraph * whole, graph(work, each));
  RecordedGraph* remainder = nullptr;
  if (left > 0) {
    FL_TRY(remainder, graph(work, left));
  }
  const auto first = [whole] { return whole->launch(); };
  const auto others = [&]() -> Status {
    for (int i = 1; i < replays; ++i) FL_TRY_VOID(whole->launch());
    return remainder == nullptr ? Status() : remainder->launch();
  };
  const auto duration = replays <= 1 && remainder == nullptr ? between_events(first, nullptr) : between_events(first, others);
  proved_ = proved_ || duration.ok();
  return duration;
}

Result<Nanoseconds> SequenceTimer::time(std::span<const Work> works, int repetitions) {
  if (works.size() == 1) return time(works.front(), repetitions);
  make_room();
  std::vector<RecordedGraph*> graphs;
  for (const Work& work : works) {
    FL_TRY(RecordedGraph * part, graph(work, 1));
    graphs.push_back(part);
  }
  const std::size_t launches = graphs.size() * static_cast<std::size_t>(repetitions);
  return between_events([&] { return graphs.front()->launch(); },
                        [&]() -> Status {
                          for (std::size_t i = 1; i < launches; ++i) FL_TRY_VOID(graphs[i % graphs.size()]->launch());
                          return {};
                        });
}

Result<Nanoseconds> SequenceTimer::time_nothing() {
  const auto duration = between_events([] { return Status(); }, nullptr);
  proved_ = proved_ || duration.ok();
  return duration;
}

Result<Nanoseconds> SequenceTimer::time_eagerly(const RecordedGraph::Enqueue& enqueue, int repetitions) {
  const auto all = [&]() -> Status {
    for (int i = 0; i < repetitions; ++i) FL_TRY_VOID(enqueue());
    return {};
  };
  return between_events([] { return Status(); }, all);
}

}  // namespace fuselab::gpu::stream
