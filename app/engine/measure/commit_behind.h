// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "core/store/result_store.h"

namespace fuselab::engine {

// Commits one batch at a time on a thread of its own, while whoever measured it prepares what comes next: a disk takes longer to
// answer than most blocks to be timed. What was begun is either committed or its failure returned by the next call.
// Used by one thread.
class CommitBehind {
 public:
  explicit CommitBehind(ResultStore& store);
  ~CommitBehind();  // waits for what was begun

  // Waits for the batch before; when that failed, its failure is returned and this one is not begun. `stored` is called on the
  // committing thread once the batch is committed, before settle() returns.
  Status begin(StoreBatch batch, std::function<void()> stored);
  // Waits for what was begun. A failure is returned once.
  Status settle();

 private:
  void serve(const std::stop_token& stop);

  struct Work {
    StoreBatch batch;
    std::function<void()> stored;
  };
  ResultStore& store_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Work> work_;  // until it is done
  Status failed_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace fuselab::engine
