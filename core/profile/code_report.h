// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields/fields.h"

namespace fuselab {

// The prediction of one loop body by a static model of the processor (llvm-mca), which knows no caches: every load hits the first.
struct LoopPrediction {
  std::string program;               // "llvm-mca 22.1.8"
  std::string processor;             // the model's: "znver4"
  double cycles = 0;                 // of one iteration in a long run of them
  double reciprocal_throughput = 0;  // of one iteration, if nothing but ports and dispatch limited it
  double instructions_per_cycle = 0;
  double data_dependency_share = 0;    // of the cycles, in which execution waited for results
  double resource_pressure_share = 0;  // of the cycles, in which it waited for a unit
  std::string busiest_resource;        // "Zn3FP2", with the most pressure
  double busiest_cycles = 0;           // of it in one iteration
  bool stands_in = false;              // the program has no model of this processor: it is another's

  // Results are waited for longer than units: more independent work would fit in the same cycles.
  bool is_latency_bound() const { return reciprocal_throughput > 0 && cycles > 1.25 * reciprocal_throughput; }
};

constexpr auto fields_of(const LoopPrediction*) {
  using fields::field;
  using Loop = LoopPrediction;
  return fields::list<Loop>(
      field("program", &Loop::program), field("processor", &Loop::processor), field("cycles", &Loop::cycles),
      field("reciprocal_throughput", &Loop::reciprocal_throughput), field("instructions_per_cycle", &Loop::instructions_per_cycle),
      field("data_dependency_share", &Loop::data_dependency_share),
      field("resource_pressure_share", &Loop::resource_pressure_share), field("busiest_resource", &Loop::busiest_resource),
      field("busiest_cycles", &Loop::busiest_cycles), field("stands_in", &Loop::stands_in));
}

// How many instructions of a GPU's machine code do one kind of work: "fp32", "tensor", "global load", "local store", "barrier", ….
struct WorkCount {
  std::string work;
  int instructions = 0;
};

constexpr auto fields_of(const WorkCount*) {
  using fields::field;
  return fields::list<WorkCount>(field("work", &WorkCount::work), field("instructions", &WorkCount::instructions));
}

// One loop of a kernel's machine code: the instructions from the target of a backward jump to the jump. All counts are of the
// instructions in the text, each once; instructions of inner loops are theirs alone.
struct LoopReport {
  int step = 0;                      // of the plan
  std::string function;              // empty in a stripped binary
  std::int64_t first = 0, last = 0;  // addresses of its first and its last instruction
  int depth = 1;                     // 1: in no other loop
  bool innermost = true;
  std::vector<std::pair<int, int>> lines = {};  // of the source: first and last line; empty without line information
  int instructions = 0;
  int bytes = 0;                                    // of code
  int vector_registers = 0, general_registers = 0;  // distinct ones that are named
  int widest_vector_bits = 0;
  int vector_instructions = 0, fused_multiply_adds = 0;
  int loads = 0, stores = 0;
  int loaded_bytes = 0, stored_bytes = 0;  // by one pass over the instructions, prefetches excepted
  int spill_stores = 0, spill_loads = 0;   // stores to and loads from the stack frame
  int unaligned = 0;                       // vector accesses by instructions that allow any address
  int nontemporal = 0, prefetches = 0, divides = 0, square_roots = 0, calls = 0, gathers = 0;
  double flops = 0;                  // by one pass: lanes of arithmetic instructions, 2 for a fused multiply-add
  std::vector<WorkCount> mix = {};   // of a GPU, the most frequent kind first; what a processor does is counted above
  std::optional<std::int64_t> hits;  // CounterSet::hits in it, inner loops excepted
  std::optional<LoopPrediction> prediction;
  std::string why_no_prediction;

