// SPDX-License-Identifier: Apache-2.0
#include "app/reports/annotations.h"

#include "app/reports/case_words.h"
#include "app/reports/escaping.h"

namespace fuselab::reports {
namespace {

constexpr std::size_t kLongestMessage = 4000;  // what GitHub shows of one ends at 4 KiB
constexpr std::size_t kLongestCommand = 1000;  // of those: the one that reproduces it
constexpr std::size_t kLongestTitle = 200;     // and of its title at 255 characters

struct Kind {
  Attention attention;
  const char* command;
  const char* plural;
};
constexpr Kind kKinds[] = {{Attention::kError, "error", "errors"},
                           {Attention::kWarning, "warning", "warnings"},
                           {Attention::kNotice, "notice", "notices"}};

std::string annotation(const Kind& kind, const CaseOutcome& one) {
  std::string place;
  if (!one.where.file.empty()) {
    place = "file=" + command_property(one.where.file) + ",";
    if (one.where.line > 0) place += "line=" + std::to_string(one.where.line) + ",";
  }
  const std::string title = shortened(std::string(name_of(one.state)) + ": " + title_of(one), kLongestTitle);
  const std::string again = "\n" + shortened(one.reproduce, kLongestCommand);
  const std::string message = shortened(finding_of(one), kLongestMessage - again.size()) + again;
  return std::string("::") + kind.command + " " + place + "title=" + command_property(title) + "::" + command_message(message) +
         "\n";
}

}  // namespace

std::string annotations_of(const CheckReport& report) {
  std::string text;
  for (const Kind& kind : kKinds) {
    std::vector<const CaseOutcome*> wanted;
    for (const std::size_t index : by_severity(report)) {
      if (attention_for(report.cases[index].state) == kind.attention) wanted.push_back(&report.cases[index]);
    }
    const bool all = wanted.size() <= std::size_t{kAnnotationsOfAType};
    const std::size_t shown = all ? wanted.size() : kAnnotationsOfAType - 1;
    for (std::size_t i = 0; i < shown; ++i) text += annotation(kind, *wanted[i]);
    if (all) continue;
    text += std::string("::") + kind.command + " title=fuselab check::… and " + std::to_string(wanted.size() - shown) + " more " +
            kind.plural + "; the step's summary and its log have them all\n";
  }
  return text;
}

}  // namespace fuselab::reports
