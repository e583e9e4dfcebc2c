// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace fuselab::tuner {

struct PythonToken {
  enum class Kind { kNumber, kWord, kString, kSign, kEnd } kind = Kind::kEnd;
  std::string text;  // without quotes
  std::int64_t number = 0;
  std::size_t column = 1;
};

Result<std::vector<PythonToken>> python_tokens(std::string_view text);  // ends with one kEnd

// A cursor over the tokens of one expression.
class PythonCursor {
 public:
  explicit PythonCursor(std::vector<PythonToken> tokens) : tokens_(std::move(tokens)) {}

  const PythonToken& now() const { return tokens_[at_]; }
  bool is(std::string_view text) const {
    return (now().kind == PythonToken::Kind::kSign || now().kind == PythonToken::Kind::kWord) && now().text == text;
  }
  bool accept(std::string_view text) { return is(text) && (++at_, true); }
  void skip() { at_ += at_ + 1 < tokens_.size() ? 1 : 0; }
  std::size_t position() const { return at_; }
  void go_back(std::size_t position) { at_ = position; }
  Error unexpected(std::string_view wanted) const;

 private:
  std::vector<PythonToken> tokens_;
  std::size_t at_ = 0;
};

}  // namespace fuselab::tuner
