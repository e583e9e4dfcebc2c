// SPDX-License-Identifier: Apache-2.0
#include "profiler/static/loop_report.h"

#include <algorithm>
#include <map>
#include <set>

#include "profiler/static/amdgcn.h"
#include "profiler/static/loops.h"
#include "profiler/static/sass.h"

namespace fuselab::profile {
namespace {

// Returns whether a function sets %rbp to its frame: `mov %rsp,%rbp`.
bool has_frame_pointer(const std::vector<Instruction>& code) {
  return std::any_of(code.begin(), code.end(), [](const Instruction& each) {
    return each.mnemonic.starts_with("mov") && each.operands.size() == 2 &&
           each.operands[0].registers == std::vector<std::string>{"rsp"} &&
           each.operands[1].registers == std::vector<std::string>{"rbp"} && each.operands[0].kind == Operand::Kind::kRegister;
  });
}

void count(const Instruction& instruction, const InstructionKind& kind, LoopReport& loop) {
  ++loop.instructions;
  loop.bytes += instruction.bytes;
  if (kind.is_packed) {
    ++loop.vector_instructions;
    loop.widest_vector_bits = std::max(loop.widest_vector_bits, kind.vector_bits);
  }
  loop.fused_multiply_adds += kind.is_fused_multiply_add ? 1 : 0;
  loop.loads += kind.loads ? 1 : 0;
  loop.stores += kind.stores ? 1 : 0;
  loop.loaded_bytes += kind.loads ? kind.access_bytes : 0;
  loop.stored_bytes += kind.stores ? kind.access_bytes : 0;
  loop.spill_loads += kind.loads && kind.in_frame ? 1 : 0;
  loop.spill_stores += kind.stores && kind.in_frame ? 1 : 0;
  loop.unaligned += kind.is_unaligned ? 1 : 0;
  loop.nontemporal += kind.is_nontemporal ? 1 : 0;
  loop.prefetches += kind.is_prefetch ? 1 : 0;
  loop.divides += kind.is_divide ? 1 : 0;
  loop.square_roots += kind.is_square_root ? 1 : 0;
  loop.calls += kind.is_call ? 1 : 0;
  loop.gathers += kind.is_gather ? 1 : 0;
  loop.flops += kind.flops;
}

// The registers and lines that the instructions of one loop name, and the work that they do.
struct Named {
  std::set<std::string> vectors, generals;  // of a GPU: a thread's own ones, and those of a whole warp
  std::set<int> lines;
  std::map<std::string_view, int> work;

  void add(const Instruction& instruction, const InstructionKind& kind, InstructionSet set) {
    if (instruction.line > 0) lines.insert(instruction.line);
    if (!kind.work.empty()) ++work[kind.work];
    if (set == InstructionSet::kSass) return add_sass_registers(instruction, vectors, generals);
    if (set == InstructionSet::kAmdgcn) return add_amdgcn_registers(instruction, vectors, generals);
    for (const Operand& operand : instruction.operands) {
      for (const std::string& name : operand.registers) {
        if (vector_bits_of(name) > 0) vectors.insert(whole_register(name));
        if (general_bytes_of(name) > 0) generals.insert(whole_register(name));
      }
    }
  }
};

InstructionKind kind_in(InstructionSet set, const Instruction& instruction, bool frame_pointer) {
  switch (set) {
    case InstructionSet::kX86: return kind_of(instruction, frame_pointer);
    case InstructionSet::kSass: return sass_kind_of(instruction);
    case InstructionSet::kAmdgcn: return amdgcn_kind_of(instruction);
  }
  FL_ASSERT(false);
}

std::vector<WorkCount> mix_of(const std::map<std::string_view, int>& work) {
  std::vector<WorkCount> mix;
  for (const auto& [name, count] : work) mix.push_back({std::string(name), count});
  std::ranges::stable_sort(mix, std::greater(), &WorkCount::instructions);
  return mix;
}

// Returns the lines as ranges; lines with up to three others between them belong together, as they do for a reader.
std::vector<std::pair<int, int>> ranges_of(const std::set<int>& lines) {
  constexpr int kBetween = 3;
  std::vector<std::pair<int, int>> ranges;
  for (const int line : lines) {
    if (!ranges.empty() && line <= ranges.back().second + kBetween + 1) {
      ranges.back().second = line;
    } else {
      ranges.emplace_back(line, line);
    }
  }
  return ranges;
}

}  // namespace

void add_code(const std::vector<DisassembledFunction>& functions, int step, CodeReport& report, InstructionSet set) {
  for (const DisassembledFunction& function : functions) {
    const std::vector<Instruction>& code = function.code;
    const bool is_gpu = set != InstructionSet::kX86, frame_pointer = !is_gpu && has_frame_pointer(code);
    FunctionReport whole;
    whole.step = step;
    whole.function = function.name;
    std::map<std::string_view, int> work;
    const std::vector<Loop> loops = find_loops(code);
    std::vector<int> loop_of(code.size(), -1);  // innermost: inner loops come after those around them
    for (std::size_t index = 0; index < loops.size(); ++index) {
      std::fill(loop_of.begin() + static_cast<std::ptrdiff_t>(loops[index].begin),
                loop_of.begin() + static_cast<std::ptrdiff_t>(loops[index].end), static_cast<int>(index));
    }
    const int first = static_cast<int>(report.loops.size());
    std::vector<Named> named(loops.size());
    for (const Loop& loop : loops) {
      LoopReport& row = report.loops.emplace_back();
      row.step = step;
      row.function = function.name;
      row.first = code[loop.begin].address;
      row.last = code[loop.end - 1].address;
      row.depth = loop.depth;
      row.innermost = loop.innermost;
    }
    for (std::size_t i = 0; i < code.size(); ++i) {
      const InstructionKind kind = kind_in(set, code[i], frame_pointer);
      if (!kind.is_padding) {
        ++whole.instructions;
        whole.bytes += code[i].bytes;
        ++work[kind.work];
      }
      report.code.push_back(
          {step, code[i].address, code[i].text, code[i].line, loop_of[i] < 0 ? -1 : first + loop_of[i], 0, 0, 0, function.name});
      if (loop_of[i] < 0 || kind.is_padding) continue;
      count(code[i], kind, report.loops[static_cast<std::size_t>(first + loop_of[i])]);
      named[static_cast<std::size_t>(loop_of[i])].add(code[i], kind, set);
    }
    for (std::size_t index = 0; index < loops.size(); ++index) {
      LoopReport& row = report.loops[static_cast<std::size_t>(first) + index];
      row.vector_registers = static_cast<int>(named[index].vectors.size());
      row.general_registers = static_cast<int>(named[index].generals.size());
      row.lines = ranges_of(named[index].lines);
      row.mix = mix_of(named[index].work);
    }
    whole.mix = mix_of(work);
    if (is_gpu) report.functions.push_back(std::move(whole));
  }
}

void add_hits(const std::vector<CodeHit>& hits, CodeReport& report) {
  if (hits.empty()) return;
  for (LoopReport& loop : report.loops) loop.hits = 0;
  for (const CodeHit& hit : hits) {
    const CodeLine* const found = report.find(hit.step, hit.function, hit.address);
    if (found == nullptr) continue;
    CodeLine& line = report.code[static_cast<std::size_t>(found - report.code.data())];
    line.hits += hit.hits;
    if (line.loop < 0) continue;
    std::optional<std::int64_t>& seen = report.loops[static_cast<std::size_t>(line.loop)].hits;
    seen = seen.value_or(0) + hit.hits;
  }
}

}  // namespace fuselab::profile
