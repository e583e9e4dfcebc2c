// SPDX-License-Identifier: Apache-2.0
#include "core/select/recommendations.h"

#include <algorithm>
#include <cmath>

#include "core/base/formatted.h"
#include "core/base/units.h"

namespace fuselab {
namespace {

constexpr double kMuchLaunching = 0.25;  // of the time: worth batching
constexpr double kLittleLaunching = 0.1;
constexpr double kMuchCopying = 0.1;
constexpr double kMostlyMoving = 0.5;

std::string duration(double ns) {
  return format_duration({ns});
}

void advise_batching(const AdvisedPiece& piece, std::vector<Recommendation>& advice) {
  if (piece.ns <= 0 || piece.launch_ns < kMuchLaunching * piece.ns) return;
  const double share = std::min(1.0, piece.launch_ns / piece.ns);
  // With n times the work the rest grows n-fold and the launch does not; what is all launch has no rest to tell by.
  const double rest = piece.ns - piece.launch_ns;
  std::string text = formatted("batch: launching is %.0f %% of its time (%s of %s)", 100 * share, duration(piece.launch_ns).c_str(),
                               duration(piece.ns).c_str());
  if (rest > 0.05 * piece.ns) {
    const double times = std::ceil(piece.launch_ns * (1 - kLittleLaunching) / (kLittleLaunching * rest));
    text += formatted("; %.0f times the work in one call makes that 10 %%", std::max(2.0, times));
  }
  advice.push_back({Advice::kBatch, text});
}

void advise_fusing(const AdvisedPiece& piece, std::vector<Recommendation>& advice) {
  if (piece.fusion_gain && piece.fusion_gain->interval.high < 1) {
    advice.push_back({Advice::kDoNotFuse, formatted("leave its operators apart: fused they take %.2f times as long [%.2f, %.2f]",
                                                    1 / piece.fusion_gain->value, 1 / piece.fusion_gain->interval.high,
                                                    1 / piece.fusion_gain->interval.low)});
    return;
  }
  const bool moves = piece.moving_ns && piece.ns > 0 && *piece.moving_ns >= kMostlyMoving * piece.ns;
  if (piece.work.is_fusible() || !moves) return;
  advice.push_back(
      {Advice::kFuse, formatted("fuse it with a neighbour: %.0f %% of its time is moving %s, and a neighbour that reads its "
                                "result in the same kernel saves about %s",
                                std::min(100.0, 100 * *piece.moving_ns / piece.ns), format_bytes(piece.work.traffic()).c_str(),
                                duration(2 * *piece.moving_ns * static_cast<double>(piece.work.written.count) /
                                         static_cast<double>(std::max<std::int64_t>(1, piece.work.traffic().count)))
                                    .c_str())});
}

}  // namespace

std::string_view name_of(Advice advice) {
  switch (advice) {
    case Advice::kBatch: return "batch";
    case Advice::kFuse: return "fuse";
    case Advice::kDoNotFuse: return "do-not-fuse";
    case Advice::kAvoidRandomAccess: return "avoid-random-access";
    case Advice::kKeepOnDevice: return "keep-on-device";
    case Advice::kRaiseParallelism: return "raise-parallelism";
  }
  return "batch";
}

std::vector<Recommendation> recommend(const AdvisedPiece& piece) {
  std::vector<Recommendation> advice;
  advise_batching(piece, advice);
  advise_fusing(piece, advice);
  if (piece.work.has_random_access && piece.moving_ns && piece.ns > 2 * piece.launch_ns && piece.ns > 2 * *piece.moving_ns) {
    advice.push_back({Advice::kAvoidRandomAccess,
                      formatted("restructure its gathers: they take %.1f times as long as moving the same %s in order (%s of %s)",
                                piece.ns / *piece.moving_ns, format_bytes(piece.work.traffic()).c_str(),
                                duration(*piece.moving_ns).c_str(), duration(piece.ns).c_str())});
  }
  if (piece.transfer_ns && *piece.transfer_ns >= kMuchCopying * (piece.ns + *piece.transfer_ns)) {
    advice.push_back({Advice::kKeepOnDevice, formatted("keep its data on the device: copying takes %s beside %s of work",
                                                       duration(*piece.transfer_ns).c_str(), duration(piece.ns).c_str())});
  }
  if (piece.work.parallelism < piece.compute_units) {
    advice.push_back({Advice::kRaiseParallelism,
                      formatted("give it more to do at once: %lld independent elements for %lld compute units",
                                static_cast<long long>(piece.work.parallelism), static_cast<long long>(piece.compute_units))});
  }
  return advice;
}

}  // namespace fuselab
