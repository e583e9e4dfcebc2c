// SPDX-License-Identifier: Apache-2.0
#include "core/fields/columns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <variant>
#include <vector>

namespace fuselab {
namespace {

struct Range {
  double low = 0;
  double high = 0;
};
constexpr auto fields_of(const Range*) {
  return fields::list<Range>(fields::bound("low", &Range::low), fields::bound("high", &Range::high));
}

struct Timed {
  std::string name;
  int runs = 0;
  bool warm = false;
  Range interval;
  Nanoseconds spent;
  std::optional<std::int64_t> bytes;
  std::optional<std::string> note;
  int cached = 0;
};
constexpr auto fields_of(const Timed*) {
  using fields::field;
  return fields::list<Timed>(field("name", &Timed::name), field("runs", &Timed::runs), field("warm", &Timed::warm),
                             fields::inlined(&Timed::interval), field("spent_ns", &Timed::spent), field("bytes", &Timed::bytes),
                             field("note", &Timed::note), fields::left_out(&Timed::cached));
}

// A row in memory: what is bound to it can be read from it.
class Row {
 public:
  using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

  void text(const std::string& value) { cells.emplace_back(value); }
  void integer(std::int64_t value) { cells.emplace_back(value); }
  void real(double value) { cells.emplace_back(value); }
  template <typename Value>
  void maybe(const std::optional<Value>& value) {
    cells.push_back(value ? Cell(*value) : Cell());
  }

  std::string text() { return std::get<std::string>(cells.at(next_++)); }
  std::int64_t integer() { return std::get<std::int64_t>(cells.at(next_++)); }
  double real() { return std::get<double>(cells.at(next_++)); }
  std::optional<std::string> maybe_text() { return maybe<std::string>(); }
  std::optional<std::int64_t> maybe_integer() { return maybe<std::int64_t>(); }

  std::vector<Cell> cells;

 private:
  template <typename Value>
  std::optional<Value> maybe() {
    const Cell& cell = cells.at(next_++);
    return std::holds_alternative<Value>(cell) ? std::optional(std::get<Value>(cell)) : std::nullopt;
  }

  std::size_t next_ = 0;
};

TEST(Columns, AreTheFieldsInTheirOrder) {
  EXPECT_EQ(fields::column_names<Timed>(), "name, runs, warm, low, high, spent_ns, bytes, note");
  EXPECT_EQ(fields::column_parameters<Timed>(), "?,?,?,?,?,?,?,?");
}

TEST(Columns, ARowIsReadAsItWasBound) {
  const Timed written{"softmax", 7, true, {0.5, 2}, {1'500}, std::nullopt, "twice", 3};
  Row row;
  fields::bind_columns(row, written);
  ASSERT_EQ(row.cells.size(), 8U);
  EXPECT_EQ(row.cells[6], Row::Cell()) << "what is absent is null";

  Timed read;
  fields::read_columns(row, read);
  EXPECT_EQ(read.name, "softmax");
  EXPECT_EQ(read.runs, 7);
  EXPECT_TRUE(read.warm);
  EXPECT_EQ(read.interval.low, 0.5);
  EXPECT_EQ(read.interval.high, 2);
  EXPECT_EQ(read.spent.count, 1'500);
  EXPECT_FALSE(read.bytes.has_value());
  EXPECT_EQ(read.note, "twice");
  EXPECT_EQ(read.cached, 0) << "no column holds it";
}

}  // namespace
}  // namespace fuselab
