// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"

namespace fuselab::cli {

using StoredTables = std::function<Result<std::vector<session::CompareTable>>(const session::CompareSpec&)>;

// Where `tables`, which are what `asked` gives, have no figure: which other options give some, in words with what to type,
// "measured in mode cold: `--mode cold` shows it". Each was tried with `compare` before it is said; empty where none was found.
// `devices`: those that could be asked for; `synthetic`: scripted ones take part already.
std::string shown_by(const session::CompareSpec& asked, const std::vector<session::CompareTable>& tables,
                     const std::vector<DeviceInfo>& devices, bool synthetic, const StoredTables& compare);

}  // namespace fuselab::cli
