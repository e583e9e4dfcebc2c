// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/commit_behind.h"

#include <utility>

namespace fuselab::engine {

CommitBehind::CommitBehind(ResultStore& store, std::shared_ptr<TraceRecorder> trace) : store_(store), trace_(std::move(trace)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

CommitBehind::~CommitBehind() {
  [[maybe_unused]] const Status unasked = settle();
}

Status CommitBehind::begin(StoreBatch batch, std::function<void()> stored) {
  FL_TRY_VOID(settle());
  const std::lock_guard lock(mutex_);
  work_ = Work{std::move(batch), std::move(stored)};
  changed_.notify_all();
  return {};
}

Status CommitBehind::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !work_; });
  return std::exchange(failed_, Status());
}

void CommitBehind::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return work_.has_value(); })) {
    lock.unlock();  // no other thread touches the work until it is reset
    Status done;
    {
      const TraceScope traced(trace_, {"engine", "store"}, "store", "store");
      done = store_.commit(work_->batch);
      if (done.ok() && work_->stored) work_->stored();
    }
    lock.lock();
    failed_ = std::move(done);
    work_.reset();
    changed_.notify_all();
  }
}

}  // namespace fuselab::engine
