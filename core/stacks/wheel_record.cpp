// SPDX-License-Identifier: Apache-2.0
#include "core/stacks/wheel_record.h"

#include <charconv>
#include <optional>

namespace fuselab {
namespace {

constexpr std::string_view kAlgorithm = "sha256=";

// Takes the next field of a line of comma-separated values off its front; a quoted one may hold commas and doubled quotes.
std::string next_field(std::string_view& line) {
  std::string field;
  bool quoted = false;
  std::size_t at = 0;
  for (; at < line.size(); ++at) {
    if (line[at] == '"') {
      if (quoted && at + 1 < line.size() && line[at + 1] == '"')
        field += line[at++];
      else
        quoted = !quoted;
    } else if (line[at] == ',' && !quoted) {
      break;
    } else {
      field += line[at];
    }
  }
  line.remove_prefix(std::min(at + 1, line.size()));
  return field;
}

std::optional<unsigned> digit64(char c) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const auto at = kDigits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned>(at);
}

// 32 bytes are 43 digits of six bits, the last two bits zero.
std::optional<ContentHash> decoded_hash(std::string_view text) {
  if (text.size() != 43) return std::nullopt;
  std::array<std::uint8_t, 32> bytes{};
  unsigned bits = 0;
  int held = 0;
  std::size_t at = 0;
  for (const char c : text) {
    const auto digit = digit64(c);
    if (!digit) return std::nullopt;
    bits = (bits << 6) | *digit;
    held += 6;
    if (held >= 8 && at < bytes.size()) {
      held -= 8;
      bytes[at++] = static_cast<std::uint8_t>(bits >> held);
      bits &= (1U << held) - 1;
    }
  }
  if (at != bytes.size() || bits != 0) return std::nullopt;
  return ContentHash(bytes);
}

// A path that stays below the folder that it is read from: relative, without "..".
bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return true;
}

}  // namespace

Result<std::vector<WheelFile>> parse_wheel_record(std::string_view text) {
  std::vector<WheelFile> files;
  int number = 0;
  const auto corrupt = [&](const char* what) {
    return Error{ErrorCode::kCorrupt, "line " + std::to_string(number) + " of the wheel's list " + what};
  };
  while (!text.empty()) {
    ++number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    WheelFile file;
    file.path = next_field(line);
    if (!stays_inside(file.path)) return corrupt("names a file outside of it");
    const std::string hash = next_field(line);
    const std::string size = next_field(line);
    if (!hash.empty()) {
      if (!hash.starts_with(kAlgorithm)) return corrupt("has no SHA-256");
      const auto decoded = decoded_hash(std::string_view(hash).substr(kAlgorithm.size()));
      if (!decoded) return corrupt("has no SHA-256");
      file.hash = *decoded;
      const auto [end, failure] = std::from_chars(size.data(), size.data() + size.size(), file.size.count);
      if (failure != std::errc{} || end != size.data() + size.size() || file.size.count < 0) return corrupt("has no size");
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace fuselab
