// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/content_hash.h"
#include "core/base/units.h"
#include "core/kernel/abi.h"
#include "core/kernel/launch_config.h"
#include "core/kernel/optimization_level.h"

namespace fuselab {

// The target that code is generated and compiled for: architecture and limits. A device of it need not be present.
struct Target {
  std::string id;                              // "x86-64-v3", "sm_90", "null-1": stable, part of keys
  std::string arch;                            // "x86-64", "aarch64", "cuda", …
  std::map<std::string, std::int64_t> limits;  // vector_bytes, max_threads, l1_bytes, l2_bytes, last_caches, …
  bool operator==(const Target&) const = default;
};

// Generated text before compilation. Same graph, config and target give the same text, byte for byte.
struct SourceModule {
  std::string language;  // "c", "cuda", "opencl"
  std::string text;
  std::string entry;
  std::string generator;          // "cpu-c"
  std::string generator_version;  // changes whenever the text for the same input may change
  KernelAbi abi;
  std::string flags = {};  // of the compiler, behind its own: a kernel that the user wrote may state some
};

struct KernelBinary {
  std::string format;  // "elf-so", "cubin", "null"
  std::vector<std::byte> data;
  std::map<std::string, std::string> metadata;  // compiler, version, flags
};

// Resources as the compiler reports or the generator predicts them; absent keys are unknown, never zero.
// registers, spill_bytes, shared_bytes, code_bytes, stack_bytes.
using ResourceUsage = std::map<std::string, std::int64_t>;

struct CompilationMetrics {
  Nanoseconds generate_time;
  Nanoseconds compile_time;
  Bytes binary_size;
  OptimizationLevel level = OptimizationLevel::kO2;
};

// The parts of a kernel's identity: changing any one makes another kernel (architecture: three identities).
struct KernelIdentity {
  ContentHash graph;      // canonical text of the concrete graph: dims, dtypes, layout
  std::string backend;    // "cpu"
  std::string generator;  // id and version, or library and version
  std::string generator_version;
  ContentHash source;
  std::string target;
  std::string compiler;
  std::string compiler_version;
  std::string flags;
  std::string library;  // empty unless a library provides the code
  std::string library_version;
  std::string config;  // LaunchConfig::text()

  ContentHash key() const;
};

// A complete kernel: source, binary, calling convention and cost. Immutable once made (R10).
struct CompiledKernel {
  KernelIdentity identity;
  LaunchConfig config;
  SourceModule source;
  KernelBinary binary;
  KernelAbi abi;
  ResourceUsage resources;
  CompilationMetrics metrics;

  std::string kernel_id() const { return identity.key().hex(); }  // content hash, in place of S0's "{op.Id}_{GUID}" (R35)
};

}  // namespace fuselab
