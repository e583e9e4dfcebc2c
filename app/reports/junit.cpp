// SPDX-License-Identifier: Apache-2.0
#include "app/reports/junit.h"

#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "app/reports/case_words.h"
#include "app/reports/escaping.h"

namespace fuselab::reports {
namespace {

using Printer = tinyxml2::XMLPrinter;

// The element inside a test case that did not pass; none where it did.
struct Mark {
  const char* element = nullptr;
  const char* type = nullptr;
};

Mark mark_of(CaseState state) {
  switch (state) {
    case CaseState::kRegressed: return {"failure", "perf-regression"};
    case CaseState::kWrongResult: return {"failure", "wrong-result"};
    case CaseState::kFailed: return {"error", "kernel"};
    case CaseState::kMisconfigured: return {"error", "configuration"};
    case CaseState::kUnfit: return {"error", "environment"};
    case CaseState::kInconclusive:
    case CaseState::kInsensitive:
    case CaseState::kExpired:
    case CaseState::kUntrusted:
    case CaseState::kNew:
    case CaseState::kRenamed:
    case CaseState::kNoBaseline: return {"skipped", nullptr};
    case CaseState::kSame:
    case CaseState::kImproved:
    case CaseState::kEquivalent:
    case CaseState::kUnconfirmed: return {};
  }
  return {"error", "kernel"};
}

struct Suite {
  std::string name;
  std::vector<const CaseOutcome*> cases;

  int count(std::string_view element) const {
    return static_cast<int>(std::count_if(cases.begin(), cases.end(), [&](const CaseOutcome* one) {
      const char* const marked = mark_of(one->state).element;
      return marked != nullptr && element == marked;
    }));
  }
  double seconds() const {
    double sum = 0;
    for (const CaseOutcome* one : cases) sum += one->wall_seconds;
    return sum;
  }
};

std::vector<Suite> suites_of(const CheckReport& report) {
  std::vector<Suite> suites;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const CaseOutcome& one : report.cases) {
    const auto [place, fresh] = places.try_emplace({one.backend, one.device}, suites.size());
    if (fresh) suites.push_back({one.device.empty() ? one.backend : one.backend + " on " + one.device, {}});
    suites[place->second].cases.push_back(&one);
  }
  return suites;
}

std::string seconds_attribute(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", std::isfinite(seconds) ? seconds : 0.0);
  return text.data();
}

void push(Printer& printer, const char* name, const std::string& value) {
  printer.PushAttribute(name, xml_line(value).c_str());
}

void push_counts(Printer& printer, const Suite& suite) {
  printer.PushAttribute("tests", static_cast<int>(suite.cases.size()));
  printer.PushAttribute("failures", suite.count("failure"));
  printer.PushAttribute("errors", suite.count("error"));
  printer.PushAttribute("skipped", suite.count("skipped"));
}

void push_property(Printer& printer, const std::string& name, const std::string& value) {
  printer.OpenElement("property");
  push(printer, "name", name);
  push(printer, "value", value);
  printer.CloseElement();
}

void push_properties(Printer& printer, const CheckReport& report) {
  printer.OpenElement("properties");
  push_property(printer, "fuselab.version", report.tool_version);
  push_property(printer, "fuselab.commit", report.commit);
  push_property(printer, "fuselab.false_alarms", false_alarms_text(report));
  for (const auto& [name, value] : report.environment) push_property(printer, name, value);
  printer.CloseElement();
}

// Writes what may change while the test stays the same one as properties, since readers with a history go by the name.
void push_properties(Printer& printer, const CaseOutcome& one) {
  const bool of_baseline = one.baseline && !one.baseline->configuration.empty();
  if (one.configuration.empty() && !of_baseline) return;
  printer.OpenElement("properties");
  if (!one.configuration.empty()) push_property(printer, "configuration", one.configuration);
  if (of_baseline) push_property(printer, "baseline.configuration", one.baseline->configuration);
  printer.CloseElement();
}

// Returns what a command that failed wrote, below the other lines.
std::string output_text(const CaseOutcome& one) {
  std::string text;
  for (std::size_t start = 0; start < one.output.size();) {
    const std::size_t end = std::min(one.output.find('\n', start), one.output.size());
    text += "\n" + xml_line(one.output.substr(start, end - start));
    start = end + 1;
  }
  return text;
}

void push_case(Printer& printer, const CaseOutcome& one, const std::string& suite) {
  printer.OpenElement("testcase");
  push(printer, "name", one.subject.empty() ? one.name : one.name + ": " + one.subject);
  push(printer, "classname", suite);
  push(printer, "time", seconds_attribute(one.wall_seconds));
  if (!one.where.file.empty()) push(printer, "file", one.where.file);
  if (one.where.line > 0) printer.PushAttribute("line", one.where.line);
  push_properties(printer, one);
  const std::string state(name_of(one.state));
  const std::string finding = state + ": " + finding_of(one);
  const Mark mark = mark_of(one.state);
  if (mark.element != nullptr) {
    printer.OpenElement(mark.element);
    push(printer, "message", one.reason.empty() ? finding : state + ": " + one.reason);
    if (mark.type != nullptr) printer.PushAttribute("type", mark.type);
    // Only a failure and an error have a text in every reader's schema.
    if (mark.type != nullptr) printer.PushText((xml_line(finding) + "\nagain: " + xml_line(one.reproduce)).c_str());
    printer.CloseElement();
  }
  printer.OpenElement("system-out");
  printer.PushText((xml_line(finding) + "\nagain: " + xml_line(one.reproduce) + output_text(one)).c_str());
  printer.CloseElement();
  printer.CloseElement();
}

}  // namespace

std::string junit_of(const CheckReport& report) {
  Printer printer;
  printer.PushHeader(/*writeBOM=*/false, /*writeDec=*/false);
  printer.PushDeclaration("xml version=\"1.0\" encoding=\"UTF-8\"");
  printer.OpenElement("testsuites");
  printer.PushAttribute("name", "fuselab check");
  Suite all;
  for (const CaseOutcome& one : report.cases) all.cases.push_back(&one);
  push_counts(printer, all);
  push(printer, "time", seconds_attribute(report.wall_seconds));
  for (const Suite& suite : suites_of(report)) {
    printer.OpenElement("testsuite");
    push(printer, "name", suite.name);
    push_counts(printer, suite);
    push(printer, "time", seconds_attribute(suite.seconds()));
    if (!report.started_at.empty()) push(printer, "timestamp", report.started_at);
    push_properties(printer, report);
    for (const CaseOutcome* one : suite.cases) push_case(printer, *one, suite.name);
    printer.CloseElement();
  }
  printer.CloseElement();
  return printer.CStr();
}

}  // namespace fuselab::reports
