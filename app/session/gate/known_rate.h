// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "core/base/result.h"
#include "core/compare/error_rate.h"

namespace fuselab::session {

// How often comparisons of identical sides ended as a confirmed change, of a record that `fuselab selftest --record` wrote on one
// of these devices; decided anew from its samples. kNotFound; kInvalidArgument for another file, or another device's; kCorrupt with
// the line.
Result<ErrorRate> recorded_false_alarms(const std::filesystem::path& record, const std::set<std::string>& device_uuids);

}  // namespace fuselab::session
