// SPDX-License-Identifier: Apache-2.0
#include "app/reports/escaping.h"

#include <array>
#include <cstdio>

#include "core/base/ascii.h"
#include "core/base/plain_text.h"

namespace fuselab::reports {
namespace {

// U+FFFE and U+FFFF are UTF-8 like any other and still no characters of XML.
std::string without_noncharacters(std::string text) {
  for (const std::string_view none : {std::string_view("\xef\xbf\xbe"), std::string_view("\xef\xbf\xbf")}) {
    for (std::size_t at = text.find(none); at != std::string::npos; at = text.find(none, at)) text.replace(at, none.size(), "?");
  }
  return text;
}

bool is_ascii_punctuation(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code > 0x20 && code < 0x7f && !is_digit(letter) && (!is_letter(letter) || letter == '_');
}

// Returns whether CommonMark and GitHub give the letter no meaning within a line; a '.' only makes a link of "www.".
bool is_harmless_in_markdown(char letter, char before) {
  if (letter == '.') return before != 'w' && before != 'W';
  return std::string_view(",;-=%+/?()'\"").find(letter) != std::string_view::npos;
}

std::string percent_encoded(char letter) {
  std::array<char, 4> text{};
  std::snprintf(text.data(), text.size(), "%%%02X", static_cast<unsigned char>(letter));
  return text.data();
}

}  // namespace

std::string xml_line(std::string_view text) {
  return without_noncharacters(plain_line(text));
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char letter : without_noncharacters(plain_text(text))) {
    switch (letter) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += letter;
    }
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  std::string out;
  char before = ' ';
  for (const char letter : without_noncharacters(plain_line(text))) {
    const bool stays = !is_ascii_punctuation(letter) || is_harmless_in_markdown(letter, before);
    before = letter;
    if (!stays) {
      out += "&#" + std::to_string(static_cast<int>(letter)) + ";";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  return "<code>" + markdown_text(text) + "</code>";
}

std::string command_message(std::string_view text) {
  std::string out;
  for (const char letter : plain_text(text)) {
    switch (letter) {
      case '%': out += "%25"; break;
      case '\n': out += "%0A"; break;
      default: out += letter;
    }
  }
  return out;
}

std::string command_property(std::string_view text) {
  std::string out;
  for (const char letter : command_message(plain_line(text))) {
    switch (letter) {
      case ':': out += "%3A"; break;
      case ',': out += "%2C"; break;
      default: out += letter;
    }
  }
  return out;
}

std::string uri_path(std::string_view path) {
  std::string out;
  for (const char letter : plain_line(path)) {
    const bool stays = is_letter(letter) || is_digit(letter) || std::string_view("-.~/").find(letter) != std::string_view::npos;
    out += stays ? std::string(1, letter) : percent_encoded(letter);
  }
  return out;
}

}  // namespace fuselab::reports
