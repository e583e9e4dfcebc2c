// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// Passes events from the threads of one job to one front end. Bounded: a newer progress, device list or table replaces the older
// one that was not drained yet; when `capacity` events wait, the oldest is dropped, and one warning line counts the dropped ones.
// Thread-safe.
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
