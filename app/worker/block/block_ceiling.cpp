// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/block_ceiling.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"

namespace fuselab::worker {
namespace {

constexpr double kShareOfPlans = 0.25;                // a fifth of the block
constexpr double kShortest = 200e3, kLongest = 50e6;  // ns of each kernel and look
constexpr std::chrono::milliseconds kPatience{20};
constexpr std::chrono::microseconds kPause{100};

// Threads of a library spin after a launch before they sleep. A kernel that shares a core with one is no ceiling.
bool becomes_quiet() {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (platform::other_running_threads() > 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

BlockCeiling::BlockCeiling(std::unique_ptr<cpu::HostCeiling> kernels) : kernels_(std::move(kernels)) {
  paired_.spec = kernels_->spec();
}

std::unique_ptr<BlockCeiling> BlockCeiling::create(const DeviceInfo& device, const CeilingSpec& spec) {
  if (spec.is_empty() || device.type != "cpu") return nullptr;
  Result<std::unique_ptr<cpu::HostCeiling>> kernels = cpu::HostCeiling::create(spec);
  if (!kernels.ok()) return nullptr;
  return std::unique_ptr<BlockCeiling>(new BlockCeiling(std::move(kernels).value()));
}

// A look lasts as long as a sample of the plans: other load then meets both alike.
void BlockCeiling::look(double timed_ns, int plans, const std::function<void()>& warm_again) {
  ++rounds_;
  const double sample_ns = rounds_ == 0 ? kShortest : std::clamp((timed_ns - timed_before_) / plans, kShortest, kLongest);
  timed_before_ = timed_ns;
  const double allowed = kShareOfPlans * timed_ns - paired_.seconds * 1e9;
  if (!paired_.looks.empty() && allowed < kernels_->expected_nanoseconds(sample_ns)) return;
  const double start = platform::monotonic_now().count;
  if (becomes_quiet()) {
    CeilingLook rates = kernels_->look(sample_ns);
    rates.rounds = rounds_;
    paired_.looks.push_back(rates);
    becomes_quiet();
    if (rates.bytes_per_second > 0) warm_again();
  }
  paired_.seconds += (platform::monotonic_now().count - start) * 1e-9;
}

}  // namespace fuselab::worker
