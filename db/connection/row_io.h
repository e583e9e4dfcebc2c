// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fuselab::db {

// Binds parameters left to right: `RowBinder(statement).text(a).integer(b)`. text() and blob() do not copy: their values must
// outlive the step.
class RowBinder {
 public:
  explicit RowBinder(SQLite::Statement& statement) : statement_(statement) {}

  RowBinder& text(const std::string& value) {
    statement_.bindNoCopy(next_++, value);
    return *this;
  }
  // Binds a copy, so that the value may be a temporary.
  RowBinder& name(std::string_view value) {
    statement_.bind(next_++, std::string(value));
    return *this;
  }
  RowBinder& integer(std::int64_t value) {
    statement_.bind(next_++, value);
    return *this;
  }
  RowBinder& real(double value) {
    statement_.bind(next_++, value);
    return *this;
  }
  // Binds NULL for NaN, which SQLite does not have.
  RowBinder& real_or_nan(double value) {
    if (std::isnan(value)) return null();
    return real(value);
  }
  RowBinder& blob(std::span<const std::byte> value) {
    // A null pointer would bind NULL, and an empty blob is not NULL.
    static constexpr std::byte kNothing{};
    statement_.bindNoCopy(next_++, value.empty() ? &kNothing : value.data(), static_cast<int>(value.size()));
    return *this;
  }
  RowBinder& null() {
    statement_.bind(next_++);
    return *this;
  }
  RowBinder& maybe(const std::optional<std::int64_t>& value) { return value ? integer(*value) : null(); }
  RowBinder& maybe(const std::optional<std::string>& value) { return value ? text(*value) : null(); }

 private:
  SQLite::Statement& statement_;
  int next_ = 1;
};

// Reads the columns of the current row left to right.
class RowReader {
 public:
  explicit RowReader(SQLite::Statement& statement) : statement_(statement) {}

  std::string text() { return statement_.getColumn(next_++).getString(); }
  std::int64_t integer() { return statement_.getColumn(next_++).getInt64(); }
  int small() { return statement_.getColumn(next_++).getInt(); }
  bool boolean() { return integer() != 0; }
  double real() { return statement_.getColumn(next_++).getDouble(); }
  double real_or_nan() {
    const auto column = statement_.getColumn(next_++);
    return column.isNull() ? std::nan("") : column.getDouble();
  }
  std::optional<std::int64_t> maybe_integer() {
    const auto column = statement_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional(column.getInt64());
  }
  std::optional<std::string> maybe_text() {
    const auto column = statement_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional(column.getString());
  }
  // Returns a blob that is valid until the statement steps.
  std::span<const std::byte> blob() {
    const auto column = statement_.getColumn(next_++);
    return {static_cast<const std::byte*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())};
  }

 private:
  SQLite::Statement& statement_;
  int next_ = 0;
};

}  // namespace fuselab::db
