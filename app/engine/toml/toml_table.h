// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// TOML_ASSERT checks only whether a text is well formed, so it is turned off here: toml++ goes on to an error of its own.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include "core/base/result.h"

namespace fuselab::engine {

// Reads a TOML text that is not trusted. `name` is the file's, for messages.
// Fails with kInvalidArgument, naming file and line.
Result<toml::table> read_toml(std::string_view text, const std::string& name);

// Reads one table of a TOML file that is not trusted. A missing value reads as nullopt; a wrong one fails with kInvalidArgument,
// naming file and line. The toml::table must outlive this object.
class TomlTable {
 public:
  TomlTable(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  // Fails with kInvalidArgument for the first key that is not in `keys`.
  Status knows_only(std::initializer_list<std::string_view> keys) const;
  // Reads one line of plain text, at most 1000 bytes.
  Result<std::optional<std::string>> text(std::string_view key) const;
  // Reads text of several lines, at most 1 MiB.
  Result<std::optional<std::string>> long_text(std::string_view key) const;
  // Reads a table inside of this one; null: it is not there.
  Result<const toml::table*> table(std::string_view key) const;
  // Reads a list of tables ("[[argument]]"); empty: it is not there.
  Result<std::vector<const toml::table*>> tables(std::string_view key) const;
  // Reads a list of texts each of which may be empty.
  Result<std::optional<std::vector<std::string>>> maybe_empty_texts(std::string_view key) const;
  bool has(std::string_view key) const { return table_.contains(key); }
  Result<std::optional<bool>> yes(std::string_view key) const;
  Result<std::optional<std::int64_t>> whole(std::string_view key) const;
  // Reads a number or a text as it is written: a formula, or one value of a parameter.
  Result<std::string> written(const toml::node& node, std::string_view key) const;
  Result<std::optional<std::string>> written(std::string_view key) const;
  // Reads one such value or a list of at most 4096.
  Result<std::optional<std::vector<std::string>>> all_written(std::string_view key) const;
  // Reads a finite number in (above, up_to].
  Result<std::optional<double>> number(std::string_view key, double above, double up_to, std::string_view unit) const;
  // Reads one text, or a list of at most 64.
  Result<std::optional<std::vector<std::string>>> texts(std::string_view key) const;
  // Reads "rows=128,cols=1024", or a table of whole numbers.
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
