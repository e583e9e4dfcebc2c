// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/backend/device_info.h"
#include "core/kernel/compiled_kernel.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"
#include "core/profile/device_timeline.h"
#include "core/profile/metric.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::wire {

inline constexpr int kVersion = 16;  // changes whenever a message or its number changes

// Requests, engine → worker. A worker has one at a time, which ends with the reply.
struct ProbeRequest {
  std::string backend;
};
// Asks whether a backend can make a kernel for a graph on a target, and in which configurations.
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
// Asks for source and identity of one graph in several launch configurations, without a binary: enough to look stored results up.
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
// A tensor that is handed over in a file, packed, because it may not fit a frame. `value`: an index into ExecuteRequest::values.
struct TensorFile {
  int value = 0;
  std::string file;
};
// Which piece a step belongs to: "/layer.0/MatMul+Add", "MatMul, Add", "f32[128,768], f32[768,768] -> f32[128,768]".
struct StepName {
  std::string piece, operators, shapes;
};
// Runs kernels back to back, once, for their results: nothing is sampled or checked against a reference. The shared page names the
// step in progress as it names a measured block's plan.
struct ExecuteRequest {
  std::string backend;
  std::string device;
  std::vector<TensorType> values;  // the values that the steps' arguments name
  std::vector<PlanStep> steps;
  std::vector<TensorFile> inputs;    // read before
  std::vector<TensorFile> outputs;   // written after all steps ran
  int repeat = 0;                    // passes over all steps after the first one, on the same buffers
  std::vector<StepName> names = {};  // of the steps, for a timeline
};
// Compiles a kernel's own source again: see recompile_kernel(). Its binary is not sent.
struct RecompileRequest {
  std::string backend;
  Target target;
  CompiledKernel kernel;
  std::string flags;
};
// Runs the kernel of a graph on the backend's emulator, at reduced extents.
struct EmulateRequest {
  std::string backend;
  Target target;
  std::string graph_text;  // at full extents
};
struct ShutdownRequest {};
// Asks which backends the worker was built with or knows of.
struct ListRequest {};
// Asks for a new measurement of what the device's timer costs.
struct TimerRequest {
  std::string backend;
  std::string device;
};

// Opens an exported bundle with the production loader and runs its models, each once to warm up and then `runs` times, on numbers
// of its own.
struct BundleRequest {
  std::string file;
  std::string key;  // the public key that it must be signed with
  int runs = 1;
};

// What one profile's process collects. One would disturb the other: each has a process of its own.
enum class ProfilePart { kCounters, kTrace, kSeries, kSamples };
inline constexpr std::string_view kProfilePartNames[] = {"counters", "trace", "series", "samples"};

// Launches a plan for about so long while its device's counters are read, or while the device is recorded over time. Nothing is
// verified, nothing of it is a timing to compare.
struct ProfileRequest {
  std::string backend;
  std::string device;
  Plan plan;
  InputSpec inputs;
  double seconds = 1;
  ProfilePart part = ProfilePart::kCounters;
};

using Request =
    std::variant<ProbeRequest, DescribeRequest, CompileRequest, MeasureRequest, CeilingRequest, ShutdownRequest, ListRequest,
                 GenerateRequest, ExecuteRequest, RecompileRequest, TimerRequest, BundleRequest, ProfileRequest, EmulateRequest>;

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
// The kernel without its binary, or the error that prevented it.
struct GeneratedKernel {
  bool made = false;
  CompiledKernel kernel;
  Error error;
};
struct GenerateReply {
  std::vector<GeneratedKernel> kernels;  // one per configuration, in order
};
// Sent as plans of a block end, so that nothing is lost when a later plan kills the worker. `indices` are indices of the block's
// plans, `results` their results in the same order.
struct PlansFinished {
  std::vector<int> indices;
  std::vector<PlanResult> results;
};
// Ends a block: all its plans were reported, and its kernels and buffers are freed.
struct MeasureReply {
  BlockConditions conditions;
};
struct CeilingReply {
  std::vector<Ceiling> rows;
};
struct ErrorReply {
  Error error;
};
// The times of the steps, or the step that failed and how; no output was written then.
struct ExecuteReply {
  bool ran = false;
  int failed_step = -1;  // -1: the error is outside the steps
  Error error;
  bool wrong_index = false;  // the numbers are to blame, so that no other device would do better
  Nanoseconds load;          // of the kernels
  Nanoseconds to_device, from_device;
  std::vector<Nanoseconds> steps;   // wall time on the host, waiting for each step
  std::vector<Nanoseconds> steady;  // median of the repeated passes, per step; empty without any
  std::vector<Nanoseconds> passes;  // the repeated passes, each the sum of its steps; empty without any
  std::vector<int> first;           // indices of the steps whose kernel this process had not launched before
  Bytes allocated;
  int buffers = 0;  // number of buffers it is split into
  Bytes unshared;   // memory if no tensor took over that of one that is no longer needed
  int tensors = 0;  // scratch included
};

struct ListReply {
  std::vector<std::string> backends;
};

struct TimerReply {
  TimerCost timer;
};

struct BundleRun {
  std::string model, binding;
  Nanoseconds median;  // of a whole run
};
struct BundleReply {
  Nanoseconds open;
  int tuned = 0, untuned = 0, baseline = 0;  // launches in one run of each model: FL_HIT_TUNED and so on
  std::vector<BundleRun> runs;
};

// Only the part that was asked for is filled.
struct ProfileReply {
  CounterSet counters;
  DeviceTrace trace;
  DeviceSeries series;
  DeviceSamples samples;
};

struct EmulateReply {
  bool matched = false;
  std::string detail;   // what was compared, or what is wrong with the kernel
  std::string extents;  // the reduced graph's inputs: "x: f32[2,13]"
};

using Reply = std::variant<ProbeReply, DescribeReply, CompileReply, PlansFinished, MeasureReply, CeilingReply, ErrorReply,
                           ListReply, GenerateReply, ExecuteReply, TimerReply, BundleReply, ProfileReply, EmulateReply>;

// Names of the replies for people, in the order of the variant.
inline constexpr std::string_view kReplyNames[] = {"what a probe found",
                                                   "a description",
                                                   "a compiled kernel",
                                                   "plans that finished",
                                                   "the end of a block",
                                                   "ceilings",
                                                   "an error",
                                                   "the list of backends",
                                                   "generated source texts",
                                                   "an execution",
                                                   "the cost of a timer",
                                                   "a bundle's runs",
                                                   "the counters of a profile",
                                                   "an emulation"};
static_assert(std::size(kReplyNames) == std::variant_size_v<Reply>);

}  // namespace fuselab::wire
