// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/utc_dates.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>

#include "core/base/plain_text.h"

namespace fuselab::session {
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
  auto const parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool const whole = !digits.empty() && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

// The first ten characters as a day of the calendar.
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  auto const year = number_of(text.substr(0, 4)), month = number_of(text.substr(5, 2)), day = number_of(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

// Since the epoch.
std::optional<std::int64_t> second_of(std::string_view text) {
  auto const day = day_of(text);
  if (!day || text.size() < 19) return std::nullopt;
  auto const hour = number_of(text.substr(11, 2)), minute = number_of(text.substr(14, 2)), second = number_of(text.substr(17, 2));
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
  auto const today = day_of(now);
  std::string_view const count = written.ends_with('d') ? written.substr(0, written.size() - 1) : written;
  std::string const shown = "'" + plain_line(std::string(written.substr(0, 40))) + "'";
  auto const days = number_of(count);
  auto const date = written.size() == 10 ? day_of(written) : std::nullopt;
  if (!today || (!days && !date)) return invalid_argument(shown + " is no expiry: write a date (2027-01-31) or days (90d)");
  std::chrono::sys_days const end = date ? *date : *today + std::chrono::days(std::min(*days, kMostDays + 1));
  if (end <= *today) return invalid_argument(shown + " is over already: an expiry lies ahead");
  if (end > *today + std::chrono::days(kMostDays))
    return invalid_argument(shown + " is more than " + days_text(kMostDays) + " ahead");
  std::string const midnight = text_of(std::chrono::system_clock::to_time_t(end));
  // Days are whole days from this moment; a date begins at midnight.
  return date ? midnight : midnight.substr(0, 10) + now.substr(10);
}

std::optional<std::int64_t> seconds_between(const std::string& from, const std::string& to) {
  auto const first = second_of(from), last = second_of(to);
  return first && last ? std::optional(*last - *first) : std::nullopt;
}

std::string age_text(const std::string& since, const std::string& until, const std::string& now) {
  auto const saved = day_of(since), today = day_of(now), end = day_of(until);
  if (!saved || !today) return "of an unknown day";
  long const age = (*today - *saved).count();
  std::string text =
      now < since ? "saved on " + since.substr(0, 10) + ", after what this machine's clock says" : days_text(age) + " old";
  if (end) text += ", " + (until <= now ? "expired" : days_text((*end - *today).count()) + " left");
  return text;
}

}  // namespace fuselab::session
