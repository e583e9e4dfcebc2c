// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/reports/check_fields.h"
#include "core/fields/json_schema.h"

namespace fuselab::reports {
namespace {

using Json = nlohmann::json;

// A published schema as the list of fields gives it: definitions in the places of their references, nothing of what is said to
// people alone, a closed list of names as a text, and what is required in alphabetical order.
Json as_listed(const Json& schema, const Json& definitions) {
  if (schema.is_object() && schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(std::string_view("#/$defs/").size());
    return as_listed(definitions.at(name), definitions);
  }
  if (schema.is_object() && schema.contains("enum") && schema["enum"][0] != "inf") return {{"type", "string"}};
  if (!schema.is_structured()) return schema;
  Json plain = schema;
  if (plain.is_object() && plain.contains("description") && plain["description"].is_string()) plain.erase("description");
  for (Json& inner : plain) inner = as_listed(inner, definitions);
  if (plain.is_object() && plain.contains("required")) std::sort(plain["required"].begin(), plain["required"].end());
  return plain;
}

Json definitions() {
  std::ifstream file(SCHEMA_FOLDER "/check.schema.json");
  return Json::parse(file).at("$defs");
}

TEST(CheckLinesSchema, SaysOfACaseWhatTheListSays) {
  const Json published = definitions();
  EXPECT_EQ(as_listed(published["case"], published), as_listed(fields::schema_of<Json, CaseOutcome>(), {}));
}

TEST(CheckLinesSchema, SaysOfARunWhatTheListSaysAndWhatBeginsIt) {
  const Json published = definitions();
  Json run = as_listed(published["run"], published);
  for (const char* name : {"schema", "cases"}) {
    EXPECT_EQ(run["properties"].erase(name), 1U);
    EXPECT_EQ(std::erase(run["required"].get_ref<Json::array_t&>(), Json(name)), 1U);
  }
  EXPECT_EQ(run, as_listed(fields::schema_of<Json, CheckReport>(), {}));
}

}  // namespace
}  // namespace fuselab::reports
