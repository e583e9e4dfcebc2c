// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/known_rate.h"

#include "app/session/gate/selftest_record.h"

namespace fuselab::session {

Result<ErrorRate> recorded_false_alarms(const std::filesystem::path& record, const std::set<std::string>& device_uuids) {
  FL_TRY(StoredSelftest const stored, read_selftest(record));
  if (!device_uuids.contains(stored.device_uuid))
    return Error{ErrorCode::kUnavailable, record.string() + ": it is a self-test of another device"};
  ErrorRate rate;
  for (const SelftestTrial& trial : stored.trials) {
    if (trial.slowdown != 0 || !trial.judged()) continue;
    ++rate.trials;
    rate.events += trial.confirmed() ? 1 : 0;
  }
  return rate;
}

}  // namespace fuselab::session
