// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

namespace fuselab::platform {

// Keeps one processor busy while the object lives, as a neighbour would: a thread of this process computes without pause on the
// last processor that this process may use. It ends with the process in any case.
class BusyProcessor {
 public:
  BusyProcessor();
  int processor() const { return processor_; }  // its number; -1 where it could not be bound to one

 private:
  int processor_ = -1;
  std::jthread thread_;
};

}  // namespace fuselab::platform
