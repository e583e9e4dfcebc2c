// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/wire/messages.h"
#include "core/graph/graph_text.h"
#include "tests/support/sample_timelines.h"

namespace fuselab::wire {

inline constexpr const char* kGraph =
    "graph(i0: f32[2,3], p0: param f32[3], i1: f32[2,3]) { v0 = Add(i0, p0); v1 = Mul(v0, i1); v2 = Relu(v1); return v2, v0 }";

// Every field set to something that is not its default.
inline CompiledKernel sample_kernel() {
  CompiledKernel kernel;
  kernel.identity = {ContentHash::of("graph"),
                     "cpu",
                     "cpu-c",
                     "7",
                     ContentHash::of("source"),
                     "x86-64-v3",
                     "gcc",
                     "12.2.0",
                     "-O2",
                     "onednn",
                     "3.1",
                     "threads=2,tile=\"a,b\""};
  kernel.config = {{"threads", std::int64_t{2}}, {"store", std::string("non,temporal=1")}};
  kernel.source = {"c", "void k() {}\n\"\\\xc3\xbc", "k", "cpu-c", "7", {}};
  kernel.source.abi.entry = "k";
  kernel.source.abi.arguments = {{"x", BufferRole::kInOut, {DType::kI4, {Dim::symbol("batch"), 3}}, 128},
                                 {"s", BufferRole::kScratch, {DType::kU8, {64}}, 64}};
  kernel.source.abi.grid_x = {"ceil_div(batch, 4)"};
  kernel.source.abi.shared_bytes = {"16"};
  kernel.abi = kernel.source.abi;
  kernel.binary = {"elf-so", {std::byte{0}, std::byte{255}, std::byte{127}}, {{"compiler", "gcc"}}};
  kernel.resources = {{"registers", 17}};
  kernel.metrics = {{1.5}, {2.5}, {3}, OptimizationLevel::kO3};
  return kernel;
}

inline PlanResult sample_result() {
  PlanResult result;
  result.outcome = Outcome::kDropped;
  result.reason = "slow";
  result.verification = {true, 6, 1e-7, 1e-8, 0.25, "fine"};
  result.samples = {1.25, 2.5, 1e9};
  result.inner_repetitions = 12;
  result.first_launch = {77};
  result.source = TimingSource::kDeviceEvents;
  result.verifying = {99};
  result.timing = {111};
  result.overhead = {88};
  return result;
}

inline Block sample_block() {
  Plan plan;
  plan.label = "fused threads=2";
  plan.graph = parse_graph(kGraph).value();
  for (const ValueId id : plan.graph.inputs()) plan.values.push_back(plan.graph.type(id));
  for (const ValueId id : plan.graph.outputs()) plan.values.push_back(plan.graph.type(id));
  plan.steps = {{sample_kernel(), {0, 1, 2, 3, 4}}};
  plan.matched = "0123";
  Block block;
  block.device = "cpu:0";
  block.plans = {plan, plan};
  block.protocol.mode = CacheMode::kCold;
  block.protocol.warmup = 5;
  block.protocol.samples = 9;
  block.protocol.most_samples = 36;
  block.protocol.precision = 0.5;
  block.comes_again = true;
  block.ceiling = {1, 1, {1 << 20}, "flops", 2, "4 places at once", "AVX2, 12 chains"};
  block.protocol.min_sample = {1};
  block.protocol.budget = {2};
  block.protocol.drop_factor = 3;
  block.protocol.launch_timeout = {4};
  block.protocol.inputs = {InputPattern::kDenormal, 0xffffffffffffffffULL};
  block.protocol.order_seed = 6;
  return block;
}

inline DeviceInfo sample_device() {
  DeviceInfo device;
  device.id = "cpu:0";
  device.backend = "cpu";
  device.type = "cpu";
  device.index = 3;
  device.name = "A CPU";
  device.uuid = "abc";
  device.synthetic = true;
  device.unified_memory = true;
  device.total_memory_bytes = 1LL << 40;
  device.compute_capability = "9.0";
  device.properties = {{"smt", "on"}};
  device.attributes = {{75, "COMPUTE_CAPABILITY_MAJOR", 9}, {999, "", -1}};
  device.target = {"x86-64-v3", "x86-64", {{"vector_bytes", 32}}};
  device.other_targets = {{"x86-64", "x86-64", {}}};
  return device;
}

inline ParameterSpace sample_space() {
  ParameterSpace space;
  Status added = space.add(Parameter{"threads", "how many", {std::int64_t{1}, std::int64_t{2}}});
  FL_ASSERT(added.ok());
  added = space.add(Parameter{"store", "which", {std::string("plain"), std::string("stream")}});
  FL_ASSERT(added.ok());
  added = space.add(Constraint{"threads <= 2", "two cores"});
  FL_ASSERT(added.ok());
  return space;
}

inline std::vector<Request> sample_requests() {
  return {
      ProbeRequest{"cpu"},
      DescribeRequest{"cpu", sample_device().target, kGraph, OptimizationLevel::kO1},
      CompileRequest{"cpu", sample_device().target, kGraph, sample_kernel().config, OptimizationLevel::kO3},
      MeasureRequest{"cpu", sample_block(), true},
      CeilingRequest{"cpu", "cpu:0", 2, 3, {{64}, {128}}, 0.5},
      ShutdownRequest{},
      ListRequest{},
      GenerateRequest{"cpu", sample_device().target, kGraph, {sample_kernel().config, {}}, OptimizationLevel::kO1},
      RecompileRequest{"cpu", sample_device().target, sample_kernel(), "-O3"},
      TimerRequest{"cpu", "cpu:0"},
      BundleRequest{"bert.fuselab", "a1", 5},
      ProfileRequest{
          "cpu", "cpu:0", sample_block().plans[0], {InputPattern::kDenormal, 0xffffffffffffffffULL}, 0.5, ProfilePart::kSeries},
      ExecuteRequest{"cpu", "cpu:0", sample_block().plans[0].values, sample_block().plans[0].steps, {{0, "in"}}, {{3, "out"}}, 2},
      EmulateRequest{"cuda", sample_device().target, kGraph}};
}

inline CounterSet sample_counters() {
  CounterSet counters;
  counters.rung = "generic";
  counters.passed_over = {"top-down: not on this processor"};
  counters.metrics = {{"cycles", 1.5, "", "perf", 0.5, true}, {"instructions", {}, "not counted", "perf", 1, false}};
  counters.launches = 3;
  counters.threads = 2;
  counters.wall_ns = 4;
  counters.plain_ns = 5;
  counters.counted_ns = 6;
  counters.hits = {{1, 0x1130, 7}};
  counters.samples = 8;
  counters.why_no_hits = "no timer";
  counters.sampled_ns = 9;
  counters.kernels = {{1, "k", "sm_90", {{"static_registers", 40, "", "ptxas", 1, false}}, "registers", "limited"}};
  counters.extra_launches = 10;
  counters.extra_ns = 11;
  return counters;
}

inline std::vector<Reply> sample_replies() {
  BackendReport report{"cpu", "CPU", "compute", Availability::unavailable("no"), {sample_device()}, {}};
  report.capabilities = {{"ElementWise"},
                         {DType::kBF16, DType::kU4},
                         {Op::kAdd, Op::kRMSNormalization},
                         {.most_operators = 9, .most_tensors = 128, .writes_alone = {Op::kSin}},
                         true,
                         true,
                         true,
                         true,
                         {{"armv8-a+simd", "generated"}}};
  report.compiler = {"gcc 12", "/lib/x.so", "why"};
  return {ProbeReply{report},
          DescribeReply{Support::no("why"), sample_space(), sample_kernel().config, "g", "1", "gcc", "12", "-O2"},
          CompileReply{sample_kernel()},
          PlansFinished{{4, 2}, {sample_result(), PlanResult{}}},
          MeasureReply{{{{1.5, 2}, {3}},
                        4,
                        5,
                        6,
                        7,
                        8,
                        9,
                        10,
                        11,
                        12,
                        {11, "why not", "550", 12, 13, 14, 15, 16, 17},
                        {TimingSource::kProvider, {18}, {19}, 20, "or not"},
                        {{1, 1, {4096}, "flops", 2, "in phases", "AVX2, 12 chains"}, {{0, 1e10, 2e11}}, 0.5}}},
          CeilingReply{{{"stream", 2, 1, true, {4096}, 2, 1e10, 0.9e10, 1.1e10, "in phases"}}},
          ErrorReply{{ErrorCode::kBusy, "busy"}},
          ListReply{{"cpu", "null"}},
          GenerateReply{{{true, sample_kernel(), {}}, {false, {}, {ErrorCode::kUnsupported, "not so"}}}},
          ExecuteReply{
              true, 2, {ErrorCode::kBusy, "busy"}, true, {1}, {2}, {3}, {{4}, {5}}, {{4}, {5}}, {{6}, {7}}, {6}, {7}, 8, {9}, 10},
          TimerReply{{TimingSource::kDeviceEvents, {1}, {2}, 3, "why not"}},
          BundleReply{{1}, 2, 3, 4, {{"bert-layer", "batch=1", {5}}}},
          ProfileReply{sample_counters(), test::sample_trace(), test::sample_series(), test::sample_samples()},
          EmulateReply{true, "7 of 7", "x: f32[7]"}};
}

}  // namespace fuselab::wire
