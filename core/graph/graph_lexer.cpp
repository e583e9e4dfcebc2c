// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_lexer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/base/ascii.h"

namespace fuselab {
namespace {

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= ' ' && c <= '~') {
      result += c;
      continue;
    }
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    result += hex;
  }
  return result;
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string shown(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  constexpr std::size_t kLongest = 32;
  const bool cut = token.text.size() > kLongest;
  return "'" + printable(token.text.substr(0, kLongest)) + (cut ? "…'" : "'");
}

Error GraphLexer::error_at(std::size_t offset, std::string_view what) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto line_start = before.rfind('\n');
  const std::size_t column = line_start == std::string_view::npos ? offset + 1 : offset - line_start;
  return invalid_argument("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + std::string(what));
}

void GraphLexer::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++position_;
    } else {
      return;
    }
  }
}

Result<Token> GraphLexer::next() {
  skip_space();
  if (position_ >= text_.size()) return Token{TokenKind::kEnd, {}, text_.size(), 0, 0, {}};
  const char c = text_[position_];
  if (is_letter(c)) return name();
  if (is_digit(c) || c == '-') return number();
  if (c == '"') return string();
  if (std::string_view("(){}[],:;=@").find(c) == std::string_view::npos) {
    return error_at(position_, "unexpected character '" + printable(text_.substr(position_, 1)) + "'");
  }
  return Token{TokenKind::kSymbol, text_.substr(position_++, 1), position_ - 1, 0, 0, {}};
}

Result<std::string> GraphLexer::until(char end) {
  constexpr std::size_t kLongest = 4096;  // eight formulas of extents, and space between them
  std::string found;
  bool comment = false;
  for (const char c : text_.substr(position_, kLongest)) {
    if (c == end && !comment) {
      position_ += found.size() + 1;
      return found;
    }
    comment = c == '#' || (comment && c != '\n');
    found += comment ? ' ' : c;
  }
  return error_at(position_, "expected '" + std::string(1, end) + "' behind this");
}

Result<Token> GraphLexer::name() {
  const std::size_t start = position_;
  while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_]) || text_[position_] == '.'))
    ++position_;
  const std::string_view text = text_.substr(start, position_ - start);
  if (text.size() > kMaxNameLength) return error_at(start, "a name may have at most 64 characters");
  return Token{TokenKind::kName, text, start, 0, 0, {}};
}

Result<Token> GraphLexer::number() {
  const std::size_t start = position_++;
  if (text_[start] == '-' && text_.substr(position_, 3) == "inf") {
    position_ += 3;
  } else {
    const auto belongs = [](char c) { return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'; };
    while (position_ < text_.size() && belongs(text_[position_])) ++position_;
  }
  Token token{TokenKind::kInteger, text_.substr(start, position_ - start), start, 0, 0, {}};
  const char* const first = token.text.data();
  const char* const last = first + token.text.size();
  std::from_chars_result read{};
  if (token.text.find_first_of(".eEi") == std::string_view::npos) {
    read = std::from_chars(first, last, token.integer);
  } else {
    token.kind = TokenKind::kReal;
    read = std::from_chars(first, last, token.real);
  }
  if (read.ec == std::errc::result_out_of_range) return error_at(start, shown(token) + " is too large");
  if (read.ec != std::errc() || read.ptr != last) return error_at(start, shown(token) + " is not a number");
  return token;
}

Result<Token> GraphLexer::string() {
  const std::size_t start = position_++;
  Token token{TokenKind::kString, {}, start, 0, 0, {}};
  while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\n') {
    if (text_[position_] == '\\') {
      FL_TRY_VOID(escape(token.string));
    } else {
      token.string += text_[position_++];
    }
  }
  if (position_ >= text_.size() || text_[position_] != '"') return error_at(start, "this string has no closing '\"' on its line");
  ++position_;
  token.text = text_.substr(start, position_ - start);
  return token;
}

Status GraphLexer::escape(std::string& into) {
  const std::string_view rest = text_.substr(position_ + 1, 3);
  if (!rest.empty() && (rest[0] == '"' || rest[0] == '\\')) {
    into += rest[0];
    position_ += 2;
    return Status();
  }
  if (rest.size() == 3 && rest[0] == 'x' && hex_value(rest[1]) >= 0 && hex_value(rest[2]) >= 0) {
    into += static_cast<char>(hex_value(rest[1]) * 16 + hex_value(rest[2]));
    position_ += 4;
    return Status();
  }
  return error_at(position_, "unknown escape; known are \\\", \\\\ and \\xNN");
}

}  // namespace fuselab
