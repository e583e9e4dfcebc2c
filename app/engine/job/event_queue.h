// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// Events from the threads of one job to one face. Bounded: a newer progress, device list or table replaces the older one that was
// not drained yet; when `capacity` trials wait, the oldest are dropped and one warning line counts them. Thread-safe.
class EventQueue {
 public:
  explicit EventQueue(std::size_t capacity = 10'000) : capacity_(capacity) {}

  void push(Event event);
  std::vector<Event> drain();

 private:
  std::mutex mutex_;
  std::deque<Event> events_;
  std::size_t capacity_;
  std::size_t dropped_ = 0;
};

}  // namespace fuselab::engine
