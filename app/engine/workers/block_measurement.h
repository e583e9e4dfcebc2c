// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/workers/worker_client.h"
#include "app/engine/workers/worker_pool.h"
#include "app/wire/messages.h"
#include "core/measure/plan.h"

namespace fuselab::engine {

// Measures one block to its end, whatever its plans do to the workers: a plan that kills or hangs its worker gets that as its
// outcome, and the rest of the block goes on in a new worker. Used for one block by one thread.
class BlockMeasurement {
 public:
  // `worker` may hold a running worker or null; it is replaced when it dies and kept for the next block.
  BlockMeasurement(std::string backend, const Block& block, std::function<Result<std::unique_ptr<WorkerClient>>()> spawn,
                   std::unique_ptr<WorkerClient>& worker, bool special_inputs = false);

  Result<MeasuredBlock> run(std::stop_token stop);

 private:
  Block rest() const;
  void hear(const wire::Reply& event);
  void settle(std::size_t index, PlanResult result);
  void settle_rest(Outcome outcome, const std::string& reason);
  Status digest(Result<wire::Reply> answer);
  Status digest_death(const Error& error);

  std::string backend_;
  const Block& block_;
  std::function<Result<std::unique_ptr<WorkerClient>>()> spawn_;
  std::unique_ptr<WorkerClient>& worker_;
  MeasuredBlock measured_;
  std::vector<std::size_t> left_;     // indices that have not ended, ascending
  std::vector<std::size_t> running_;  // the plans that the worker has now, in its numbering
  bool special_inputs_;               // wire::MeasureRequest::special_inputs
  int unblamed_deaths_ = 0;
};

}  // namespace fuselab::engine
