// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/operands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "profiler/static/text_parts.h"

namespace fuselab::profile {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_register(std::string_view name) {
  return vector_bits_of(name) > 0 || general_bytes_of(name) > 0 || name == "rip" || (name.size() == 2 && name[0] == 'k');
}

std::vector<std::string> registers_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (is_register(text.substr(i, end - i))) names.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return names;
}

int stated_bytes_of(std::string_view text) {
  constexpr std::pair<std::string_view, int> kSizes[] = {{"ZMMWORD", 64}, {"YMMWORD", 32}, {"XMMWORD", 16}, {"QWORD", 8},
                                                         {"DWORD", 4},    {"WORD", 2},     {"BYTE", 1}};
  for (const auto& [word, bytes] : kSizes) {
    if (text.starts_with(word)) return bytes;
  }
  return 0;
}

Operand read_operand(std::string_view text, bool att) {
  Operand operand;
  operand.text = text;
  const std::size_t open = text.find(att ? '(' : '[');
  operand.is_broadcast = text.find("{1to") != std::string_view::npos;
  if (open != std::string_view::npos) {
    operand.kind = Operand::Kind::kMemory;
    operand.stated_bytes = att ? 0 : stated_bytes_of(text);
    operand.registers = registers_in(text.substr(open, text.find(att ? ')' : ']', open) - open));
    // Intel's syntax does not say which is the base; the disassembler prints it first.
    const bool has_base = !att || (open + 1 < text.size() && text[open + 1] == '%');
    if (has_base && !operand.registers.empty()) operand.base = operand.registers.front();
    return operand;
  }
  const std::string_view bare = att && text.starts_with('%') ? text.substr(1) : text;
  const std::string_view name = bare.substr(0, bare.find('{'));
  if (is_register(trimmed(name))) {
    operand.kind = Operand::Kind::kRegister;
    operand.registers = {std::string(trimmed(name))};
  } else if (!text.empty() && (text[0] == '$' || std::isdigit(static_cast<unsigned char>(text[0])) != 0)) {
    operand.kind = Operand::Kind::kImmediate;
  } else if (text.find("PTR ") != std::string_view::npos || text.find(":0x") != std::string_view::npos) {
    operand.kind = Operand::Kind::kMemory;
  }
  return operand;
}

}  // namespace

int vector_bits_of(std::string_view name) {
  if (name.size() < 4 || name.substr(1, 2) != "mm" || std::isdigit(static_cast<unsigned char>(name[3])) == 0) return 0;
  return name[0] == 'x' ? 128 : name[0] == 'y' ? 256 : name[0] == 'z' ? 512 : 0;
}

int general_bytes_of(std::string_view name) {
  constexpr std::array<std::string_view, 8> kOld = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
  const auto is_old = [&](std::string_view rest) { return std::find(kOld.begin(), kOld.end(), rest) != kOld.end(); };
  if (name.size() == 3 && is_old(name.substr(1))) return name[0] == 'r' ? 8 : name[0] == 'e' ? 4 : 0;
  if (name.size() == 2 && is_old(name)) return 2;
  constexpr std::array<std::string_view, 12> kBytes = {"al", "bl", "cl", "dl", "ah", "bh", "ch", "dh", "sil", "dil", "bpl", "spl"};
  if (std::find(kBytes.begin(), kBytes.end(), name) != kBytes.end()) return 1;
  if (name.size() < 2 || name[0] != 'r' || std::isdigit(static_cast<unsigned char>(name[1])) == 0) return 0;
  switch (name.back()) {
    case 'd': return 4;
    case 'w': return 2;
    case 'b': return 1;
    default: return 8;
  }
}

std::string whole_register(std::string_view name) {
  if (vector_bits_of(name) > 0) return "v" + std::string(name.substr(3));
  if (name.size() >= 2 && name[0] == 'r' && std::isdigit(static_cast<unsigned char>(name[1])) != 0) {
    std::string whole(name);
    while (std::isdigit(static_cast<unsigned char>(whole.back())) == 0) whole.pop_back();
    return whole;
  }
  std::string part(name);
  if (part.size() == 3 && (part[0] == 'e' || part[0] == 'r')) part.erase(0, 1);
  if (part.size() == 3) part.pop_back();                                      // sil
  if (part.size() == 2 && (part[1] == 'l' || part[1] == 'h')) part[1] = 'x';  // al
  return "r" + part;
}

Operands read_operands(std::string_view text) {
  Operands operands;
  text = trimmed(text);
  if (text.empty()) return operands;
  const bool att = text.find('%') != std::string_view::npos || text.find('$') != std::string_view::npos;
  for (const std::string_view part : split(text, ',', true)) operands.push_back(read_operand(trimmed(part), att));
  // Without any register or number, the order does not matter.
  if (!att) std::reverse(operands.begin(), operands.end());
  return operands;
}

}  // namespace fuselab::profile
