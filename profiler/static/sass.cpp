// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/sass.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>

#include "profiler/static/text_parts.h"

namespace fuselab::profile {
namespace {

// The first row that a mnemonic begins with says what it works on.
constexpr WorkRow kWork[] = {
    {"HFMA2.MMA", "fp16"},     {"HMMA", "tensor"},       {"IMMA", "tensor"},
    {"DMMA", "tensor"},        {"QMMA", "tensor"},       {"OMMA", "tensor"},
    {"BMMA", "tensor"},        {"HGMMA", "tensor"},      {"IGMMA", "tensor"},
    {"QGMMA", "tensor"},       {"BGMMA", "tensor"},      {"UTCHMMA", "tensor"},
    {"UTCQMMA", "tensor"},     {"UTCIMMA", "tensor"},    {"UTCOMMA", "tensor"},
    {"LDGSTS", "async copy"},  {"UTMA", "async copy"},   {"UBLK", "async copy"},
    {"LDGDEPBAR", "barrier"},  {"LDGMC", "global load"}, {"LDG", "global load"},
    {"LDSM", "shared load"},   {"LDS", "shared load"},   {"LDL", "local load"},
    {"LDC", "constant"},       {"ULDC", "constant"},     {"LDTM", "tensor memory"},
    {"STTM", "tensor memory"}, {"LD", "global load"},    {"STG", "global store"},
    {"STSM", "shared store"},  {"STS", "shared store"},  {"STAS", "async copy"},
    {"STL", "local store"},    {"ST", "global store"},   {"ATOM", "atomic"},
    {"RED.", "atomic"},        {"REDG", "atomic"},       {"REDUX", "shuffle"},
    {"SHFL", "shuffle"},       {"VOTE", "shuffle"},      {"MATCH", "shuffle"},
    {"FADD", "fp32"},          {"FMUL", "fp32"},         {"FFMA", "fp32"},
    {"FMNMX", "fp32"},         {"FSEL", "fp32"},         {"FSET", "fp32"},
    {"FCHK", "fp32"},          {"FSWZ", "fp32"},         {"HADD2", "fp16"},
    {"HMUL2", "fp16"},         {"HFMA2", "fp16"},        {"HSET", "fp16"},
    {"HMNMX2", "fp16"},        {"DADD", "fp64"},         {"DMUL", "fp64"},
    {"DFMA", "fp64"},          {"DSETP", "fp64"},        {"DMNMX", "fp64"},
    {"MUFU", "special"},       {"F2", "conversion"},     {"I2", "conversion"},
    {"FRND", "conversion"},    {"BAR", "barrier"},       {"SYNCS", "barrier"},
    {"WARP", "barrier"},       {"DEPBAR", "barrier"},    {"MEMBAR", "barrier"},
    {"FENCE", "barrier"},      {"ERRBAR", "barrier"},    {"UCGABAR", "barrier"},
    {"ARRIVES", "barrier"},    {"BRA", "control"},       {"BRX", "control"},
    {"JMP", "control"},        {"BSSY", "control"},      {"BSYNC", "control"},
    {"BREAK", "control"},      {"BMOV", "control"},      {"CALL", "control"},
    {"RET", "control"},        {"EXIT", "control"},      {"NOP", "control"},
    {"KILL", "control"},       {"YIELD", "control"},     {"NANOSLEEP", "control"},
    {"ELECT", "control"},      {"MOV", "move"},          {"UMOV", "move"},
    {"SEL", "move"},           {"PRMT", "move"},         {"S2", "move"},
    {"CS2R", "move"},          {"R2", "move"},           {"P2R", "move"},
    {"IADD", "integer"},       {"IMAD", "integer"},      {"ISETP", "integer"},
    {"IABS", "integer"},       {"IMNMX", "integer"},     {"IDP", "integer"},
    {"ISCADD", "integer"},     {"IMUL", "integer"},      {"LEA", "integer"},
    {"LOP", "integer"},        {"PLOP", "integer"},      {"SHF", "integer"},
    {"SHL", "integer"},        {"SHR", "integer"},       {"VIADD", "integer"},
    {"VIMNMX", "integer"},     {"VABS", "integer"},      {"POPC", "integer"},
    {"FLO", "integer"},        {"BREV", "integer"},      {"BMSK", "integer"},
    {"SGXT", "integer"},       {"TEX", "texture"},       {"TLD", "texture"},
    {"CCTL", "control"},       {"ACQ", "control"},       {"U", "uniform"},
};

std::string_view work_of(std::string_view mnemonic) {
  const std::string_view known = work_in(kWork, mnemonic);
  return known.empty() ? "other" : known;
}

// "64" of LDG.E.64: bits of a thread's access. Without such a part it is 32.
int access_bytes_of(const std::vector<std::string_view>& parts) {
  for (const std::string_view part : parts) {
    if (part == "64" || part == "128" || part == "256") return *whole_number(part) / 8;
    if (part == "U8" || part == "S8") return 1;
    if (part == "U16" || part == "S16") return 2;
  }
  return 4;
}

// "16816" of HMMA.16816 is 16×8×16, "64x128x16" of HGMMA says so itself. Without one of them 0: the descriptor has the shape.
double matrix_flops_of(const std::vector<std::string_view>& parts) {
  struct Shape {
    std::string_view name;
    double products;
  };
  constexpr Shape kShapes[] = {{"884", 8 * 8 * 4},     {"1684", 16 * 8 * 4},     {"1688", 16 * 8 * 8},
                               {"16816", 16 * 8 * 16}, {"16832", 16 * 8 * 32},   {"16864", 16 * 8 * 64},
                               {"8816", 8 * 8 * 16},   {"168128", 16 * 8 * 128}, {"168256", 16 * 8 * 256}};
  constexpr double kWarp = 32, kWarpGroup = 128;
  for (const std::string_view part : parts) {
    const auto* const shape = std::ranges::find(kShapes, part, &Shape::name);
    if (shape != std::end(kShapes)) return 2 * shape->products / kWarp;
    const auto extents = split(part, 'x');
    if (extents.size() != 3) continue;
    double products = 1;
    for (const std::string_view extent : extents) products *= whole_number(extent).value_or(0);
    if (products > 0) return 2 * products / kWarpGroup;
  }
  return 0;
}

double flops_of(std::string_view work, const std::vector<std::string_view>& parts) {
  const std::string_view name = parts.front();
  if (work == "move") return 0;
  if (work == "tensor") return matrix_flops_of(parts);
  const bool multiplies_and_adds = name.starts_with("FFMA") || name.starts_with("DFMA") || name.starts_with("HFMA2");
  const bool counts = multiplies_and_adds || name.starts_with("FADD") || name.starts_with("FMUL") || name.starts_with("DADD") ||
                      name.starts_with("DMUL") || name.starts_with("HADD2") || name.starts_with("HMUL2");
  if (!counts) return 0;
  // FFMA2, FADD2 and FMUL2 of Blackwell work on two numbers, as all of two halves do.
  const double lanes = name.ends_with('2') && !name.starts_with("D") ? 2 : 1;
  return lanes * (multiplies_and_adds ? 2 : 1);
}

// Reads "@!P0 BRA `(.L_x_1) ;". The label of a jump is returned in `label`.
void read_text(std::string_view text, Instruction& instruction, std::string& label) {
  text = trimmed(text.substr(0, text.find(';')));
  instruction.text = text;
  if (text.starts_with('@')) text = trimmed(text.substr(std::min(text.find(' '), text.size())));
  instruction.mnemonic = text.substr(0, text.find(' '));
  const std::size_t open = text.find("`(");
  if (open != std::string_view::npos) label = text.substr(open + 2, text.find(')', open) - open - 2);
}

// A jump goes where its label says. What only names a place to meet again at does not jump there.
bool jumps(std::string_view mnemonic) {
  return mnemonic.starts_with("BRA") || mnemonic.starts_with("JMP");
}

class SassReader {
 public:
  void take(std::string_view line) {
    constexpr std::string_view kSection = ".section", kText = ".text.", kFile = "//## File ";
    line = trimmed(line);
    if (line.starts_with(kSection)) {
      const std::string_view name = trimmed(line.substr(kSection.size()));
      in_text_ = name.starts_with(kText);
      if (!in_text_) return;
      finish();
      functions_.push_back({std::string(name.substr(kText.size(), name.find(',') - kText.size())), {}});
      line_ = 0;
    } else if (!in_text_) {
      return;
    } else if (line.starts_with(kFile)) {
      constexpr std::string_view kLine = ", line ";
      const std::size_t at = line.find(kLine);
      if (at != std::string_view::npos) line_ = first_number(line.substr(at + kLine.size()));
    } else if (line.starts_with('.') && line.ends_with(':')) {
      waiting_.emplace_back(line.substr(0, line.size() - 1));
    } else if (line.starts_with("/*")) {
      take_instruction(line.substr(2));
    }
  }

