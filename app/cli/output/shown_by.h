// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"

namespace fuselab::cli {

using StoredTables = std::function<Result<std::vector<engine::CompareTable>>(const engine::CompareSpec&)>;

// Returns, when `tables` (the result for `asked`) have no figure, which other options show some, with the words to type: "measured
// in mode cold: `--mode cold` shows it". Each option is tried with `compare` first; empty where none shows any. `devices`: the
// devices that can be asked for; `synthetic`: scripted ones are already included.
std::string shown_by(const engine::CompareSpec& asked, const std::vector<engine::CompareTable>& tables,
                     const std::vector<DeviceInfo>& devices, bool synthetic, const StoredTables& compare);

}  // namespace fuselab::cli
