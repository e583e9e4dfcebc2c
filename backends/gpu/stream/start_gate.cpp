// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/start_gate.h"

#include <chrono>
#include <cstdlib>
#include <utility>

namespace fuselab::gpu::stream {
namespace {

constexpr auto kPatience = std::chrono::seconds(2);  // to queue a graph takes microseconds

bool is_set(const BlockingVariable& variable) {
  const char* const value = std::getenv(variable.name);
  return value != nullptr && *value != '\0' && value != variable.off;
}

}  // namespace

std::string why_ungated(std::span<const BlockingVariable> variables) {
  for (const BlockingVariable& variable : variables) {
    if (!is_set(variable)) continue;
    return std::string(variable.name) +
           " is set, which may make launches wait for their kernels: timed without holding the stream back, " +
           "so what is short looks slower";
  }
  return "";
}

GateRescue::GateRescue(std::function<void()> open_gate)
    : thread_([this, open = std::move(open_gate)] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, kPatience, [this] { return over_; })) return;
        needed_ = true;
        open();
      }) {}

GateRescue::~GateRescue() {
  over();
  thread_.join();
}

bool GateRescue::over() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
  return needed_;
}

}  // namespace fuselab::gpu::stream
