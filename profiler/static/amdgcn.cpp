// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/amdgcn.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "profiler/static/text_parts.h"

namespace fuselab::profile {
namespace {

// The first row that a mnemonic begins with says what it works on. What no row has goes by its element type.
constexpr WorkRow kAmdgcnWork[] = {{"v_mfma", "tensor"},
                                   {"v_smfma", "tensor"},
                                   {"v_wmma", "tensor"},
                                   {"v_swmma", "tensor"},
                                   {"global_load_lds", "async copy"},
                                   {"global_load", "global load"},
                                   {"flat_load", "global load"},
                                   {"global_store", "global store"},
                                   {"flat_store", "global store"},
                                   {"buffer_load", "global load"},
                                   {"buffer_store", "global store"},
                                   {"scratch_load", "local load"},
                                   {"scratch_store", "local store"},
                                   {"global_", "atomic"},
                                   {"flat_", "atomic"},
                                   {"buffer_atomic", "atomic"},
                                   {"buffer_", "control"},
                                   {"ds_read", "shared load"},
                                   {"ds_load", "shared load"},
                                   {"ds_write", "shared store"},
                                   {"ds_store", "shared store"},
                                   {"ds_bpermute", "shuffle"},
                                   {"ds_permute", "shuffle"},
                                   {"ds_swizzle", "shuffle"},
                                   {"ds_", "atomic"},
                                   {"v_permlane", "shuffle"},
                                   {"image_", "texture"},
                                   {"v_cvt", "conversion"},
                                   {"v_exp_", "special"},
                                   {"v_log_", "special"},
                                   {"v_rcp", "special"},
                                   {"v_rsq", "special"},
                                   {"v_sqrt", "special"},
                                   {"v_sin", "special"},
                                   {"v_cos", "special"},
                                   {"v_mov", "move"},
                                   {"v_accvgpr", "move"},
                                   {"v_cndmask", "move"},
                                   {"v_read", "move"},
                                   {"v_write", "move"},
                                   {"v_swap", "move"},
                                   {"v_perm", "move"},
                                   {"v_nop", "control"},
                                   {"s_load", "constant"},
                                   {"s_buffer_load", "constant"},
                                   {"s_waitcnt", "wait"},
                                   {"s_wait_", "wait"},
                                   {"s_barrier", "barrier"},
                                   {"s_branch", "control"},
                                   {"s_cbranch", "control"},
                                   {"s_call", "control"},
                                   {"s_swappc", "control"},
                                   {"s_setpc", "control"},
                                   {"s_endpgm", "control"},
                                   {"s_nop", "control"},
                                   {"s_code_end", "control"},
                                   {"s_delay_alu", "control"},
                                   {"s_clause", "control"},
                                   {"s_set", "control"},
                                   {"s_sleep", "control"},
                                   {"s_sendmsg", "control"},
                                   {"s_dcache", "control"},
                                   {"s_icache", "control"},
                                   {"s_", "scalar"}};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The last element type of a name is that of its operands: v_dot2_f32_f16 adds products of halves.
std::string_view amdgcn_work_of(std::string_view name) {
  if (const std::string_view known = work_in(kAmdgcnWork, name); !known.empty()) return known;
  if (!name.starts_with("v_")) return "other";
  if (has(name, "_f64")) return "fp64";
  if (has(name, "_f16") || has(name, "_bf16")) return "fp16";
  return has(name, "_f32") ? "fp32" : "integer";
}

// "dwordx4" of global_load_dwordx4, "2_b64" of ds_read2_b64, "b128" of RDNA 3's names.
int amdgcn_access_bytes_of(std::string_view name) {
  constexpr std::pair<std::string_view, int> kSizes[] = {
      {"dwordx2", 8}, {"dwordx3", 12}, {"dwordx4", 16}, {"dword", 4}, {"byte", 1}, {"short", 2}, {"b128", 16}, {"b96", 12},
      {"b64", 8},     {"b32", 4},      {"b16", 2},      {"b8", 1},    {"u16", 2},  {"i16", 2},   {"u8", 1},    {"i8", 1}};
  const auto* const size = std::ranges::find_if(kSizes, [&](const auto& each) { return has(name, each.first); });
  const bool twice = has(name, "read2") || has(name, "write2") || has(name, "load_2addr") || has(name, "store_2addr");
  return (size == std::end(kSizes) ? 4 : size->second) * (twice ? 2 : 1);
}

// "16x16x4" of v_mfma_f32_16x16x4_f32, by as many blocks as "4b" says. Without a shape 0.
double amdgcn_matrix_flops_of(std::string_view name) {
  double products = 0, blocks = 1;
  for (const std::string_view part : split(name, '_')) {
    if (part.size() > 1 && part.ends_with('b')) blocks = whole_number(part.substr(0, part.size() - 1)).value_or(1);
    const auto extents = split(part, 'x');
    if (extents.size() != 3) continue;
    products = 1;
    // CDNA's first names have the type behind the shape: "16x16x4f32".
    for (const std::string_view extent : extents) {
      const std::size_t digits = std::min(extent.find_first_not_of("0123456789"), extent.size());
      products *= whole_number(extent.substr(0, digits)).value_or(0);
    }
  }
  // Wavefronts of RDNA, which has wmma, have 32 threads.
  const double threads = has(name, "wmma") ? 32 : 64;
  return 2 * products * blocks / threads;
}

double amdgcn_flops_of(std::string_view name, std::string_view work) {
  if (work == "tensor") return amdgcn_matrix_flops_of(name);
  if (!work.starts_with("fp") || name.starts_with("v_cmp") || name.starts_with("v_div")) return 0;
  const bool fused = has(name, "fma") || has(name, "_mac") || has(name, "_mad");
  const bool counts = fused || has(name, "_add_") || has(name, "_sub_") || has(name, "_subrev_") || has(name, "_mul_");
  if (has(name, "_dot2")) return 4;
  const double lanes = name.starts_with("v_pk_") ? 2 : 1;
  return counts ? lanes * (fused ? 2 : 1) : 0;
}

bool amdgcn_jumps(std::string_view mnemonic) {
  return mnemonic == "s_branch" || mnemonic.starts_with("s_cbranch");
}

bool amdgcn_is_padding(std::string_view mnemonic) {
  return mnemonic == "s_nop" || mnemonic == "s_code_end" || mnemonic == "s_delay_alu";
}

// Two operations of one instruction of RDNA 3: "v_dual_mul_f32 v0, v1, v2 :: v_dual_add_f32 v3, v4, v5".
std::string_view amdgcn_second_of(std::string_view text) {
  const std::size_t at = text.find(" :: ");
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + 4);
  return text.substr(0, text.find(' '));
}

// "v_dual_fmac_f32" is what v_fmac_f32 does.
std::string amdgcn_single(std::string_view name) {
  constexpr std::string_view kDual = "v_dual_";
  return name.starts_with(kDual) ? "v_" + std::string(name.substr(kDual.size())) : std::string(name);
}

}  // namespace

