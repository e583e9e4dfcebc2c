// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/disassembly.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "profiler/static/amdgcn.h"

namespace fuselab::profile {
namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// "0000000000001100 <fuselab_kernel>:" → "fuselab_kernel"; a place beside a symbol is no name.
bool read_header(std::string_view line, std::string& name) {
  if (!line.ends_with(">:") || line.empty() || std::isxdigit(static_cast<unsigned char>(line.front())) == 0) return false;
  const std::size_t open = line.find('<');
  if (open == std::string_view::npos) return false;
  name = line.substr(open + 1, line.size() - open - 3);
  if (name.find("-0x") != std::string::npos || name.find("+0x") != std::string::npos || name.starts_with(".")) name.clear();
  return true;
}

// "/tmp/x/kernel.c:123 (discriminator 2)" → 123; LLVM's begins with "; ".
int read_source_line(std::string_view line) {
  if (line.empty() || std::isspace(static_cast<unsigned char>(line.front())) != 0) return 0;
  if (line.starts_with("; ")) line.remove_prefix(2);
  line = line.substr(0, line.find(" ("));
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return 0;
  int number = 0;
  const auto read = std::from_chars(line.data() + colon + 1, line.data() + line.size(), number);
  return read.ec == std::errc() && read.ptr == line.data() + line.size() ? number : 0;
}

int count_bytes(std::string_view field) {
  int digits = 0;
  for (const char c : field) digits += std::isxdigit(static_cast<unsigned char>(c)) != 0 ? 1 : 0;
  return digits / 2;
}

// "    1113:\t49 89 d1             \tmov    %rdx,%r9"; LLVM's has a blank behind the colon.
bool read_instruction(std::string_view line, Instruction& instruction) {
  const std::size_t start = line.find_first_not_of(' ');
  const std::size_t colon = std::min(line.find(":\t"), line.find(": "));
  if (start == std::string_view::npos || colon == std::string_view::npos || start == 0) return false;
  const auto read = std::from_chars(line.data() + start, line.data() + colon, instruction.address, 16);
  if (read.ec != std::errc() || read.ptr != line.data() + colon) return false;
  line.remove_prefix(colon + 2);
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return false;  // bytes alone: no instruction
  instruction.bytes = count_bytes(line.substr(0, tab));
  read_instruction_text(line.substr(tab + 1), instruction);
  return !instruction.mnemonic.empty() && instruction.mnemonic.front() != '(' && instruction.mnemonic.front() != '.';
}

}  // namespace

Result<std::vector<DisassembledFunction>> read_disassembly(std::string_view text) {
  std::vector<DisassembledFunction> functions;
  bool in_text = true;
  int source_line = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    constexpr std::string_view kSection = "Disassembly of section ";
    if (line.starts_with(kSection)) {
      in_text = line.substr(kSection.size()).starts_with(".text");
      continue;
    }
    if (!in_text) continue;
    std::string name;
    Instruction instruction;
    if (read_header(line, name)) {
      functions.push_back({name, {}});
      source_line = 0;
    } else if (read_instruction(line, instruction) || read_amdgcn_instruction(line, instruction)) {
      instruction.line = source_line;
      if (functions.empty()) functions.emplace_back();
      functions.back().code.push_back(std::move(instruction));
    } else if (const int number = read_source_line(line); number > 0) {
      source_line = number;
    }
  }
  // What the linker adds to every shared object is none of the kernel.
  constexpr std::string_view kLinkers[] = {"_start", "deregister_tm_clones", "register_tm_clones", "__do_global_dtors_aux",
                                           "frame_dummy"};
  std::erase_if(functions, [&](const DisassembledFunction& function) {
    return function.code.empty() || std::find(std::begin(kLinkers), std::end(kLinkers), function.name) != std::end(kLinkers);
  });
  if (functions.empty()) return Error{ErrorCode::kCorrupt, "the disassembler printed no instruction that could be read"};
  return functions;
}

}  // namespace fuselab::profile
