// SPDX-License-Identifier: Apache-2.0
#include "app/reports/junit.h"

#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <map>

#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

// Names of elements and attributes in order: what strangers' words must not change.
class Shape : public tinyxml2::XMLVisitor {
 public:
  bool VisitEnter(const tinyxml2::XMLElement& element, const tinyxml2::XMLAttribute* attribute) override {
    text += std::string("<") + element.Name();
    for (; attribute != nullptr; attribute = attribute->Next()) text += std::string(" ") + attribute->Name();
    return true;
  }
  bool VisitExit(const tinyxml2::XMLElement&) override {
    text += ">";
    return true;
  }
  bool Visit(const tinyxml2::XMLUnknown&) override {
    text += "unknown";
    return true;
  }
  std::string text;
};

std::string shape_of(const std::string& xml) {
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.Parse(xml.data(), xml.size()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
  Shape shape;
  document.Accept(&shape);
  return shape.text;
}

TEST(JUnit, HasASuiteForEachDeviceAndBackendWithItsCounts) {
  const std::string xml = junit_of(test::sample_check_report());
  EXPECT_TRUE(xml.starts_with(kJUnitStart));
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(xml.c_str()), tinyxml2::XML_SUCCESS);
  const auto* const root = document.FirstChildElement("testsuites");
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->IntAttribute("tests"), 12);
  const auto* const cpu = root->FirstChildElement("testsuite");
  ASSERT_NE(cpu, nullptr);
  EXPECT_STREQ(cpu->Attribute("name"), "cpu on cpu:0");
  EXPECT_EQ(cpu->IntAttribute("tests"), 11);
  EXPECT_EQ(cpu->IntAttribute("failures"), 2);
  EXPECT_EQ(cpu->IntAttribute("errors"), 3);
  EXPECT_EQ(cpu->IntAttribute("skipped"), 2);
  EXPECT_EQ(cpu->DoubleAttribute("time"), 3.25 * 10 + 0.02);
  const auto* const cuda = cpu->NextSiblingElement("testsuite");
  ASSERT_NE(cuda, nullptr);
  EXPECT_STREQ(cuda->Attribute("name"), "cuda on cuda:0");
  EXPECT_EQ(cuda->IntAttribute("failures"), 1);
}

TEST(JUnit, MarksEachCaseByItsState) {
  const std::string xml = junit_of(test::sample_check_report());
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(xml.c_str()), tinyxml2::XML_SUCCESS);
  std::map<std::string, std::string> marks;
  const auto* suite = document.FirstChildElement("testsuites")->FirstChildElement("testsuite");
  for (; suite != nullptr; suite = suite->NextSiblingElement("testsuite")) {
    for (const auto* one = suite->FirstChildElement("testcase"); one != nullptr; one = one->NextSiblingElement("testcase")) {
      const auto* mark = one->FirstChildElement();
      while (std::string_view(mark->Name()) == "properties") mark = mark->NextSiblingElement();
      const char* const type = mark->Attribute("type");
      const std::string name = one->Attribute("name");
      marks[name.substr(0, name.find(':'))] = std::string(mark->Name()) + (type == nullptr ? "" : std::string(" ") + type);
    }
  }
  const std::map<std::string, std::string> expected = {{"softmax", "failure perf-regression"},
                                                       {"layernorm", "failure perf-regression"},
                                                       {"attention", "failure wrong-result"},
                                                       {"conv", "error kernel"},
                                                       {"typo", "error configuration"},
                                                       {"dequant", "error environment"},
                                                       {"adam", "skipped"},
                                                       {"matmul", "skipped"},
                                                       {"swiglu", "system-out"},
                                                       {"rope", "system-out"},
                                                       {"gelu", "system-out"},
                                                       {"rmsnorm", "system-out"}};
  EXPECT_EQ(marks, expected);
}

// A reader goes by the name: a case that was tuned is the same test, and which configuration it is in stands beside.
TEST(JUnit, NamesACaseTheSameInWhateverConfiguration) {
  CheckReport report = test::sample_check_report();
  report.cases = {report.cases[0]};
  const auto case_of = [&](tinyxml2::XMLDocument& document) {
    EXPECT_EQ(document.Parse(junit_of(report).c_str()), tinyxml2::XML_SUCCESS);
    return document.FirstChildElement("testsuites")->FirstChildElement("testsuite")->FirstChildElement("testcase");
  };
  tinyxml2::XMLDocument before;
  const auto* const was = case_of(before);
  EXPECT_STREQ(was->Attribute("name"), "softmax: w5-softmax rows=128,cols=1024 f32");
  const auto* const property = was->FirstChildElement("properties")->FirstChildElement("property");
  EXPECT_STREQ(property->Attribute("name"), "configuration");
  EXPECT_STREQ(property->Attribute("value"), "tuned: threads=2,vector=16");
  EXPECT_STREQ(property->NextSiblingElement()->Attribute("value"), "threads=1,vector=16");
  report.cases[0].configuration = "default: threads=1";
  tinyxml2::XMLDocument after;
  EXPECT_STREQ(case_of(after)->Attribute("name"), was->Attribute("name"));
  report.cases[0].configuration.clear();
  report.cases[0].baseline.reset();
  EXPECT_EQ(case_of(after)->FirstChildElement("properties"), nullptr);
}

TEST(JUnit, StrangersWordsStayText) {
  const std::string plain = shape_of(junit_of(test::check_report_saying("x")));
  for (const std::string& hostile : test::hostile_texts()) {
    if (hostile.empty()) continue;
    EXPECT_EQ(shape_of(junit_of(test::check_report_saying(hostile))), plain) << hostile;
  }
  const std::string xml = junit_of(test::check_report_saying("a&b <c> \"d\""));
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(xml.c_str()), tinyxml2::XML_SUCCESS);
  const auto* const suite = document.FirstChildElement("testsuites")->FirstChildElement("testsuite");
  EXPECT_STREQ(suite->FirstChildElement("testcase")->Attribute("file"), "a&b <c> \"d\"");
}

TEST(JUnit, ARunWithoutCasesIsADocumentToo) {
  EXPECT_EQ(shape_of(junit_of(CheckReport{})), "<testsuites name tests failures errors skipped time>");
}

}  // namespace
}  // namespace fuselab::reports
