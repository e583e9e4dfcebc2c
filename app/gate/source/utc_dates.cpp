// SPDX-License-Identifier: Apache-2.0
#include "app/gate/source/utc_dates.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>

#include "core/base/plain_text.h"

namespace fuselab::engine {
namespace {

constexpr int kMostDays = 3650;

std::string text_of(std::time_t time) {
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::optional<int> number_of(std::string_view digits) {
  int number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = !digits.empty() && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

// Reads the first ten characters as a day of the calendar.
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number_of(text.substr(0, 4)), month = number_of(text.substr(5, 2)), day = number_of(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

// Returns seconds since the epoch.
std::optional<std::int64_t> second_of(std::string_view text) {
  const auto day = day_of(text);
  if (!day || text.size() < 19) return std::nullopt;
  const auto hour = number_of(text.substr(11, 2)), minute = number_of(text.substr(14, 2)), second = number_of(text.substr(17, 2));
  if (!hour || !minute || !second) return std::nullopt;
  return std::chrono::seconds(day->time_since_epoch()).count() + std::int64_t{3600} * *hour + std::int64_t{60} * *minute + *second;
}

std::string days_text(long days) {
  return std::to_string(days) + (days == 1 ? " day" : " days");
}

}  // namespace

std::string utc_now(int days_later) {
  return text_of(std::time(nullptr) + std::time_t{86'400} * days_later);
}

Result<std::string> expiry_of(std::string_view written, const std::string& now) {
  const auto today = day_of(now);
  const std::string_view count = written.ends_with('d') ? written.substr(0, written.size() - 1) : written;
  const std::string shown = "'" + plain_line(std::string(written.substr(0, 40))) + "'";
  const auto days = number_of(count);
  const auto date = written.size() == 10 ? day_of(written) : std::nullopt;
  if (!today || (!days && !date)) return invalid_argument(shown + " is no expiry: write a date (2027-01-31) or days (90d)");
  const std::chrono::sys_days end = date ? *date : *today + std::chrono::days(std::min(*days, kMostDays + 1));
  if (end <= *today) return invalid_argument(shown + " is over already: an expiry lies ahead");
  if (end > *today + std::chrono::days(kMostDays))
    return invalid_argument(shown + " is more than " + days_text(kMostDays) + " ahead");
  const std::string midnight = text_of(std::chrono::system_clock::to_time_t(end));
  // Days are whole days from this moment; a date begins at midnight.
  return date ? midnight : midnight.substr(0, 10) + now.substr(10);
}

std::optional<std::int64_t> seconds_between(const std::string& from, const std::string& to) {
  const auto first = second_of(from), last = second_of(to);
  return first && last ? std::optional(*last - *first) : std::nullopt;
}

std::string age_text(const std::string& since, const std::string& until, const std::string& now) {
  const auto saved = day_of(since), today = day_of(now), end = day_of(until);
  if (!saved || !today) return "of an unknown day";
  const long age = (*today - *saved).count();
  std::string text =
      now < since ? "saved on " + since.substr(0, 10) + ", after what this machine's clock says" : days_text(age) + " old";
  if (end) text += ", " + (until <= now ? "expired" : days_text((*end - *today).count()) + " left");
  return text;
}

}  // namespace fuselab::engine
