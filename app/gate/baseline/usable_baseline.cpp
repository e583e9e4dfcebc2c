// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/usable_baseline.h"

#include "app/gate/baseline/baseline_kernel.h"
#include "app/gate/source/utc_dates.h"

namespace fuselab::engine {

namespace {

constexpr std::int64_t kClocksDiffer = 86'400;  // seconds: clocks of two machines may differ by less, and expiries are days

bool is_of_the_future(const Baseline& baseline, const std::string& now) {
  return seconds_between(now, baseline.saved_at).value_or(0) > kClocksDiffer;
}

}  // namespace

Result<UsableBaseline> usable_baseline(const std::filesystem::path& file, BaselineMode mode, db::Trust& trust) {
  UsableBaseline usable;
  auto read = read_baseline(file, trust);
  if (!read.ok() && read.error().code != ErrorCode::kNotFound) return read.error();
  if (!read.ok()) {
    usable.none = read.error().message + "; save one with `fuselab baseline save`";
    return usable;
  }
  Baseline& baseline = usable.baseline = std::move(read).value();
  const std::string now = utc_now();
  if (!baseline.trusted) {
    usable.state = CaseState::kUntrusted;
    usable.none = untrusted_text(baseline);
  } else if (baseline.expired(now)) {
    usable.state = CaseState::kExpired;
    usable.none = baseline.origin() + " expired on " + baseline.expires_at.substr(0, 10) + "; save it anew";
  } else if (!baseline.expires_at.empty() && is_of_the_future(baseline, now)) {
    usable.state = CaseState::kExpired;
    usable.none = baseline.origin() + " was saved after what this machine's clock says: whether it has expired is not known";
  } else if (mode == BaselineMode::kGolden && baseline.expires_at.empty()) {
    usable.none = baseline.origin() + " never expires, and a golden baseline must: save it with --expires 90d";
  }
  if (!usable.none.empty()) baseline.kernels.clear();
  if (!baseline.expires_at.empty()) usable.note = age_text(baseline.saved_at, baseline.expires_at, now);
  return usable;
}

}  // namespace fuselab::engine
