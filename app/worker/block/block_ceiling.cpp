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
constexpr int kMostRefusals = 3;  // a process that never becomes quiet has no ceiling beside its plans
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
  const double start = platform::monotonic_now().count;
  Result<std::unique_ptr<cpu::HostCeiling>> kernels = cpu::HostCeiling::create(spec);
  if (!kernels.ok()) return nullptr;
  auto ceiling = std::unique_ptr<BlockCeiling>(new BlockCeiling(std::move(kernels).value()));
  ceiling->making_seconds_ = (platform::monotonic_now().count - start) * 1e-9;
  return ceiling;
}

// A look lasts as long as a sample of the plans: other load then meets both alike.
void BlockCeiling::look(double timed_ns, int plans, const std::function<void()>& warm_again) {
  ++rounds_;
  const double sample_ns = rounds_ == 0 ? kShortest : std::clamp((timed_ns - timed_before_) / plans, kShortest, kLongest);
  timed_before_ = timed_ns;
  const double allowed = kShareOfPlans * timed_ns - looking_seconds_ * 1e9;
  const bool too_dear = rounds_ > 0 && allowed < kernels_->expected_nanoseconds(sample_ns);
  if (too_dear || refused_ == kMostRefusals) return;
  const double start = platform::monotonic_now().count;
  if (becomes_quiet()) {
    CeilingLook rates = kernels_->look(sample_ns);
    rates.rounds = rounds_;
    paired_.looks.push_back(rates);
    becomes_quiet();
    if (rates.bytes_per_second > 0) warm_again();
  } else {
    ++refused_;
  }
  looking_seconds_ += (platform::monotonic_now().count - start) * 1e-9;
}

PairedCeiling BlockCeiling::take() {
  paired_.seconds = seconds();
  return std::move(paired_);
}

}  // namespace fuselab::worker
