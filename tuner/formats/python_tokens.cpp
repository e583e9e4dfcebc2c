// SPDX-License-Identifier: Apache-2.0
#include "tuner/formats/python_tokens.h"

#include <charconv>

namespace fuselab::tuner {
namespace {

constexpr std::size_t kMaxLength = 16384;
constexpr std::string_view kSigns[] = {"**", "//", "<=", ">=", "==", "!=", "<", ">", "+",
                                       "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", ","};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Result<std::vector<PythonToken>> python_tokens(std::string_view text) {
  if (text.size() > kMaxLength) return invalid_argument("expression longer than 16384 characters");
  using Kind = PythonToken::Kind;
  std::vector<PythonToken> tokens;
  std::size_t at = 0;
  const auto error = [&](const std::string& what) { return invalid_argument("column " + std::to_string(at + 1) + ": " + what); };
  while (at < text.size()) {
    const char c = text[at];
    const std::size_t begin = at;
    if (c == ' ' || c == '\t' || c == '\n') {
      ++at;
    } else if (is_digit(c)) {
      while (at < text.size() && is_digit(text[at])) ++at;
      std::int64_t value = 0;
      const auto parsed = std::from_chars(text.data() + begin, text.data() + at, value);
      if (parsed.ec != std::errc()) return error("the number does not fit 64 bits");
      if (at < text.size() && (text[at] == '.' || is_letter(text[at]))) return error("only integers are read");
      tokens.push_back({Kind::kNumber, std::string(text.substr(begin, at - begin)), value, begin + 1});
    } else if (is_letter(c)) {
      while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) ++at;
      tokens.push_back({Kind::kWord, std::string(text.substr(begin, at - begin)), 0, begin + 1});
    } else if (c == '\'' || c == '"') {
      const auto end = text.find(c, at + 1);
      if (end == std::string_view::npos) return error("the string has no end");
      tokens.push_back({Kind::kString, std::string(text.substr(at + 1, end - at - 1)), 0, begin + 1});
      at = end + 1;
    } else {
      for (const auto sign : kSigns) {
        if (text.substr(at, sign.size()) != sign) continue;
        tokens.push_back({Kind::kSign, std::string(sign), 0, begin + 1});
        at += sign.size();
        break;
      }
      if (at == begin) return error("unexpected character '" + std::string(1, c) + "'");
    }
  }
  tokens.push_back({Kind::kEnd, "", 0, text.size() + 1});
  return tokens;
}

Error PythonCursor::unexpected(std::string_view wanted) const {
  const std::string found = now().kind == PythonToken::Kind::kEnd ? "the end" : "'" + now().text + "'";
  return invalid_argument("column " + std::to_string(now().column) + ": expected " + std::string(wanted) + ", found " + found);
}

}  // namespace fuselab::tuner
