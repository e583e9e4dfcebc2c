// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

// Points in time as files of the gate keep them, in UTC: "2026-11-22T17:05:00Z". They can be compared as texts.
namespace fuselab::engine {

// Returns the time of now, or so many days later.
std::string utc_now(int days_later = 0);

// Returns the end that is given as a date ("2027-01-31": at its beginning) or as days from `now` ("90", "90d"). Fails with
// kInvalidArgument for anything else, a time in the past, or one more than ten years ahead.
Result<std::string> expiry_of(std::string_view written, const std::string& now);

// Returns the seconds from one time to the other; nullopt where either is not a valid time.
std::optional<std::int64_t> seconds_between(const std::string& from, const std::string& to);

// Returns "22 days old, 68 days left"; the second part only where there is an end. Where the clock is before `since`, the text says
// that in place of the age.
std::string age_text(const std::string& since, const std::string& until, const std::string& now);

}  // namespace fuselab::engine
