// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/backend/device_info.h"
#include "core/kernel/compiled_kernel.h"
#include "core/measure/ceiling.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::wire {

inline constexpr int kVersion = 8;  // another one whenever a message or its number changes

// Requests, engine → worker. One at a time per worker; the reply ends it.
struct ProbeRequest {
  std::string backend;
};
// What a backend says of one graph on one target: can it, and in which ways.
struct DescribeRequest {
  std::string backend;
  Target target;
  std::string graph_text;
  OptimizationLevel level = OptimizationLevel::kO2;  // decides the compiler's flags
};
struct CompileRequest {
  std::string backend;
  Target target;
  std::string graph_text;
  LaunchConfig config;
  OptimizationLevel level = OptimizationLevel::kO2;
};
// Source and identity of one graph in several launch configurations, no binary: enough to look stored results up.
struct GenerateRequest {
  std::string backend;
  Target target;
  std::string graph_text;
  std::vector<LaunchConfig> configs;
  OptimizationLevel level = OptimizationLevel::kO2;
};
struct MeasureRequest {
  std::string backend;
  Block block;
  bool special_inputs = false;  // verify with large, special and denormal inputs as well, before anything is timed
};
struct CeilingRequest {
  std::string backend;
  std::string device;
  int read_streams = 1;
  int write_streams = 1;
  std::vector<Bytes> footprints;  // empty: the multiply-add rate (measure_flops) instead of streams
  double seconds = 1;             // budget
};
// A tensor that is handed over in a file, packed, because it need not fit a frame. `value`: an index into ExecuteRequest::values.
struct TensorFile {
  int value = 0;
  std::string file;
};
// Runs kernels back to back, once, for what they compute: nothing is sampled or held against a reference. The shared page names the
// step at work as a measured block's plan.
struct ExecuteRequest {
  std::string backend;
  std::string device;
  std::vector<TensorType> values;  // that the steps' arguments name
  std::vector<PlanStep> steps;
  std::vector<TensorFile> inputs;   // read before
  std::vector<TensorFile> outputs;  // written after all steps ran
};
// Compiles a kernel's own source anew: see recompile_kernel(). Its binary is not sent along.
struct RecompileRequest {
  std::string backend;
  Target target;
  CompiledKernel kernel;
  std::string flags;
};
struct ShutdownRequest {};
// Which backends the worker was built with or knows of.
struct ListRequest {};
// What the device's timer costs, measured anew.
struct TimerRequest {
  std::string backend;
  std::string device;
};

using Request = std::variant<ProbeRequest, DescribeRequest, CompileRequest, MeasureRequest, CeilingRequest, ShutdownRequest,
                             ListRequest, GenerateRequest, ExecuteRequest, RecompileRequest, TimerRequest>;

// Replies, worker → engine.
struct ProbeReply {
  BackendReport report;
};
struct DescribeReply {
  Support support;
  ParameterSpace space;
  LaunchConfig default_config;
  std::string generator;
  std::string generator_version;
  std::string compiler;  // "gcc"
  std::string compiler_version;
  std::string flags;
};
struct CompileReply {
  CompiledKernel kernel;
};
// The kernel without its binary, or why there is none.
struct GeneratedKernel {
  bool made = false;
  CompiledKernel kernel;
  Error error;
};
struct GenerateReply {
  std::vector<GeneratedKernel> kernels;  // one per configuration, in order
};
// Sent as plans of a block end, so that nothing is lost when what comes later kills the worker. `indices` are the block's,
// `results` theirs, in the same order.
struct PlansFinished {
  std::vector<int> indices;
  std::vector<PlanResult> results;
};
// The block's end: all its plans were told, and its kernels and buffers are gone.
struct MeasureReply {
  BlockConditions conditions;
};
struct CeilingReply {
  std::vector<Ceiling> rows;
};
struct ErrorReply {
  Error error;
};
// What running them took, or which step failed and how; no output was written then.
struct ExecuteReply {
  bool ran = false;
  int failed_step = -1;  // -1: none of them, but what is around them
  Error error;
  Nanoseconds load;  // of the kernels
  Nanoseconds to_device, from_device;
  std::vector<Nanoseconds> steps;  // host wall, each waited for
  std::vector<int> first;          // of the steps: whose kernel this process had not launched before
  Bytes allocated;
  int buffers = 0;  // that it is in
  Bytes unshared;   // what it would be if no tensor took over the memory of one that is needed no more
  int tensors = 0;  // scratch included
};

struct ListReply {
  std::vector<std::string> backends;
};

struct TimerReply {
  TimerCost timer;
};

using Reply = std::variant<ProbeReply, DescribeReply, CompileReply, PlansFinished, MeasureReply, CeilingReply, ErrorReply,
                           ListReply, GenerateReply, ExecuteReply, TimerReply>;

}  // namespace fuselab::wire
