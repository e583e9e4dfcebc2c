// SPDX-License-Identifier: Apache-2.0
#include "core/base/plain_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace fuselab {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

// The character that `text` begins with; `text` is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc0 || lead > 0xf7 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_control(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  const bool separates = code == 0x2028 || code == 0x2029;
  const bool turns = code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return separates || turns;
}

// Where a runner begins to read a line: behind blanks, of Unicode, too.
bool begins_line(std::string_view text, std::size_t at) {
  static constexpr std::string_view kBlanks[] = {" ",      "\t",     "\u00a0", "\u1680", "\u2000", "\u2001",
                                                 "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007",
                                                 "\u2008", "\u2009", "\u200a", "\u202f", "\u205f", "\u3000"};
  for (std::string_view before = text.substr(0, at);;) {
    if (before.empty() || before.back() == '\n') return true;
    const auto* const blank =
        std::find_if(std::begin(kBlanks), std::end(kBlanks), [&](std::string_view each) { return before.ends_with(each); });
    if (blank == std::end(kBlanks)) return false;
    before.remove_suffix(blank->size());
  }
}

// The runners of CI services react to "::" at the start of a line, and to "##[" and "##vso[" anywhere.
void break_commands(std::string& text) {
  for (const std::string_view command : {"##[", "##vso["}) {
    for (std::size_t at = text.find(command); at != std::string::npos; at = text.find(command, at)) text.insert(at + 1, " ");
  }
  for (std::size_t at = text.find("::"); at != std::string::npos; at = text.find("::", at + 2)) {
    if (begins_line(text, at)) text.insert(at + 1, " ");
  }
}

std::string filtered(std::string_view text, bool lines) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool layout = lines && (next.code == '\n' || next.code == '\t');
    if (next.bytes > 0 && (layout || !is_control(next.code))) {
      plain += text.substr(0, next.bytes);
    } else {
      plain += '?';
    }
    text.remove_prefix(next.bytes > 0 ? next.bytes : 1);
  }
  break_commands(plain);
  return plain;
}

}  // namespace

std::string plain_line(std::string_view text) {
  return filtered(text, false);
}

std::string plain_text(std::string_view text) {
  return filtered(text, true);
}

std::string with_short_words(std::string_view text) {
  constexpr std::size_t kLongest = 1000, kKept = 200;  // bytes; a path may have 4,096, and hardly ever has
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    const bool is_long = end - begin > kLongest;
    std::size_t kept = is_long ? kKept : end - begin;
    while (is_long && kept > 0 && (static_cast<unsigned char>(text[begin + kept]) & 0xc0) == 0x80)
      --kept;  // no half of a character
    out += text.substr(begin, kept);
    if (is_long) out += "…";
    if (end < text.size()) out += text[end];
    begin = end + 1;
  }
  return out;
}

}  // namespace fuselab
