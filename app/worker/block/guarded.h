// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/base/result.h"

namespace fuselab::worker {

// Runs a step and returns an exception it throws (no memory, a size no container takes) as an error, the failure of its plan.
template <typename Step>
Status guarded(Step step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the worker ran out of memory"};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kInternal, std::string("the worker failed: ") + failure.what()};
  }
}

}  // namespace fuselab::worker
