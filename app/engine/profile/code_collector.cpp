// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/code_collector.h"

#include <algorithm>
#include <map>

#include "app/engine/profile/disassembler.h"
#include "core/platform/processes/program_run.h"
#include "profiler/static/loop_report.h"
#include "profiler/static/mca_input.h"
#include "profiler/static/mca_processor.h"
#include "profiler/static/mca_report.h"

namespace fuselab::engine {
namespace {

constexpr std::size_t kMostPredicted = 16;  // loops, the hottest first

// Returns whether every instruction of the one stands at the same address in the other. What the linker adds is in a stripped
// binary without names, so that only the other can leave it out.
bool holds(const std::vector<profile::DisassembledFunction>& stripped, const std::vector<profile::DisassembledFunction>& lined) {
  std::multimap<std::int64_t, const profile::Instruction*> by_address;  // each function of a GPU begins at address 0
  for (const auto& function : stripped) {
    for (const profile::Instruction& instruction : function.code) by_address.emplace(instruction.address, &instruction);
  }
  return std::all_of(lined.begin(), lined.end(), [&](const profile::DisassembledFunction& function) {
    return std::all_of(function.code.begin(), function.code.end(), [&](const profile::Instruction& instruction) {
      const auto [first, last] = by_address.equal_range(instruction.address);
      return std::any_of(first, last, [&](const auto& each) {
        return each.second->mnemonic == instruction.mnemonic && each.second->bytes == instruction.bytes;
      });
    });
  });
}

// Returns the kernel's code with lines of its source, or the code alone with the reason.
std::vector<profile::DisassembledFunction> with_lines(std::vector<profile::DisassembledFunction> plain,
                                                      const CompiledKernel& kernel, const Disassembler& disassembler,
                                                      const DeviceInfo& device, WorkerPool& workers, const std::stop_token& stop,
                                                      std::string& why_not) {
  const auto has_lines = [](const profile::DisassembledFunction& function) {
    return std::ranges::any_of(function.code, [](const profile::Instruction& each) { return each.line > 0; });
  };
  if (std::ranges::any_of(plain, has_lines)) return plain;
  CompiledKernel source = kernel;
  source.binary = {};
  Target target = device.target;
  target.id = kernel.identity.target;
  const auto again =
      workers.recompile({device.backend, target, std::move(source), kernel.identity.flags + disassembler.line_flags()}, stop);
  if (!again.ok()) {
    why_not = again.error().message;
    return plain;
  }
  auto lined = disassembler.read(again.value().binary.data, stop);
  if (!lined.ok()) {
    why_not = lined.error().message;
    return plain;
  }
  if (!holds(plain, lined.value())) {
    why_not = "compiled with lines of the source, the instructions differ";
    return plain;
  }
  return std::move(lined).value();
}

void take_costs(const std::string& text, const LoopReport& loop, CodeReport& report) {
  const auto places = profile::modelled_code(report, loop);
  const auto costs = profile::read_mca_costs(text);
  if (places.size() != costs.size()) return;
  for (std::size_t i = 0; i < places.size(); ++i) {
    report.code[places[i]].cycles = costs[i].cycles;
    report.code[places[i]].latency = costs[i].latency;
  }
}

// The program that models processors, and which of them it models here.
class Model {
 public:
  Model(std::filesystem::path program, const DeviceInfo& device, std::stop_token stop)
      : program_(std::move(program)), device_(device), stop_(std::move(stop)) {
    const auto version = platform::run_program({program_, {"--version"}}, stop_);
    known_ = profile::read_mca_version(version.ok() ? version.value() : "");
  }

  Result<LoopPrediction> predict(const std::string& input) {
    // This CPU says nothing of a target without a device.
    const bool own = device_.id != device_.target.id && profile::names_processor(known_.processor);
    const std::string processor = own ? "native" : stand_in(profile::probe_for(input));
    if (processor.empty()) return Error{ErrorCode::kUnsupported, "this llvm-mca has no model of a CPU with such instructions"};
    FL_TRY(printed_, run(processor, input));
    FL_TRY(LoopPrediction prediction, profile::read_mca_report(printed_));
    prediction.program = program_.filename().string() + (known_.version.empty() ? "" : " " + known_.version);
    prediction.processor = own ? known_.processor : processor;
    prediction.stands_in = !own;
    return prediction;
  }
  // What it printed of the loop that was predicted last.
  const std::string& printed() const { return printed_; }

