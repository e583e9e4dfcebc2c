// SPDX-License-Identifier: Apache-2.0
#include "app/engine/job/event_queue.h"

#include <algorithm>
#include <iterator>

namespace fuselab::engine {
namespace {

// Returns whether the event takes the place of an older one of its kind. Trials and log lines are each shown.
bool replaces_older(const Event& event) {
  return std::holds_alternative<JobProgress>(event) || std::holds_alternative<TableChanged>(event) ||
         std::holds_alternative<DevicesFound>(event);
}

bool same_subject(const Event& a, const Event& b) {
  if (a.index() != b.index()) return false;
  const auto* table_a = std::get_if<TableChanged>(&a);
  const auto* table_b = std::get_if<TableChanged>(&b);
  return table_a == nullptr || (table_a->table.model == table_b->table.model && table_a->table.binding == table_b->table.binding);
}

}  // namespace

void EventQueue::push(Event event) {
  const std::lock_guard lock(mutex_);
  if (replaces_older(event)) {
    std::erase_if(events_, [&](const Event& waiting) { return same_subject(waiting, event); });
  }
  if (events_.size() >= capacity_) {
    events_.pop_front();
    ++dropped_;
  }
  events_.push_back(std::move(event));
}

std::vector<Event> EventQueue::drain() {
  const std::lock_guard lock(mutex_);
  std::vector<Event> drained(std::make_move_iterator(events_.begin()), std::make_move_iterator(events_.end()));
  events_.clear();
  if (dropped_ > 0) {
    drained.push_back(
        LogLine{LogLine::Level::kWarning, std::to_string(dropped_) + " events came faster than they were shown; all are stored"});
    dropped_ = 0;
  }
  return drained;
}

}  // namespace fuselab::engine
