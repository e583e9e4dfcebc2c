// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <system_error>
#include <thread>

#include "core/base/result.h"

namespace fuselab::loading {

// Runs `call` in a thread of its own and returns its result, or kTimeout "NVML does not answer within 5000 ms": for libraries whose
// answer is useful but not needed. A call that hangs stays behind with its thread until the process ends, so it must own everything
// it uses.
template <typename Value>
Result<Value> within(std::chrono::milliseconds patience, const std::string& who, std::function<Result<Value>()> call) {
  std::packaged_task<Result<Value>()> task(std::move(call));
  std::future<Result<Value>> answer = task.get_future();
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error& failure) {
    return Error{ErrorCode::kUnavailable, who + " is not asked, for want of a thread: " + failure.what()};
  }
  if (answer.wait_for(patience) == std::future_status::ready) return answer.get();
  return Error{ErrorCode::kTimeout, who + " does not answer within " + std::to_string(patience.count()) + " ms"};
}

}  // namespace fuselab::loading
