// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

// Moments as files of the gate keep them, UTC: "2026-11-22T17:05:00Z". They compare as texts.
namespace fuselab::engine {

// Of now or of so many days later.
std::string utc_now(int days_later = 0);

// When something ends that is given as a date ("2027-01-31": at its beginning) or as days from `now` ("90", "90d").
// kInvalidArgument for what is neither, over, or more than ten years ahead.
Result<std::string> expiry_of(std::string_view written, const std::string& now);

// From one moment to the other; nothing where either is none.
std::optional<std::int64_t> seconds_between(const std::string& from, const std::string& to);

// "22 days old, 68 days left"; the second where it ends at all. A clock that stands before `since` is named: what ends by that
// clock cannot be told.
std::string age_text(const std::string& since, const std::string& until, const std::string& now);

}  // namespace fuselab::engine
