// SPDX-License-Identifier: Apache-2.0
#include "app/gate/commands/printed_time.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/plain_text.h"
#include "core/stats/noise_of_series.h"

namespace fuselab::engine {
namespace {

constexpr std::string_view kMark = "fuselab:";
constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

// Returns the time in a text like "1.234 ms"; 0 where it is none.
double time_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  for (const auto& [name, nanoseconds] : kUnits) {
    if (unit == name) return std::isfinite(value) && value > 0 ? value * nanoseconds : 0;
  }
  return 0;
}

}  // namespace

Result<Nanoseconds> printed_time(std::string_view output) {
  std::vector<double> times;
  while (!output.empty()) {
    const std::string_view line = trimmed(output.substr(0, output.find('\n')));
    output.remove_prefix(
        std::min(output.size(), output.find('\n') == std::string_view::npos ? output.size() : output.find('\n') + 1));
    if (!line.starts_with(kMark)) continue;
    times.push_back(time_in(trimmed(line.substr(kMark.size()))));
    if (times.back() > 0) continue;
    return invalid_argument("it printed '" + plain_line(line.substr(0, 80)) +
                            "', which is no time above zero with the unit ns, us, ms or s");
  }
  if (times.empty()) return invalid_argument("it printed no line like `fuselab: 1.234 ms`; set time = \"whole\", or print one");
  return Nanoseconds{median_in_place(times)};
}

}  // namespace fuselab::engine
