// SPDX-License-Identifier: Apache-2.0
// The loader's own JSON reader, by way of bundles whose manifest is a text of ours.
#include <gmock/gmock.h>

#include "app/deploy/bundle/stored_zip.h"
#include "tests/unit/loader/bundle_writer.h"

namespace fuselab {
namespace {

using testing::HasSubstr;

class LoaderJson : public LoaderTest {
 protected:
  std::string complaint(const std::string& text) {
    const deploy::ZipEntries entries{{"manifest.json", std::as_bytes(std::span(text))}};
    EXPECT_NE(open(deploy::write_stored_zip(entries).value(), FL_ALLOW_UNSIGNED), FL_OK);
    return error_.message;
  }
  bool is_json(const std::string& text) { return complaint(text).find("no JSON") == std::string::npos; }
};

TEST_F(LoaderJson, AgreesWithTheRulesOfJson) {
  for (const char* const good :
       {"{}", " [ ] ", "0", "-0.5e+3", "\"\"", "null", "[1,2,[3,{}]]", "{\"a\":{\"a\":1},\"b\":[true,false]}",
        "\"\\u00e9\\n\\ud83d\\ude00\"", "\"\xC3\xA9\"", "{\"k\":1e5}", "-1"})
    EXPECT_TRUE(is_json(good)) << good;
  for (const char* const bad : {"",
                                " ",
                                "{",
                                "[",
                                "\"",
                                "[1,]",
                                "[1 2]",
                                "{\"a\"}",
                                "{\"a\":}",
                                "{\"a\":1,}",
                                "{a:1}",
                                "'a'",
                                "01",
                                "1.",
                                ".5",
                                "+1",
                                "1e",
                                "nul",
                                "tru",
                                "\"\\x\"",
                                "\"\\u12\"",
                                "\"\\ud800\"",
                                "\"\\udc00\"",
                                "\"\\u0000\"",
                                "\"\n\"",
                                "\"\xFF\"",
                                "\"\xC0\x80\"",
                                "\"\xED\xA0\x80\"",
                                "\"\xF5\x80\x80\x80\"",
                                "{} {}",
                                "[1]]",
                                "-",
                                "\"\xC3\"",
                                "NaN",
                                "Infinity"})
    EXPECT_FALSE(is_json(bad)) << bad;
}

TEST_F(LoaderJson, IsLimited) {
  EXPECT_TRUE(is_json(std::string(30, '[') + std::string(30, ']')));
  EXPECT_THAT(complaint(std::string(40, '[') + std::string(40, ']')), HasSubstr("nested too deeply"));
  EXPECT_THAT(complaint(std::string(1000000, '[')), HasSubstr("nested too deeply"));
  std::string members = "{";
  for (int i = 0; i < 300; ++i) members += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_THAT(complaint(members + "}"), HasSubstr("too many members"));
}

TEST_F(LoaderJson, RefusesAKeyThatIsThereTwice) {
  EXPECT_THAT(complaint(R"({"a":1,"b":2,"a":3})"), HasSubstr("'a' twice"));
  EXPECT_THAT(complaint(R"({"a":1,"\u0061":3})"), HasSubstr("'a' twice"));
}

}  // namespace
}  // namespace fuselab
