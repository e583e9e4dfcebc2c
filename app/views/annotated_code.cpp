// SPDX-License-Identifier: Apache-2.0
#include "app/views/annotated_code.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace fuselab::engine {
namespace {

int hottest_step(const ProfileView& view) {
  const LoopReport* const hottest = view.profile.code.hottest();
  return hottest == nullptr ? 0 : hottest->step;
}

// The source of a step, line by line, with those of its instructions that are wanted.
template <typename IsWanted>
std::vector<AnnotatedLine> annotated(const ProfileView& view, int step, const IsWanted& is_wanted) {
  std::vector<AnnotatedLine> lines;
  const auto add_line = [&](int number_of_line, std::string source) {
    AnnotatedLine& line = lines.emplace_back();
    line.step = step;
    line.line = number_of_line;
    line.source = std::move(source);
  };
  if (static_cast<std::size_t>(step) < view.sources.size()) {
    std::istringstream text(view.sources[static_cast<std::size_t>(step)]);
    for (std::string line; std::getline(text, line);) add_line(static_cast<int>(lines.size()) + 1, line);
  }
  const std::size_t of_source = lines.size();
  add_line(0, "");
  for (const CodeLine& code : view.profile.code.code) {
    if (code.step != step || !is_wanted(code)) continue;
    const bool known = code.line > 0 && static_cast<std::size_t>(code.line) <= of_source;
    AnnotatedLine& line = lines[known ? static_cast<std::size_t>(code.line) - 1 : of_source];
    line.code.push_back(code);
    line.hits += code.hits;
    line.cycles += code.cycles;
  }
  if (lines.back().code.empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::vector<AnnotatedLine> annotated_code(const ProfileView& view) {
  const LoopReport* const hottest = view.profile.code.hottest();
  if (hottest == nullptr) return {};
  std::vector<AnnotatedLine> lines = annotated(view, hottest->step, [&](const CodeLine& code) {
    return code.function == hottest->function && code.address >= hottest->first && code.address <= hottest->last;
  });
  std::erase_if(lines, [](const AnnotatedLine& line) { return line.code.empty(); });
  return lines;
}

std::vector<AnnotatedLine> annotated_source(const ProfileView& view) {
  return annotated(view, hottest_step(view), [](const CodeLine&) { return true; });
}

std::vector<CodeLine> annotated_functions(const ProfileView& view) {
  std::vector<CodeLine> code;
  std::ranges::copy_if(view.profile.code.code, std::back_inserter(code),
                       [step = hottest_step(view)](const CodeLine& line) { return line.step == step; });
  return code;
}

}  // namespace fuselab::engine