bool read_amdgcn_instruction(std::string_view line, Instruction& instruction) {
  const std::size_t comment = line.find("// ");
  if (!line.starts_with('\t') || comment == std::string_view::npos) return false;
  const auto facts = split(line.substr(comment + 3), ' ');
  if (!facts.front().ends_with(':')) return false;
  const std::string_view address = facts.front().substr(0, facts.front().size() - 1);
  const auto read = std::from_chars(address.data(), address.data() + address.size(), instruction.address, 16);
  if (read.ec != std::errc() || read.ptr != address.data() + address.size()) return false;
  constexpr std::size_t kDigitsOfWord = 8;
  for (const std::string_view word : facts) {
    const bool is_word = word.size() == kDigitsOfWord && word.find_first_not_of("0123456789ABCDEFabcdef") == std::string_view::npos;
    instruction.bytes += is_word ? 4 : 0;
  }
  const std::string_view text = trimmed(line.substr(0, comment));
  instruction.text = text;
  instruction.mnemonic = text.substr(0, text.find(' '));
  if (!amdgcn_jumps(instruction.mnemonic)) return !instruction.mnemonic.empty();
  // A jump's operand counts words from the next instruction on; a negative one is printed as 16 bits.
  if (const auto words = whole_number(trimmed(text.substr(instruction.mnemonic.size()))))
    instruction.target = instruction.address + instruction.bytes + std::int64_t{4} * static_cast<std::int16_t>(*words);
  return true;
}

Result<std::vector<DisassembledFunction>> read_amdgcn(std::string_view text) {
  FL_TRY(std::vector<DisassembledFunction> functions, read_disassembly(text));
  for (DisassembledFunction& function : functions) {
    while (!function.code.empty() && amdgcn_is_padding(function.code.back().mnemonic)) function.code.pop_back();
  }
  std::erase_if(functions, [](const DisassembledFunction& function) { return function.code.empty(); });
  return functions;
}

InstructionKind amdgcn_kind_of(const Instruction& instruction) {
  const std::string name = amdgcn_single(instruction.mnemonic);
  InstructionKind kind;
  kind.work = amdgcn_work_of(name);
  // A load that ends in shared memory passes no register.
  if (kind.work == "global load" && instruction.text.ends_with(" lds")) kind.work = "async copy";
  kind.is_padding = amdgcn_is_padding(name);
  kind.is_jump = amdgcn_jumps(name);
  kind.is_call = name.starts_with("s_swappc") || name.starts_with("s_call");
  kind.loads = kind.work.ends_with(" load");
  kind.stores = kind.work.ends_with(" store");
  kind.in_frame = kind.work.starts_with("local");
  if (kind.loads || kind.stores) kind.access_bytes = amdgcn_access_bytes_of(name);
  kind.flops = amdgcn_flops_of(name, kind.work);
  kind.is_fused_multiply_add = kind.work != "tensor" && kind.flops > 0 && (has(name, "fma") || has(name, "_mac"));
  if (const std::string_view second = amdgcn_second_of(instruction.text); !second.empty()) {
    const std::string other = amdgcn_single(second);
    kind.flops += amdgcn_flops_of(other, amdgcn_work_of(other));
  }
  return kind;
}

void add_amdgcn_registers(const Instruction& instruction, std::set<std::string>& own, std::set<std::string>& uniform) {
  const std::string_view text = instruction.text;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    const char kind = text[at];
    if (is_word(text[at - 1]) || (kind != 'v' && kind != 'a' && kind != 's')) continue;
    // "v7" or "v[10:13]"
    const bool several = text[at + 1] == '[';
    std::size_t end = at + 1;
    while (end < text.size() && (several ? text[end] != ']' : is_word(text[end]))) ++end;
    const auto ends = split(text.substr(at + (several ? 2 : 1), end - at - (several ? 2 : 1)), ':');
    const auto first = whole_number(ends.front()), last = whole_number(ends.back());
    if (!first || !last) continue;
    for (int number = *first; number <= *last; ++number) (kind == 's' ? uniform : own).insert(kind + std::to_string(number));
  }
}

}  // namespace fuselab::profile
