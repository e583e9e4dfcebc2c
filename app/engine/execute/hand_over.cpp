// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/hand_over.h"

#include <algorithm>

#include "core/platform/files/atomic_file.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kSmall = 1 << 10, kLarge = 1 << 18;  // f32 elements: 4 KiB and 1 MiB
constexpr int kTimes = 4;                                   // the first starts the worker
constexpr Nanoseconds kPatience{10'000'000'000};

// Returns the least time for a tensor there and back, with nothing run in between.
Result<double> least_ns(WorkerPool& workers, const DeviceInfo& device, std::int64_t elements, const std::filesystem::path& folder,
                        const std::stop_token& stop) {
  const TensorType type{DType::kF32, {elements}};
  FL_TRY(const Bytes size, size_of(type));
  const std::filesystem::path there = folder / "hand-over-in", back = folder / "hand-over-out";
  FL_TRY_VOID(platform::write_passing_file(there, std::vector<std::byte>(static_cast<std::size_t>(size.count))));
  const wire::ExecuteRequest request{device.backend, device.id, {type}, {}, {{0, there.string()}}, {{0, back.string()}}};
  double least = 0;
  for (int time = 0; time < kTimes; ++time) {
    const double start = platform::monotonic_now().count, waited = workers.waited_seconds();
    FL_TRY(const wire::ExecuteReply reply, workers.execute(device, request, kPatience, stop));
    if (!reply.ran) return reply.error;
    const double ns = platform::monotonic_now().count - start - 1e9 * (workers.waited_seconds() - waited);
    if (time == 1 || (time > 1 && ns < least)) least = ns;
  }
  return least;
}

}  // namespace

HandOverCosts measure_hand_over(WorkerPool& workers, const std::vector<DeviceInfo>& devices, const std::filesystem::path& folder,
                                std::stop_token stop) {
  HandOverCosts costs;
  for (const DeviceInfo& device : devices) {
    const auto small = least_ns(workers, device, kSmall, folder, stop);
    const auto large = least_ns(workers, device, kLarge, folder, stop);
    if (!small.ok() || !large.ok()) continue;
    constexpr double kBoth = 2 * 4.0 * (kLarge - kSmall);  // bytes, there and back
    HandOverCost cost;
    cost.ns_per_byte = std::max(0.0, (large.value() - small.value()) / kBoth);
    cost.fixed_ns = std::max(0.0, small.value() - cost.ns(Bytes{std::int64_t{2} * 4 * kSmall}));
    costs.emplace(device.id, cost);
  }
  return costs;
}

}  // namespace fuselab::engine
