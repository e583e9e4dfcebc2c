// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

// The lexer of the graph text; private to core/graph.
namespace fuselab {

enum class TokenKind { kName, kInteger, kReal, kString, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written; a symbol is one character
  std::size_t offset = 0;
  std::int64_t integer = 0;
  double real = 0;
  std::string string;  // unescaped

  bool is(char symbol) const { return kind == TokenKind::kSymbol && text[0] == symbol; }
};

// Longest accepted name. Real models have none longer; the bound keeps memory linear in the length of the text.
inline constexpr std::size_t kMaxNameLength = 64;

// Splits untrusted text into words, with one word of lookahead. Not copyable: words point into the text, which must outlive the
// lexer.
class GraphLexer {
 public:
  explicit GraphLexer(std::string_view text) : text_(text) {}
  GraphLexer(const GraphLexer&) = delete;
  GraphLexer& operator=(const GraphLexer&) = delete;

  // Returns the next word; at the end of the text it returns kEnd on every call.
  Result<Token> next();
  // Returns the text up to that character, which begins behind the last word, and skips both. Comments are blanks in it.
  Result<std::string> until(char end);
  // Returns an error that reads "line 3, column 14: <what>".
  Error error_at(std::size_t offset, std::string_view what) const;

 private:
  void skip_space();
  Result<Token> name();
  Result<Token> number();
  Result<Token> string();
  Status escape(std::string& into);

  std::string_view text_;
  std::size_t position_ = 0;
};

// Returns a word as an error message shows it: quoted, short, printable.
std::string shown(const Token& token);

}  // namespace fuselab
