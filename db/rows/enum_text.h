// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/store/trial_record.h"
#include "core/tensor/tensor.h"

namespace fuselab::db {

// Return the texts of enums that only the database needs; the other enums have theirs in core. Unknown text gives kCorrupt: a newer
// program wrote it, or the file was edited.
std::string_view name_of(Origin origin);
Result<Origin> parse_origin(std::string_view name);
Result<InputPattern> parse_input_pattern(std::string_view name);

}  // namespace fuselab::db
