// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// What it asserts of a text is no more than that the text is well formed; it goes on to its own error where that is not so.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include "core/base/result.h"

namespace fuselab::engine {

// The line of the first table header that has no key ("[[["), from 1; 0 where there is none. toml++ up to 3.3 takes it for granted
// that a key follows.
int header_without_key(std::string_view text);

// Reads one table of a stranger's TOML file: what is missing is nothing, what is there and wrong is kInvalidArgument that names
// file and line. The table outlives it.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  // kInvalidArgument for the first key that is none of these.
  Status knows_only(std::initializer_list<std::string_view> keys) const;
  // One line of plain text, at most 1000 bytes.
  Result<std::optional<std::string>> text(std::string_view key) const;
  // A finite number in (above, up_to].
  Result<std::optional<double>> number(std::string_view key, double above, double up_to, std::string_view unit) const;
  // One text, or a list of at most 64.
  Result<std::optional<std::vector<std::string>>> texts(std::string_view key) const;
  // "rows=128,cols=1024", or a table of whole numbers.
  Result<std::optional<std::string>> shape(std::string_view key) const;

  int line() const { return static_cast<int>(table_.source().begin.line); }
  Error error_at(int line, const std::string& what) const;
  Error error_of(std::string_view key, const std::string& what) const;  // at the key's value

 private:
  Result<std::string> one_text(const toml::node& node, std::string_view key) const;

  const toml::table& table_;
  std::string file_;
  std::string name_;  // "[check]"
};

}  // namespace fuselab::engine
