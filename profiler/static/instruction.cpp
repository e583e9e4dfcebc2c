// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/instruction.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fuselab::profile {
namespace {

constexpr std::array<std::string_view, 14> kPrefixes = {"lock", "rep",    "repz", "repnz",   "repe",   "repne", "bnd",
                                                        "cs",   "data16", "ds",   "notrack", "addr32", "{vex}", "{evex}"};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Returns the name without the v of VEX and EVEX: "vaddps" works as "addps" does.
std::string_view plain_name(std::string_view mnemonic) {
  return mnemonic.starts_with('v') && !mnemonic.starts_with("verr") ? mnemonic.substr(1) : mnemonic;
}

// Returns the bytes of a number that an instruction of floating point works on, 0 for another instruction, and whether it works on
// one number only.
struct Element {
  int bytes = 0;
  bool scalar = false;
};
Element element_of(std::string_view name) {
  if (name.starts_with('p') || name.starts_with("broadcast")) return {};
  if (name.ends_with("ps")) return {4, false};
  if (name.ends_with("pd")) return {8, false};
  if (name.ends_with("ph")) return {2, false};
  if (name.ends_with("ss")) return {4, true};
  if (name.ends_with("sd")) return {8, true};
  if (name.ends_with("sh")) return {2, true};
  return {};
}

bool is_arithmetic(std::string_view name) {
  constexpr std::array<std::string_view, 9> kArithmetic = {"add", "sub", "mul", "div", "sqrt", "min", "max", "hadd", "addsub"};
  return std::any_of(kArithmetic.begin(), kArithmetic.end(), [&](std::string_view start) { return name.starts_with(start); });
}

// Returns the bytes that a scalar or converting instruction moves to or from memory; 0 where its registers decide.
int own_access_bytes(std::string_view name, int register_bytes) {
  const Element element = element_of(name);
  if (element.scalar && !name.starts_with("cvtsi2")) return element.bytes;
  if (name.ends_with("broadcastss") || name.ends_with("broadcastd") || name == "movd" || name.starts_with("pinsrd")) return 4;
  if (name.ends_with("broadcastsd") || name.ends_with("broadcastq") || name == "movq" || name.starts_with("movlp") ||
      name.starts_with("movhp"))
    return 8;
  if (contains(name, "broadcastf128") || contains(name, "broadcasti128") || contains(name, "128")) return 16;
  if (contains(name, "f64x4") || contains(name, "i64x4") || contains(name, "f32x8")) return 32;
  if (name == "cvtph2ps" || name == "cvtps2ph" || name == "cvtps2pd" || name.starts_with("pmovsxwd") ||
      name.starts_with("pmovzxwd") || name.starts_with("pmovsxbw") || name.starts_with("pmovzxbw"))
    return register_bytes / 2;
  if (name.starts_with("pmovsxbd") || name.starts_with("pmovzxbd")) return register_bytes / 4;
  return 0;
}

// Instructions whose last operand is read only.
bool reads_last(std::string_view mnemonic) {
  const std::string_view name = plain_name(mnemonic);
  return name.starts_with("cmp") || name.starts_with("test") || name.starts_with("bt") || name.starts_with("ucomis") ||
         name.starts_with("comis") || name.starts_with("ptest") || name.starts_with("prefetch") || name.starts_with("push") ||
         name.starts_with("j") || name.starts_with("call");
}

// Instructions whose memory destination is written without being read.
bool only_writes(std::string_view mnemonic) {
  const std::string_view name = plain_name(mnemonic);
  return name.starts_with("mov") || name.starts_with("extract") || name.starts_with("pextr") || name.starts_with("pmov") ||
         name.starts_with("cvtps2ph") || name.starts_with("set") || name.starts_with("compress") || name.starts_with("scatter") ||
         name.starts_with("pop") || name.starts_with("maskmov");
}

void find_memory(const Instruction& instruction, bool frame_pointer, InstructionKind& kind) {
  const Operands& operands = instruction.operands;
  const auto memory =
      std::find_if(operands.begin(), operands.end(), [](const Operand& operand) { return operand.kind == Operand::Kind::kMemory; });
  if (memory == operands.end() || kind.is_padding || instruction.mnemonic.starts_with("lea")) return;
  const bool last = memory + 1 == operands.end();
  // One operand alone, as in `neg (%rax)`, is read and written; a jump or call through memory reads it.
  kind.stores = last && !reads_last(instruction.mnemonic) && !kind.is_jump && !kind.is_call;
  kind.loads = !kind.stores || !only_writes(instruction.mnemonic);
  if (kind.is_prefetch) kind.loads = false;
  kind.in_frame = memory->base == "rsp" || (frame_pointer && memory->base == "rbp");
  int registers = kind.vector_bits / 8;
  for (const Operand& operand : operands) {
    if (operand.kind != Operand::Kind::kRegister || registers > 0) continue;
    registers = std::max(registers, general_bytes_of(operand.registers.front()));
  }
  const std::string_view name = plain_name(instruction.mnemonic);
  const int own = own_access_bytes(name, registers);
  if (memory->is_broadcast) {
    kind.access_bytes = std::max(4, element_of(name).bytes);
  } else {
    kind.access_bytes = memory->stated_bytes > 0 ? memory->stated_bytes : own > 0 ? own : registers;
  }
  const char suffix = instruction.mnemonic.back();
  if (kind.access_bytes == 0) kind.access_bytes = suffix == 'q' ? 8 : suffix == 'l' ? 4 : suffix == 'w' ? 2 : suffix == 'b' ? 1 : 8;
}

}  // namespace

