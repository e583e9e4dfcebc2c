// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/canned_profile.h"

#include "tests/support/sample_timelines.h"

namespace fuselab::gui::test {
namespace {

CodeReport canned_code() {
  CodeReport code;
  code.disassembler = "GNU objdump";
  LoopReport& loop = code.loops.emplace_back();
  loop.function = "row";
  loop.first = 0x1130;
  loop.last = 0x1150;
  loop.lines = {{4, 5}};
  loop.instructions = 7;
  loop.bytes = 36;
  loop.vector_registers = 3;
  loop.general_registers = 3;
  loop.widest_vector_bits = 256;
  loop.vector_instructions = 4;
  loop.loads = 2;
  loop.stores = 1;
  loop.loaded_bytes = 64;
  loop.stored_bytes = 32;
  loop.flops = 16;
  loop.hits = 180;
  loop.prediction = LoopPrediction{"llvm-mca 14.0.6", "znver3", 2.1, 2, 3.3, 0.1, 0.4, "Zn3FPP45", 2};
  code.code = {{0, 0x1120, "xor %eax,%eax", 3, -1, 0, 0, 0},
               {0, 0x1130, "vmovups (%rdi,%rax,1),%ymm0", 4, 0, 64, 0.5, 8},
               {0, 0x1136, "vaddps (%rsi,%rax,1),%ymm0,%ymm0", 4, 0, 71, 0.5, 10},
               {0, 0x113b, "vmaxps %ymm1,%ymm0,%ymm0", 5, 0, 12, 0.5, 1},
               {0, 0x113f, "vmovups %ymm0,(%rdx,%rax,1)", 5, 0, 33, 1, 1},
               {0, 0x1144, "add $0x20,%rax", 3, 0, 0, 0.25, 1},
               {0, 0x1148, "cmp %rcx,%rax", 3, 0, 0, 0.25, 1},
               {0, 0x1150, "jne 1130", 3, 0, 0, 0.5, 1},
               {0, 0x1152, "ret", 7, -1, 2, 0, 0}};
  return code;
}

KernelReport canned_kernel() {
  KernelReport kernel{0, "row", "sm_90", {}, "registers", ""};
  kernel.text =
      "sm_90: 4 blocks of 256 threads fit on a multiprocessor, 50 % of its warps, limited by registers; 16 registers fewer (48 a "
      "thread) let 5 in, 62 % of its warps";
  for (const auto& [name, value] :
       {std::pair{"static_registers", 64.0}, std::pair{"static_spill_stores", 0.0}, std::pair{"static_shared", 4096.0},
        std::pair{"static_blocks", 4.0}, std::pair{"static_occupancy", 0.5}})
    kernel.metrics.push_back({name, value, "", "nvrtc 13.0", 1, false});
  return kernel;
}

}  // namespace

engine::ProfileView canned_profile() {
  engine::ProfileView view;
  view.model = "w3-residual-rmsnorm";
  view.binding = "rows=4096,cols=4096";
  view.level = "O2";
  view.sources = {
      "// One row.\nvoid row(const float* a, const float* b, float* y, long n) {\n  for (long i = 0; i < n; i += 8) {\n"
      "    v8 x = load(a + i) + load(b + i);\n    store(y + i, max(x, zero));\n  }\n}\n"};
  Profile& profile = view.profile;
  profile.trial_id = "5bb59fb5-0933";
  profile.piece = "Add+Relu";
  profile.device_id = "cpu:0";
  profile.device = "a processor";
  profile.plan = "fused";
  profile.config = "threads=2,vector=8";
  profile.median_ns = 7.7e6;
  profile.low_ns = 7.4e6;
  profile.high_ns = 8e6;
  profile.measured_by = "trial";
  Standing& standing = profile.standing;
  standing.flops = 3.4e7;
  standing.compulsory_bytes = 2e8;
  standing.peak_flops = 2e11;
  standing.compute_ns = 1.7e5;
  standing.compute_share = 0.02;
  standing.launch_ns = 2200;
  standing.threads = 2;
  standing.device_threads = 2;
  standing.levels = {{"L1", 4e11, 2.2e8, "code", 5.5e5, 0.07, false},
                     {"L2", 2e11, 2e8, "compulsory", 1e6, 0.13, false},
                     {"L3", 9e10, 2e8, "compulsory", 2.2e6, 0.29, false},
                     {"memory", 3.1e10, 2e8, "compulsory", 6.5e6, 0.84, true}};
  profile.code = canned_code();
  profile.kernels = {canned_kernel()};
  profile.counters.rung = "software";
  profile.counters.passed_over = {"generic: this machine shows no PMU of its CPU, as virtual machines often do"};
  profile.counters.metrics = {{"task_clock", 1.5e7, "", "perf_event: task-clock", 1, false},
                              {"processors_used", 1.95, "", "derived", 1, false},
                              {"frequency", 3.2e9, "", "a chain of dependent additions", 1, false},
                              {"cycles", std::nullopt, "no PMU", "perf_event: cpu-cycles", 1, false}};
  profile.trace = fuselab::test::sample_trace();
  profile.series = fuselab::test::sample_series();
  profile.samples = fuselab::test::sample_samples();
  profile.sweep.points = {{"as it is", 7.7e6, 7.5e6, 7.9e6, 2e8, 3.4e7, 2, "memory", ""},
                          {"rows=320", 2.1e5, 2e5, 2.2e5, 1.6e7, 2.6e6, 2, "L3", ""},
                          {"rows=16", 6e3, 5.9e3, 6.2e3, 7.9e5, 1.3e5, 2, "L2", ""}};
  profile.split.measured = 1.2;
  profile.split.predicted = 1.19;
  profile.split.parts = {{"memory traffic", 6.7e7, "B", 1.9e6, "67 MB of intermediates are not moved", ""},
                         {"launches", 1, "launches", 220, "1 launch less", ""}};
  profile.verdict.bound = Bound::kMemory;
  profile.verdict.where = "memory";
  profile.verdict.certainty = Certainty::kSure;
  profile.verdict.text = "Bound by memory: the time goes into moving data (sure). 201 MB (compulsory) through memory take 6.50 ms.";
  profile.verdict.findings = {{Bound::kMemory, "memory", 0.84, {"201 MB (compulsory) through memory take 6.50 ms"}, {"roofline"}}};
  profile.verdict.look_at = {"memory, up to 84 % of the time: move fewer bytes"};
  profile.collectors = {{"code", 2, false, 0, 210, ""}, {"counters", 2, true, 0, 1900, ""}};
  return view;
}

engine::ProfileView canned_profile_of_two_functions() {
  engine::ProfileView view = canned_profile();
  std::vector<CodeLine>& code = view.profile.code.code;
  for (CodeLine& line : code) line.function = "row";
  code.push_back({0, 0x1120, "mov %eax,%ecx", 4, -1, 0, 0, 0, "fold"});
  code.push_back({0, 0x1130, "ret", 5, -1, 0, 0, 0, "fold"});
  return view;
}

std::shared_ptr<TraceRecorder> canned_timeline() {
  auto trace = std::make_shared<TraceRecorder>();
  trace->add({{"engine", "job"}, "profile w3", "job", {0}, {9e6}, {}});
  trace->add({{"cpu:0", "measure 7"}, "load", "load", {1e6}, {5e5}, {}});
  for (int i = 0; i < 6; ++i) trace->add({{"cpu:0", "measure 7"}, "launch", "launch", {2e6 + i * 1e6}, {8e5}, {}});
  return trace;
}

}  // namespace fuselab::gui::test