  std::vector<DisassembledFunction> functions() {
    finish();
    std::erase_if(functions_, [](const DisassembledFunction& function) { return function.code.empty(); });
    return std::move(functions_);
  }

 private:
  static int first_number(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  void take_instruction(std::string_view text) {
    const std::size_t end = text.find("*/");
    if (end == std::string_view::npos) return;
    Instruction instruction;
    const auto read = std::from_chars(text.data(), text.data() + end, instruction.address, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + end) return;
    std::string label;
    read_text(text.substr(end + 2), instruction, label);
    if (instruction.mnemonic.empty()) return;
    instruction.line = line_;
    std::vector<Instruction>& code = functions_.back().code;
    if (!code.empty()) code.back().bytes = static_cast<int>(instruction.address - code.back().address);
    for (const std::string& each : waiting_) labels_[each] = instruction.address;
    waiting_.clear();
    if (!label.empty() && jumps(instruction.mnemonic)) jumps_.emplace_back(code.size(), label);
    code.push_back(std::move(instruction));
  }

  // Labels may stand behind the jumps to them.
  void finish() {
    constexpr int kUsualBytes = 16;
    if (!functions_.empty() && !functions_.back().code.empty()) {
      std::vector<Instruction>& code = functions_.back().code;
      code.back().bytes = code.size() > 1 ? code.front().bytes : kUsualBytes;
      for (const auto& [index, label] : jumps_) {
        if (const auto found = labels_.find(label); found != labels_.end()) code[index].target = found->second;
      }
      // Behind the end of each function stands a jump to itself, and padding.
      code.erase(std::ranges::find_if(code, [](const Instruction& each) { return each.target == each.address; }), code.end());
    }
    jumps_.clear();
    labels_.clear();
    waiting_.clear();
  }

  std::vector<DisassembledFunction> functions_;
  std::map<std::string, std::int64_t> labels_;
  std::vector<std::string> waiting_;  // labels of the next instruction
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  bool in_text_ = false;
  int line_ = 0;
};

}  // namespace

Result<std::vector<DisassembledFunction>> read_sass(std::string_view text) {
  SassReader reader;
  for (const std::string_view line : split(text, '\n')) reader.take(line);
  std::vector<DisassembledFunction> functions = reader.functions();
  if (functions.empty()) return Error{ErrorCode::kCorrupt, "the disassembler printed no instruction that could be read"};
  return functions;
}

InstructionKind sass_kind_of(const Instruction& instruction) {
  const auto parts = split(instruction.mnemonic, '.');
  InstructionKind kind;
  // Adding two halves of a constant to nothing is how a constant comes into a register where that unit is free.
  const bool is_constant = instruction.mnemonic.starts_with("HFMA2") && instruction.text.find("-RZ, RZ, ") != std::string::npos;
  kind.work = is_constant ? "move" : work_of(instruction.mnemonic);
  kind.is_padding = instruction.mnemonic == "NOP";
  kind.is_jump = jumps(instruction.mnemonic);
  kind.is_call = instruction.mnemonic.starts_with("CALL");
  kind.loads = kind.work.ends_with(" load");
  kind.stores = kind.work.ends_with(" store");
  kind.in_frame = kind.work.starts_with("local");
  if (kind.loads || kind.stores) kind.access_bytes = access_bytes_of(parts);
  kind.flops = flops_of(kind.work, parts);
  kind.is_fused_multiply_add = kind.work != "tensor" && kind.flops > 0 && parts.front().find("FMA") != std::string_view::npos;
  return kind;
}

void add_sass_registers(const Instruction& instruction, std::set<std::string>& own, std::set<std::string>& uniform) {
  const std::string_view text = instruction.text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    if (!begins || (text[at] != 'R' && text[at] != 'U')) continue;
    const bool is_uniform = text.substr(at).starts_with("UR");
    const std::size_t digits = at + (is_uniform ? 2 : 1);
    std::size_t end = digits;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    const bool ends = end == text.size() || (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_');
    if (end > digits && ends) (is_uniform ? uniform : own).emplace(text.substr(at, end - at));
  }
}

}  // namespace fuselab::profile
