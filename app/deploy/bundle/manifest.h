// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fields/fields.h"

// What a bundle says of itself: resources/schema/bundle.schema.json publishes it. The loader (resources/loader) reads what running
// needs; the rest is for people and tools. No user, no host and no path is in it, and no time: the same results give the same
// bytes.
namespace fuselab::deploy {

inline constexpr std::string_view kBundleSchema = "fuselab.bundle/1";

struct BundleArgument {
  std::string name;
  std::string role;  // "in", "out", "scratch"
  std::string type;  // "f32[8,768]"
  std::int64_t bytes = 0, alignment = 1;
};

// What the loader computes once from arguments that are weights: see Preparation.
struct BundlePreparation {
  std::string entry;
  std::vector<int> inputs;  // indices of arguments
  std::int64_t tasks = 0, bytes = 0;
};

// Why a kernel has its configuration: it was measured and confirmed in a fresh process; measured, but not confirmed; never
// measured.
inline constexpr std::string_view kTuned = "tuned", kUnconfirmed = "unconfirmed", kDefault = "default";
// It was never measured at this size, and was taken from the nearest size that was tuned.
inline constexpr std::string_view kNearest = "nearest";

struct BundleKernel {
  std::string file;        // SHA-256 of its code, which is kernels/<file>.so
  std::string source;      // SHA-256 of its text, which is sources/<source>.c
  std::string key;         // KernelIdentity::key()
  std::string entry;       // symbol
  std::string target;      // "x86-64-v4"
  std::string configured;  // kTuned, kUnconfirmed, kDefault, kNearest
  std::string config;      // LaunchConfig text
  int threads = 1;
  std::int64_t tasks = 0;          // shared out among the threads
  std::int64_t scratch_bytes = 0;  // of each thread
  std::vector<BundleArgument> arguments;
  std::optional<BundlePreparation> preparation;
  std::optional<int> baseline;  // index of the kernel that does the same on every x86-64 processor
  std::string generator, generator_version, compiler, compiler_version, flags;
};

// A piece as a kernel for a GPU, with what launching it needs. The loader hands it out and launches nothing.
struct BundleGpuKernel {
  std::string piece;                       // as the loader finds it: BundlePiece::run has this name
  std::string file;                        // SHA-256 of its binary, which is kernels/<file>.<format>
  std::string format;                      // "cubin", "hsaco"
  std::string target;                      // "sm_90a"
  std::string entry;                       // symbol
  std::string configured;                  // kUnconfirmed: a stored figure chose its configuration; kDefault: it was never measured
  std::string config;                      // LaunchConfig text
  std::vector<std::int64_t> grid, block;   // of one launch: three numbers each
  std::int64_t shared_bytes = 0;           // dynamic, of each block
  std::vector<BundleArgument> parameters;  // of the entry, each a pointer; role "null": a null pointer
  std::string compiler, compiler_version, flags;
};

// The next best measured way to run a piece.
struct BundleRunnerUp {
  std::string plan;  // "onednn:0 fused"
  double median_ns = 0;
  double ratio = 1;  // its time over that of what was exported; below 1 where it is faster and could not be exported
};

struct BundleFigure {
  double median_ns = 0, low_ns = 0, high_ns = 0;  // 95 % interval of the median
  bool confirmed = false;                         // in a fresh process
  std::optional<int> measured = {};               // index of BundleManifest::measured; nothing: an older Fuselab exported it
};

struct BundleTensor {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
  int value = -1;  // index; -1: an input that nothing reads
};

struct BundleWeight {
  std::string name, type;
  std::int64_t offset = 0;
  std::string from;  // "file", or "seed" where the model's file has no numbers for it
};

struct BundleValue {
  std::string place;                   // "input", "output", "arena", "weights"
  std::int64_t offset = 0, bytes = 0;  // of inputs and outputs their index
};

struct BundleStep {
  int piece = 0, kernel = 0;
  std::vector<int> arguments;  // values, one for each of the kernel's
};

struct BundleModel {
  std::string name, binding, dtype, level;
  std::int64_t arena_bytes = 0, unshared_bytes = 0;  // what intermediates take, and what they would take without reuse
  std::vector<BundleTensor> inputs, outputs;
  std::vector<BundleWeight> weights;
  std::vector<BundleValue> values;
  std::vector<BundleStep> steps;
};

struct BundlePiece {
  std::string name, key;
  std::string graph;  // canonical text
  std::string plan;   // "fused", "unfused", "single"
  int count = 1;      // uses in the model
  std::vector<int> kernels;
  std::string configured;  // of its kernels
  std::optional<BundleFigure> figure;
  std::optional<BundleRunnerUp> runner_up;
  std::optional<BundleModel> run;  // the piece by itself: its operands are inputs, in the graph's order
};

struct BundleWeights {
  std::int64_t bytes = 0;
  std::string sha256;
};

// What the bundle is for, and what its figures have in common.
struct BundleEnvironment {
  std::string device, processor, target, cache_mode, denormals;
};

// Where and how figures were measured: what EnvironmentIdentity and MetricIdentity say that names no machine and no user.
struct BundleMeasuring {
  std::string processor, microcode, os_kernel;
  std::string clock_policy;  // "performance, boost on"; "unknown" where a hypervisor hides the governor
  std::string tool_version;  // of the Fuselab that measured
  std::string cache_mode;    // "warm", "cold", …
  std::string timed;         // what lies inside the time: MetricIdentity::what
  int threads = 0;           // 0: as each kernel's configuration says
  std::string inputs;        // their distribution and seed: "uniform, seed 1"
  int protocol_version = 0;  // of the loop that timed
  std::string detail;        // settings that change what the number means
  bool operator==(const BundleMeasuring&) const = default;
};

struct BundleManifest {
  std::string schema{kBundleSchema};
  std::string made_by;
  std::string commit;  // that the exporting program was built from, "-dirty" behind it; empty: an older Fuselab exported it
  BundleEnvironment environment;
  std::vector<BundleMeasuring> measured;  // empty: nothing was, or an older Fuselab exported it
  BundleWeights weights;
  std::vector<BundleKernel> kernels;
  std::vector<BundleGpuKernel> gpu_kernels;
  std::vector<BundlePiece> pieces;
  std::vector<BundleModel> models;
};

constexpr auto fields_of(const BundleArgument*) {
  using It = BundleArgument;
  using fields::field;
  return fields::list<It>(field("name", &It::name), field("role", &It::role), field("type", &It::type),
                          fields::amount("bytes", &It::bytes), fields::amount("alignment", &It::alignment));
}
constexpr auto fields_of(const BundlePreparation*) {
  using It = BundlePreparation;
  return fields::list<It>(fields::field("entry", &It::entry), fields::amount("inputs", &It::inputs),
                          fields::amount("tasks", &It::tasks), fields::amount("bytes", &It::bytes));
}
constexpr auto fields_of(const BundleKernel*) {
  using It = BundleKernel;
  using fields::field;
  return fields::list<It>(field("file", &It::file), field("source", &It::source), field("key", &It::key),
                          field("entry", &It::entry), field("target", &It::target), field("configured", &It::configured),
                          field("config", &It::config), fields::amount("threads", &It::threads),
                          fields::amount("tasks", &It::tasks), fields::amount("scratch_bytes", &It::scratch_bytes),
                          field("arguments", &It::arguments), field("preparation", &It::preparation),
                          fields::amount("baseline", &It::baseline), field("generator", &It::generator),
                          field("generator_version", &It::generator_version), field("compiler", &It::compiler),
                          field("compiler_version", &It::compiler_version), field("flags", &It::flags));
}
constexpr auto fields_of(const BundleGpuKernel*) {
  using It = BundleGpuKernel;
  using fields::field;
  return fields::list<It>(field("piece", &It::piece), field("file", &It::file), field("format", &It::format),
                          field("target", &It::target), field("entry", &It::entry), field("configured", &It::configured),
                          field("config", &It::config), fields::amount("grid", &It::grid), fields::amount("block", &It::block),
                          fields::amount("shared_bytes", &It::shared_bytes), field("parameters", &It::parameters),
                          field("compiler", &It::compiler), field("compiler_version", &It::compiler_version),
                          field("flags", &It::flags));
}
constexpr auto fields_of(const BundleRunnerUp*) {
  using It = BundleRunnerUp;
  return fields::list<It>(fields::field("plan", &It::plan), fields::amount("median_ns", &It::median_ns),
                          fields::amount("ratio", &It::ratio));
}
constexpr auto fields_of(const BundleFigure*) {
  using It = BundleFigure;
  return fields::list<It>(fields::amount("median_ns", &It::median_ns), fields::amount("low_ns", &It::low_ns),
                          fields::amount("high_ns", &It::high_ns), fields::field("confirmed", &It::confirmed),
                          fields::amount("measured", &It::measured));
}
constexpr auto fields_of(const BundleTensor*) {
  using It = BundleTensor;
  using fields::field;
  return fields::list<It>(field("name", &It::name), field("dtype", &It::dtype), fields::amount("shape", &It::shape),
                          fields::amount("bytes", &It::bytes), field("value", &It::value));
}
constexpr auto fields_of(const BundleWeight*) {
  using It = BundleWeight;
  using fields::field;
  return fields::list<It>(field("name", &It::name), field("type", &It::type), fields::amount("offset", &It::offset),
                          field("from", &It::from));
}
constexpr auto fields_of(const BundleValue*) {
  using It = BundleValue;
  return fields::list<It>(fields::field("place", &It::place), fields::amount("offset", &It::offset),
                          fields::amount("bytes", &It::bytes));
}
constexpr auto fields_of(const BundleStep*) {
  using It = BundleStep;
  return fields::list<It>(fields::amount("piece", &It::piece), fields::amount("kernel", &It::kernel),
                          fields::amount("arguments", &It::arguments));
}
constexpr auto fields_of(const BundleModel*) {
  using It = BundleModel;
  using fields::field;
  return fields::list<It>(field("name", &It::name), field("binding", &It::binding), field("dtype", &It::dtype),
                          field("level", &It::level), fields::amount("arena_bytes", &It::arena_bytes),
                          fields::amount("unshared_bytes", &It::unshared_bytes), field("inputs", &It::inputs),
                          field("outputs", &It::outputs), field("weights", &It::weights), field("values", &It::values),
                          field("steps", &It::steps));
}
constexpr auto fields_of(const BundlePiece*) {
  using It = BundlePiece;
  using fields::field;
  return fields::list<It>(field("name", &It::name), field("key", &It::key), field("graph", &It::graph), field("plan", &It::plan),
                          fields::amount("count", &It::count), fields::amount("kernels", &It::kernels),
                          field("configured", &It::configured), field("figure", &It::figure), field("runner_up", &It::runner_up),
                          field("run", &It::run));
}
constexpr auto fields_of(const BundleWeights*) {
  using It = BundleWeights;
  return fields::list<It>(fields::amount("bytes", &It::bytes), fields::field("sha256", &It::sha256));
}
constexpr auto fields_of(const BundleEnvironment*) {
  using It = BundleEnvironment;
  using fields::field;
  return fields::list<It>(field("device", &It::device), field("processor", &It::processor), field("target", &It::target),
                          field("cache_mode", &It::cache_mode), field("denormals", &It::denormals));
}
constexpr auto fields_of(const BundleMeasuring*) {
  using It = BundleMeasuring;
  using fields::field;
  return fields::list<It>(field("processor", &It::processor), field("microcode", &It::microcode),
                          field("os_kernel", &It::os_kernel), field("clock_policy", &It::clock_policy),
                          field("tool_version", &It::tool_version), field("cache_mode", &It::cache_mode),
                          field("timed", &It::timed), fields::amount("threads", &It::threads), field("inputs", &It::inputs),
                          fields::amount("protocol_version", &It::protocol_version), field("detail", &It::detail));
}
constexpr auto fields_of(const BundleManifest*) {
  using It = BundleManifest;
  using fields::field;
  return fields::list<It>(field("schema", &It::schema), field("made_by", &It::made_by), fields::later("commit", &It::commit),
                          field("environment", &It::environment), fields::later("measured", &It::measured),
                          field("weights", &It::weights), field("kernels", &It::kernels),
                          fields::later("gpu_kernels", &It::gpu_kernels), field("pieces", &It::pieces),
                          field("models", &It::models));
}

std::string manifest_text(const BundleManifest& manifest);
// Fails with kCorrupt for what is no manifest, and with kUnsupported for one of another version.
Result<BundleManifest> parse_manifest(std::string_view text);

}  // namespace fuselab::deploy