  double vector_share() const { return instructions > 0 ? static_cast<double>(vector_instructions) / instructions : 0; }
  double spill_share() const { return instructions > 0 ? static_cast<double>(spill_stores + spill_loads) / instructions : 0; }
};

constexpr auto fields_of(const LoopReport*) {
  using fields::field;
  using Loop = LoopReport;
  return fields::list<Loop>(
      field("step", &Loop::step), field("function", &Loop::function), field("first", &Loop::first), field("last", &Loop::last),
      field("depth", &Loop::depth), field("innermost", &Loop::innermost), field("lines", &Loop::lines),
      field("instructions", &Loop::instructions), field("bytes", &Loop::bytes), field("vector_registers", &Loop::vector_registers),
      field("general_registers", &Loop::general_registers), field("widest_vector_bits", &Loop::widest_vector_bits),
      field("vector_instructions", &Loop::vector_instructions), field("fused_multiply_adds", &Loop::fused_multiply_adds),
      field("loads", &Loop::loads), field("stores", &Loop::stores), field("loaded_bytes", &Loop::loaded_bytes),
      field("stored_bytes", &Loop::stored_bytes), field("spill_stores", &Loop::spill_stores),
      field("spill_loads", &Loop::spill_loads), field("unaligned", &Loop::unaligned), field("nontemporal", &Loop::nontemporal),
      field("prefetches", &Loop::prefetches), field("divides", &Loop::divides), field("square_roots", &Loop::square_roots),
      field("calls", &Loop::calls), field("gathers", &Loop::gathers), field("flops", &Loop::flops), field("mix", &Loop::mix),
      field("hits", &Loop::hits), field("prediction", &Loop::prediction), field("why_no_prediction", &Loop::why_no_prediction));
}

// One instruction, for the view of source and machine code side by side.
struct CodeLine {
  int step = 0;
  std::int64_t address = 0;
  std::string text;  // in the disassembler's syntax
  int line = 0;      // of the source; 0: not known
  int loop = -1;     // index of the innermost loop around it; -1: none
  std::int64_t hits = 0;
  // By the model of the processor: cycles that a unit is busy with it, and cycles until its result is there; 0: not modelled.
  double cycles = 0;
  int latency = 0;
  std::string function = {};  // around it; empty in a stripped binary
};

constexpr auto fields_of(const CodeLine*) {
  using fields::field;
  return fields::list<CodeLine>(field("step", &CodeLine::step), field("address", &CodeLine::address),
                                field("text", &CodeLine::text), field("line", &CodeLine::line), field("loop", &CodeLine::loop),
                                field("hits", &CodeLine::hits), field("cycles", &CodeLine::cycles),
                                field("latency", &CodeLine::latency), field("function", &CodeLine::function));
}

// A function of a GPU's machine code, loops and what lies outside of them together.
struct FunctionReport {
  int step = 0;  // of the plan
  std::string function;
  int instructions = 0;
  int bytes = 0;               // of code
  std::vector<WorkCount> mix;  // the most frequent kind first
};

constexpr auto fields_of(const FunctionReport*) {
  using fields::field;
  using Report = FunctionReport;
  return fields::list<Report>(field("step", &Report::step), field("function", &Report::function),
                              field("instructions", &Report::instructions), field("bytes", &Report::bytes),
                              field("mix", &Report::mix));
}

// The machine code of a plan's kernels.
struct CodeReport {
  std::string disassembler;  // "GNU objdump (GNU Binutils for Debian) 2.40"; empty: see why_not
  std::string why_not;       // why there is no machine code to look at
  std::string why_no_lines;  // why instructions have no line of the source; empty where they have
  std::string why_no_prediction;
  std::vector<FunctionReport> functions = {};  // of a GPU
  std::vector<LoopReport> loops;
  std::vector<CodeLine> code;

  // Returns the instruction at an address of a function of a step; null: there is none. A GPU's functions all begin at address 0.
  // Without a function's name it is the first one at that address: a processor's binary has each address once.
  const CodeLine* find(int step, std::string_view function, std::int64_t address) const;
  // Returns whether a step, or any, multiplies matrices by warp groups (Hopper's wgmma).
  bool has_warp_groups(std::optional<int> step = {}) const;
  // Returns the loop that most of the time was seen in; where nothing was sampled, the innermost loop that computes and moves most.
  // Null where there is no loop.
  const LoopReport* hottest() const;
};

constexpr auto fields_of(const CodeReport*) {
  using fields::field;
  using Report = CodeReport;
  return fields::list<Report>(field("disassembler", &Report::disassembler), field("why_not", &Report::why_not),
                              field("why_no_lines", &Report::why_no_lines), field("why_no_prediction", &Report::why_no_prediction),
                              field("functions", &Report::functions), field("loops", &Report::loops), field("code", &Report::code));
}

}  // namespace fuselab
