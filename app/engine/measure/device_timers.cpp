// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/device_timers.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/engine/workers/worker_pool.h"

namespace fuselab::engine {
namespace {

// Requests a stop when the time is up, and never after its destruction.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds time) : watch_([this, time](const std::stop_token& gone) { keep(gone, time); }) {}
  std::stop_token token() const { return due_.get_token(); }

 private:
  void keep(const std::stop_token& gone, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait_for(lock, gone, time, [] { return false; });
    if (!gone.stop_requested()) due_.request_stop();
  }

  std::stop_source due_;
  std::jthread watch_;  // last: it uses the members above
};

TimerCost unknown(std::string why) {
  TimerCost cost;
  cost.unknown = std::move(why);
  return cost;
}

}  // namespace

std::map<std::string, TimerCost> measure_timers(const Config& config, const std::vector<BackendReport>& backends,
                                                std::chrono::milliseconds wait) {
  std::string holder;  // the holder of the device that is waited for
  WorkerPoolOptions options;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  options.on_wait = [&holder](const std::string& text) { holder = text; };
  WorkerPool workers(options);
  std::map<std::string, TimerCost> timers;
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      const Deadline deadline(wait);
      holder.clear();
      const auto cost = workers.timer(device, deadline.token());
      const bool late = !cost.ok() && cost.error().code == ErrorCode::kCancelled;
      const std::string why = holder.empty() ? "not read within " + format_duration({wait.count() * 1e6}) : holder;
      timers[device.id] = cost.ok() ? cost.value() : unknown(late ? why : cost.error().message);
    }
  }
  return timers;
}

}  // namespace fuselab::engine
