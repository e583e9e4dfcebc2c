// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// The present activity of a worker. Only kLoad and kLaunch run foreign code; they are the ones that may hang or crash.
enum class WorkerPhase : std::int32_t { kIdle, kPrepare, kLoad, kLaunch, kVerify };

// The contents of the shared page at one moment.
struct WorkerState {
  int plan = -1;  // index in the running block; -1: none
  WorkerPhase phase = WorkerPhase::kIdle;
  std::uint64_t heartbeat = 0;  // grows with every change
  Nanoseconds since;            // monotonic time of the last change
};

// One call of SharedPage::set().
struct PhaseChange {
  int plan = -1;
  WorkerPhase phase = WorkerPhase::kIdle;
  Nanoseconds at;  // monotonic time
};

// The changes of a stretch of time, oldest first, and how many more of it were overwritten before they were read.
struct PhaseChanges {
  std::vector<PhaseChange> changes;
  std::int64_t lost = 0;
};

// One page shared by an engine and its worker. It outlives the worker, so that it still tells which plan was running when the
// worker died. One writer (the worker), any number of readers; every access is a lock-free atomic.
class SharedPage {
 public:
  static Result<SharedPage> create();
  static Result<SharedPage> attach(UniqueFd fd);
  SharedPage(SharedPage&& other) noexcept;
  SharedPage& operator=(SharedPage&& other) noexcept;
  ~SharedPage();

  int fd() const { return fd_.get(); }
  void set(int plan, WorkerPhase phase);
  WorkerState state() const;
  // Returns the changes after the one that made the heartbeat `seen`, as far as the log, which holds the newest 16,384, still has
  // them. While the writer writes, the oldest may be newer ones.
  PhaseChanges changes_since(std::uint64_t seen) const;

 private:
  struct Layout;
  SharedPage(UniqueFd fd, Layout* layout) : fd_(std::move(fd)), layout_(layout) {}

  UniqueFd fd_;
  Layout* layout_ = nullptr;
};

}  // namespace fuselab::platform
