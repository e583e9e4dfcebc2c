// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "app/engine/workers/worker_client.h"
#include "app/wire/messages.h"
#include "core/base/result.h"

namespace fuselab::engine {

// Compile workers, started when needed, at most `size` at a time (0: one per CPU), reused while they live. Thread-safe.
class CompilePool {
 public:
  CompilePool(WorkerOptions options, int size);

  // Sends one request to any free worker. A worker that dies of it is replaced for the next one.
  Result<wire::Reply> call(const wire::Request& request, std::chrono::milliseconds timeout, std::stop_token stop);

 private:
  Result<std::unique_ptr<WorkerClient>> take(std::stop_token stop);
  void give_back(std::unique_ptr<WorkerClient> worker);

  WorkerOptions options_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<WorkerClient>> idle_;
  int free_;  // workers that may still be taken
};

}  // namespace fuselab::engine
