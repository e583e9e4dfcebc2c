// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

 private:
  struct Layout;
  SharedPage(UniqueFd fd, Layout* layout) : fd_(std::move(fd)), layout_(layout) {}

  UniqueFd fd_;
  Layout* layout_ = nullptr;
};

}  // namespace fuselab::platform