 private:
  Result<std::string> run(const std::string& processor, const std::string& input) const {
    platform::ProgramRun run;
    run.program = program_;
    // A virtual machine may hide what the model of its processor has; the loop runs here, so it may use all of it.
    run.arguments = {"-mtriple=x86_64", "-mcpu=" + processor, "-mattr=+avx2,+fma,+f16c,+bmi,+bmi2", "-iterations=200",
                     "-bottleneck-analysis"};
    if (input.find("zmm") != std::string::npos || input.find("%k") != std::string::npos)
      run.arguments[2] += ",+avx512f,+avx512vl,+avx512bw,+avx512dq";
    run.arguments.emplace_back("-");
    run.input = input;
    return platform::run_program(run, stop_);
  }

  // Returns the first processor that the program models with this instruction; empty: none.
  std::string stand_in(const std::string& probe) {
    if (const auto found = stand_ins_.find(probe); found != stand_ins_.end()) return found->second;
    std::string& chosen = stand_ins_[probe];
    for (const std::string& processor : profile::stand_in_processors(device_.name)) {
      if (const auto text = run(processor, probe); !text.ok() || !profile::read_mca_report(text.value()).ok()) continue;
      chosen = processor;
      break;
    }
    return chosen;
  }

  std::filesystem::path program_;
  const DeviceInfo& device_;
  std::stop_token stop_;
  profile::McaVersion known_;
  std::string printed_;
  std::map<std::string, std::string> stand_ins_;  // by the instruction that was asked for
};

void predict(CodeReport& report, const DeviceInfo& device, const std::stop_token& stop) {
  const auto program = platform::find_program({"llvm-mca-22", "llvm-mca-21", "llvm-mca-20", "llvm-mca-19", "llvm-mca-18",
                                               "llvm-mca-17", "llvm-mca-16", "llvm-mca-15", "llvm-mca-14", "llvm-mca"});
  if (!program) {
    report.why_no_prediction = "no llvm-mca in $PATH (llvm-mca-22 … llvm-mca-14, llvm-mca): apt-get install llvm";
    return;
  }
  Model model(*program, device, stop);
  std::vector<LoopReport*> order;
  for (LoopReport& loop : report.loops) order.push_back(&loop);
  const auto weight = [](const LoopReport* loop) { return loop->flops + loop->loaded_bytes + loop->stored_bytes; };
  std::stable_sort(order.begin(), order.end(), [&](const LoopReport* a, const LoopReport* b) { return weight(a) > weight(b); });
  std::size_t predicted = 0;
  for (LoopReport* const loop : order) {
    const std::string input = profile::mca_input(report, *loop, loop->why_no_prediction);
    if (input.empty()) continue;
    if (predicted++ >= kMostPredicted) {
      loop->why_no_prediction = "only the " + std::to_string(kMostPredicted) + " largest loops are predicted";
      continue;
    }
    auto prediction = model.predict(input);
    if (!prediction.ok()) {
      loop->why_no_prediction = prediction.error().message;
      continue;
    }
    loop->prediction = std::move(prediction).value();
    take_costs(model.printed(), *loop, report);
  }
}

}  // namespace

CodeReport collect_code(const std::vector<CompiledKernel>& kernels, const DeviceInfo& device, WorkerPool& workers,
                        const std::stop_token& stop) {
  CodeReport report;
  const auto disassembler = kernels.empty() ? Result<Disassembler>(Error{ErrorCode::kNotFound, "the plan has no kernel"})
                                            : Disassembler::find(kernels.front().binary.format, kernels.front().identity.target);
  if (!disassembler.ok()) {
    report.why_not = device.id + ": " + disassembler.error().message;
    return report;
  }
  report.disassembler = disassembler.value().version(stop);
  for (std::size_t step = 0; step < kernels.size(); ++step) {
    auto plain = disassembler.value().read(kernels[step].binary.data, stop);
    if (!plain.ok()) {
      report.why_not = plain.error().message;
      return report;
    }
    const auto functions =
        with_lines(std::move(plain).value(), kernels[step], disassembler.value(), device, workers, stop, report.why_no_lines);
    profile::add_code(functions, static_cast<int>(step), report, disassembler.value().set());
  }
  // No model of a GPU's scheduler is at hand.
  if (disassembler.value().set() == profile::InstructionSet::kX86) predict(report, device, stop);
  return report;
}

}  // namespace fuselab::engine
