// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/store/result_store.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

// Commits one batch at a time on a thread of its own, while its caller prepares the next: a commit takes longer than measuring most
// blocks. Every batch that was begun is either committed or its failure is returned by the next call. Used by one thread.
class CommitBehind {
 public:
  // Each commit is a span of `trace`, unless that is null.
  explicit CommitBehind(ResultStore& store, std::shared_ptr<TraceRecorder> trace = {});
  ~CommitBehind();  // waits for the batch that was begun

  // Waits for the previous batch, then begins this one. `stored` is called on the committing thread once the batch is committed,
  // before settle() returns.
  // Fails with the failure of the previous batch; this one is then not begun.
  Status begin(StoreBatch batch, std::function<void()> stored);
  // Waits for the batch that was begun. Its failure is returned once.
  Status settle();

 private:
  void serve(const std::stop_token& stop);

  struct Work {
    StoreBatch batch;
    std::function<void()> stored;
  };
  ResultStore& store_;
  std::shared_ptr<TraceRecorder> trace_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Work> work_;  // present until it is done
  Status failed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace fuselab::engine
