// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/compile_pool.h"

#include <algorithm>
#include <thread>

namespace fuselab::engine {

CompilePool::CompilePool(WorkerOptions options, int size)
    : options_(std::move(options)), free_(size > 0 ? size : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

Result<wire::Reply> CompilePool::call(const wire::Request& request, std::chrono::milliseconds timeout, std::stop_token stop) {
  FL_TRY(std::unique_ptr<WorkerClient> worker, take(stop));
  CallOptions options;
  options.timeout = timeout;
  options.stop = stop;
  Result<wire::Reply> reply = worker->call(request, options);
  give_back(std::move(worker));
  return reply;
}

Result<std::unique_ptr<WorkerClient>> CompilePool::take(std::stop_token stop) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, std::move(stop), [this] { return free_ > 0; })) return Error{ErrorCode::kCancelled, "cancelled"};
    --free_;
    if (!idle_.empty()) {
      std::unique_ptr<WorkerClient> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  Result<std::unique_ptr<WorkerClient>> started = WorkerClient::spawn(options_, WorkerRole::kCompile);
  if (!started.ok()) give_back(nullptr);
  return started;
}

void CompilePool::give_back(std::unique_ptr<WorkerClient> worker) {
  const std::lock_guard lock(mutex_);
  ++free_;
  if (worker != nullptr && worker->alive()) idle_.push_back(std::move(worker));
  changed_.notify_one();
}

}  // namespace fuselab::engine
