// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/sysfs_event.h"

#include <charconv>
#include <string>

namespace fuselab::profile {
namespace {

std::string_view without_newline(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> read_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> read_event_config(std::string_view text) {
  std::uint64_t config = 0;
  text = without_newline(text);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto value = equals == std::string_view::npos ? std::optional<std::uint64_t>(1) : read_number(word.substr(equals + 1));
    if (!value) return std::nullopt;
    if (name == "event") {
      config |= (*value & 0xffU) | (*value >> 8U & 0xfU) << 32U;
    } else if (name == "umask") {
      config |= *value << 8U;
    } else if (name == "edge") {
      config |= *value << 18U;
    } else if (name == "inv") {
      config |= *value << 23U;
    } else if (name == "cmask") {
      config |= *value << 24U;
    } else {
      return std::nullopt;
    }
  }
  return config;
}

std::optional<Event> listed_event(CounterSource& source, std::string_view name) {
  for (const char* const unit : {"cpu", "cpu_core"}) {
    const std::string folder = std::string("/sys/bus/event_source/devices/") + unit + "/";
    const auto type = source.file(folder + "type");
    const auto text = source.file(folder + "events/" + std::string(name));
    if (!type || !text) continue;
    const auto number = read_number(without_newline(*type));
    const auto config = read_event_config(*text);
    if (number && config) return Event{std::string(name), static_cast<std::uint32_t>(*number), *config};
  }
  return std::nullopt;
}

}  // namespace fuselab::profile
