// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/fields/json_reader.h"
#include "core/fields/json_schema.h"
#include "core/fields/json_writer.h"

namespace fuselab {
namespace {

using Json = nlohmann::ordered_json;

enum class Colour { kRed, kBlue };
std::string_view name_of(Colour colour) {
  return colour == Colour::kRed ? "red" : "blue";
}
Result<Colour> parse_colour(std::string_view name) {
  if (name == "red") return Colour::kRed;
  if (name == "blue") return Colour::kBlue;
  return invalid_argument("no colour is called '" + std::string(name) + "'");
}

struct Span {
  double low = 0;
  double high = 0;
};
constexpr auto fields_of(const Span*) {
  return fields::list<Span>(fields::bound("low", &Span::low), fields::bound("high", &Span::high));
}

struct Part {
  std::string name;
  std::optional<std::int64_t> weight;
};
constexpr auto fields_of(const Part*) {
  return fields::list<Part>(fields::field("name", &Part::name), fields::amount("weight", &Part::weight));
}

struct Record {
  std::string text;
  bool flag = false;
  std::int16_t number = 0;
  unsigned count = 0;
  double ratio = 0;
  Nanoseconds spent;
  Colour colour = Colour::kRed;
  Span span;
  std::optional<Part> part;
  std::vector<Part> parts;
  std::vector<std::pair<std::string, int>> pairs;
  std::vector<std::vector<double>> series;
  std::map<std::string, std::string> properties;
  std::string note = "as before";
  int cached = 0;
};
constexpr auto fields_of(const Record*) {
  using fields::amount, fields::field;
  return fields::list<Record>(field("text", &Record::text), field("flag", &Record::flag), field("number", &Record::number),
                              amount("count", &Record::count), amount("ratio", &Record::ratio), amount("spent_ns", &Record::spent),
                              field("colour", &Record::colour, parse_colour), fields::inlined(&Record::span),
                              field("part", &Record::part), field("parts", &Record::parts), field("pairs", &Record::pairs),
                              field("series", &Record::series), field("properties", &Record::properties),
                              fields::later("note", &Record::note), fields::left_out(&Record::cached));
}

using Low = decltype(fields::field("low", &Span::low));
static_assert(fields::field_count<Record>() == 15);
static_assert(fields::ListsEveryField<Span, Low, Low>);
static_assert(!fields::ListsEveryField<Span, Low>, "list() takes a list that forgets a field");
static_assert(!fields::ListsEveryField<Span, Low, Low, Low>);
static_assert(fields::are_distinct(fields::field("low", &Span::low), fields::field("high", &Span::high)));
static_assert(!fields::are_distinct(fields::field("low", &Span::low), fields::field("high", &Span::low)));

Record sample() {
  Record record;
  record.text = "say \"it\"";
  record.flag = true;
  record.number = -7;
  record.count = 4'000'000'000;
  record.ratio = 0.1 + 0.2;
  record.spent = {1.5};
  record.colour = Colour::kBlue;
  record.span = {-std::numeric_limits<double>::infinity(), 2};
  record.part = Part{"inner", 3};
  record.parts = {{"one", std::nullopt}, {"two", 2}};
  record.pairs = {{"a", 1}, {"b", -2}};
  record.series = {{}, {-0.5, 1e300}};
  record.properties = {{"simd", "avx2"}};
  record.note = "new";
  record.cached = 9;
  return record;
}

Json written(const Record& record) {
  return fields::json_of<Json>(record);
}

TEST(Fields, AreWrittenInTheOrderOfTheList) {
  EXPECT_EQ(written(sample()).dump(),
            R"({"text":"say \"it\"","flag":true,"number":-7,"count":4000000000,"ratio":0.30000000000000004,"spent_ns":1.5,)"
            R"("colour":"blue","low":"-inf","high":2.0,"part":{"name":"inner","weight":3},"parts":[{"name":"one"},)"
            R"({"name":"two","weight":2}],"pairs":[["a",1],["b",-2]],"series":[[],[-0.5,1e+300]],)"
            R"("properties":{"simd":"avx2"},"note":"new"})");
}

TEST(Fields, ComeBackAsTheyWereWritten) {
  const Json json = written(sample());
  Record again;
  again.parts = {{"what was there", 1}};
  ASSERT_TRUE(fields::read_fields(json, again).ok());
  EXPECT_EQ(written(again), json);
  EXPECT_EQ(again.cached, 0);
  Json of_cbor = Json::from_cbor(Json::to_cbor(json));
  Record of_bytes;
  ASSERT_TRUE(fields::read_fields(of_cbor, of_bytes).ok());
  EXPECT_EQ(written(of_bytes), json);
}

TEST(Fields, MayBeMissingWhereTheListSaysSo) {
  Json json = written(sample());
  json.erase("note");
  json.erase("part");
  json["of a later version"] = 1;
  Record record;
  record.part = Part{};
  ASSERT_TRUE(fields::read_fields(json, record).ok());
  EXPECT_EQ(record.note, "as before");
  EXPECT_FALSE(record.part);
}

struct Grown {
  int old = 1;
  std::vector<int> added;
  std::int64_t times = 1;
};
constexpr auto fields_of(const Grown*) {
  return fields::list<Grown>(fields::field("old", &Grown::old), fields::rare("added", &Grown::added),
                             fields::rare("times", &Grown::times));
}

TEST(Fields, AreNotWrittenWhereTheyAreRareAndAsTheyBegan) {
  EXPECT_EQ(fields::json_of<Json>(Grown()).dump(), R"({"old":1})");
  const Grown grown{2, {3}, 1};
  EXPECT_EQ(fields::json_of<Json>(grown).dump(), R"({"old":2,"added":[3]})");
  Grown again;
  ASSERT_TRUE(fields::read_fields(fields::json_of<Json>(grown), again).ok());
  EXPECT_EQ(again.added, grown.added);
  EXPECT_EQ(again.times, 1);
}

TEST(Fields, AreNamedWhenTheyAreWrong) {
  struct Wrong {
    const char* pointer;
    const char* value;  // empty: missing
    const char* told;
  };
  for (const Wrong& wrong : {
           Wrong{"/text", "", "'text' is missing"},
           Wrong{"/low", "", "'low' is missing"},
           Wrong{"/text", "3", "'text' is no text"},
           Wrong{"/flag", "1", "'flag' is neither true nor false"},
           Wrong{"/number", "32768", "'number' is no whole number of its range"},
           Wrong{"/number", "-32769", "'number' is no whole number of its range"},
           Wrong{"/number", "1.5", "'number' is no whole number of its range"},
           Wrong{"/count", "-1", "'count' is no count"},
           Wrong{"/count", "4294967296", "'count' is no count"},
           Wrong{"/ratio", "-0.5", "'ratio' is no finite number of at least 0"},
           Wrong{"/ratio", "\"inf\"", "'ratio' is no finite number of at least 0"},
           Wrong{"/spent_ns", "null", "'spent_ns' is no finite number of at least 0"},
           Wrong{"/low", "\"nan\"", "'low' is no number"},
           Wrong{"/colour", "7", "'colour' is no text"},
           Wrong{"/colour", "\"gr\\u001bey\"", "'colour': no colour is called 'gr?ey'"},
           Wrong{"/part", "[]", "'part': this is no object"},
           Wrong{"/part/name", "", "'part': 'name' is missing"},
           Wrong{"/parts", "{}", "'parts' is no list"},
           Wrong{"/parts/1/weight", "-2", "'parts': 'weight' is no count"},
           Wrong{"/pairs/0", "[\"a\"]", "'pairs' holds what is no pair"},
           Wrong{"/series/0", "1", "'series' holds what is no list"},
           Wrong{"/series/1/0", "null", "'series' holds what is no finite number"},
       }) {
    Json json = written(sample());
    const Json::json_pointer where(wrong.pointer);
    if (std::string_view(wrong.value).empty()) {
      json.at(where.parent_pointer()).erase(where.back());
    } else {
      json[where] = Json::parse(wrong.value);
    }
    Record record;
    const Status read = fields::read_fields(json, record);
    ASSERT_FALSE(read.ok()) << wrong.told;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(read.error().message, wrong.told);
  }
}

TEST(Fields, OfTheLibrarysOwnTypesAreNamedToo) {
  Json json = written(sample());
  json["properties"] = 3;
  Record record;
  const Status read = fields::read_fields(json, record);
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(read.error().message.starts_with("'properties': ")) << read.error().message;
}

TEST(Fields, HaveASchema) {
  EXPECT_EQ((fields::schema_of<Json, Part>()), Json::parse(R"({"type":"object","required":["name"],
                "properties":{"name":{"type":"string"},"weight":{"type":"integer","minimum":0}}})"));
  const Json schema = fields::schema_of<Json, Record>();
  EXPECT_EQ(schema["required"], Json::parse(R"(["text","flag","number","count","ratio","spent_ns","colour","low","high","parts",
      "pairs","series","properties"])"));
  const Json& properties = schema["properties"];
  EXPECT_EQ(properties.size(), 15U);
  EXPECT_EQ(properties["low"], Json::parse(R"({"anyOf":[{"type":"number"},{"enum":["inf","-inf"]}]})"));
  EXPECT_EQ(properties["spent_ns"], Json::parse(R"({"type":"number","minimum":0})"));
  EXPECT_EQ(properties["part"], (fields::schema_of<Json, Part>()));
  EXPECT_EQ(properties["pairs"]["items"]["prefixItems"], Json::parse(R"([{"type":"string"},{"type":"integer"}])"));
  EXPECT_EQ(properties["series"]["items"], Json::parse(R"({"type":"array","items":{"type":"number"}})"));
}

}  // namespace
}  // namespace fuselab
