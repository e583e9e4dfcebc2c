// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/mca_input.h"

#include "profiler/static/instruction.h"

namespace fuselab::profile {
namespace {

constexpr int kMostInstructions = 2000;

}  // namespace

std::vector<std::size_t> modelled_code(const CodeReport& report, const LoopReport& loop) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < report.code.size(); ++place) {
    const CodeLine& line = report.code[place];
    if (line.step != loop.step || line.address < loop.first || line.address > loop.last) continue;
    Instruction instruction;
    read_instruction_text(line.text, instruction);
    if (!kind_of(instruction, false).is_padding) places.push_back(place);
  }
  return places;
}

std::string mca_input(const CodeReport& report, const LoopReport& loop, std::string& why_not) {
  why_not.clear();
  if (!loop.innermost) why_not = "it is around another loop";
  if (loop.calls > 0) why_not = "it calls a function";
  if (loop.instructions > kMostInstructions) why_not = "it has " + std::to_string(loop.instructions) + " instructions";
  if (!why_not.empty()) return {};
  std::string body;
  bool att = false;
  for (const std::size_t place : modelled_code(report, loop)) {
    const CodeLine& line = report.code[place];
    Instruction instruction;
    read_instruction_text(line.text, instruction);
    att = att || line.text.find('%') != std::string::npos;
    body += "  " + (instruction.target ? instruction.mnemonic + " .Lagain" : instruction.text) + "\n";
  }
  if (body.empty()) {
    why_not = "it has no instruction";
    return {};
  }
  return (att ? "" : ".intel_syntax noprefix\n") + (".Lagain:\n" + body);
}

}  // namespace fuselab::profile