InstructionKind kind_of(const Instruction& instruction, bool frame_pointer) {
  const std::string_view mnemonic = instruction.mnemonic;
  const std::string_view name = plain_name(mnemonic);
  InstructionKind kind;
  kind.is_jump = mnemonic.starts_with('j');
  kind.is_call = mnemonic.starts_with("call");
  kind.is_padding =
      mnemonic.starts_with("nop") || mnemonic.starts_with("endbr") ||
      (mnemonic == "xchg" && instruction.operands.size() == 2 && instruction.operands[0].text == instruction.operands[1].text);
  kind.is_prefetch = mnemonic.starts_with("prefetch");
  for (const Operand& operand : instruction.operands) {
    for (const std::string& reg : operand.registers) kind.vector_bits = std::max(kind.vector_bits, vector_bits_of(reg));
  }
  const Element element = element_of(name);
  const bool moves_one = name == "movd" || name == "movq" || name.starts_with("cvtsi2") || name.starts_with("cvtts") ||
                         name.starts_with("cvtsd") || name.starts_with("cvtss");
  kind.is_packed = kind.vector_bits > 0 && !element.scalar && !moves_one && name != "zeroupper";
  kind.is_fused_multiply_add =
      name.starts_with("fmadd") || name.starts_with("fmsub") || name.starts_with("fnmadd") || name.starts_with("fnmsub");
  kind.is_divide = name.starts_with("div") || mnemonic.starts_with("idiv");
  kind.is_square_root = name.starts_with("sqrt");
  kind.is_nontemporal = name.starts_with("movnt");
  kind.is_gather = name.starts_with("gather") || name.starts_with("pgather");
  find_memory(instruction, frame_pointer, kind);
  kind.is_unaligned =
      (kind.loads || kind.stores) && kind.is_packed && (name.starts_with("movu") || name.starts_with("movdqu") || name == "lddqu");
  if (element.bytes > 0 && kind.vector_bits > 0 && (kind.is_fused_multiply_add || is_arithmetic(name))) {
    const double lanes = element.scalar ? 1 : static_cast<double>(kind.vector_bits) / 8 / element.bytes;
    kind.flops = lanes * (kind.is_fused_multiply_add ? 2 : 1);
  }
  return kind;
}

std::string_view work_in(std::span<const WorkRow> rows, std::string_view mnemonic) {
  const auto row = std::ranges::find_if(rows, [&](const WorkRow& each) { return mnemonic.starts_with(each.begin); });
  return row == rows.end() ? std::string_view() : row->work;
}

void read_instruction_text(std::string_view text, Instruction& instruction) {
  text = text.substr(0, text.find('#'));
  const auto next_word = [&] {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    return word;
  };
  std::string_view word = next_word();
  while (std::find(kPrefixes.begin(), kPrefixes.end(), word) != kPrefixes.end() || word.starts_with("rex")) {
    text.remove_prefix(word.size());
    word = next_word();
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  instruction.text = text;
  instruction.mnemonic = word;
  text.remove_prefix(word.size());
  if (word.starts_with('j') || word.starts_with("call")) {
    std::string_view where = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    if (where.starts_with("0x")) where.remove_prefix(2);
    std::int64_t target = 0;
    const auto read = std::from_chars(where.data(), where.data() + where.size(), target, 16);
    const bool direct = read.ec == std::errc() && (read.ptr == where.data() + where.size() || *read.ptr == ' ');
    if (direct && word.starts_with('j')) instruction.target = target;
    if (direct) return;
  }
  instruction.operands = read_operands(text.substr(0, text.find(" <")));
}

}  // namespace fuselab::profile
