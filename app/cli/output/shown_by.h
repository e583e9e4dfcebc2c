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

// Where `tables`, which are what `asked` gives, have no figure: which other options give some, in words with what to type,
// "measured in mode cold: `--mode cold` shows it". Each was tried with `compare` before it is said; empty where none was found.
// `devices`: those that could be asked for; `synthetic`: scripted ones take part already.
std::string shown_by(const engine::CompareSpec& asked, const std::vector<engine::CompareTable>& tables,
                     const std::vector<DeviceInfo>& devices, bool synthetic, const StoredTables& compare);

}  // namespace fuselab::cli
