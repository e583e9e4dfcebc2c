// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/support.h"
#include "core/fusion/match/fusion_limits.h"
#include "core/graph/dtype.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// One number of a device, as its driver numbers and calls it; the name is empty where only newer drivers know it.
struct DeviceAttribute {
  int number = 0;
  std::string name;  // "MAX_THREADS_PER_BLOCK"
  std::int64_t value = 0;
};

// What is known of one device; the union that requirements.md A5 asks for (R100, R153, R154). Unknown is absent, never 0.
struct DeviceInfo {
  std::string id;       // "cpu:0", "cuda:0", "null:0": stable on this machine
  std::string backend;  // "cpu"
  std::string type;     // "cpu", "gpu", "tpu", "synthetic"
  int index = 0;
  std::string name;        // "AMD EPYC 7763"
  std::string uuid;        // content hash of what identifies the hardware; part of the environment identity
  bool synthetic = false;  // null's devices: left out of comparisons unless asked for
  bool unified_memory = false;
  std::optional<std::int64_t> total_memory_bytes;
  std::optional<std::int64_t> free_memory_bytes;
  std::optional<std::int64_t> compute_units;
  std::optional<std::string> compute_capability;
  std::optional<std::string> driver_version;
  std::map<std::string, std::string> properties;  // microcode, caches, simd, governor, smt, …
  std::vector<DeviceAttribute> attributes;        // all that the driver tells: a dump of them is a test case elsewhere; not stored
  Target target;                                  // what to compile for by default
  std::vector<Target> other_targets;              // lower levels it also runs (AVX2 on an AVX-512 machine)

  // Its buffers are the host's memory: work is handed over to and from it without a copy.
  bool uses_host_memory() const { return unified_memory || type == "cpu" || type == "synthetic"; }
  // The host's processor, driven by another backend than its own (OpenCL's PoCL): whatever it measures competes with cpu for the
  // same silicon, so it is taken where it is asked for or nothing else drives it.
  bool is_host_cpu_again() const { return type == "cpu" && backend != "cpu"; }
  // The same for every backend that drives this silicon, where its driver gives it a UUID (property "uuid").
  std::string silicon() const {
    const auto known = properties.find("uuid");
    return known != properties.end() ? known->second : uuid.empty() ? id : uuid;
  }
  double total_memory_gib() const { return static_cast<double>(total_memory_bytes.value_or(0)) / (1024.0 * 1024.0 * 1024.0); }
};

// R14, R15; per device, and proved by the conformance suite.
struct BackendCapabilities {
  std::vector<std::string> patterns;  // names of FusionPatternType
  std::vector<DType> dtypes;
  std::vector<Op> operators;
  FusionLimits fusion;  // what one kernel may hold: a model is cut by it
  bool supports_autotuning = false;
  bool supports_profiling = false;
  bool supports_jit = false;
  bool supports_binary_cache = false;
  // Targets that no device here runs, with the step a kernel reaches: "generated, compiled by clang 14.0.6; no such device here".
  std::map<std::string, std::string> foreign_targets;
};

// One row of the discovery: a stack, whether it is usable here and why not, and its devices.
struct BackendReport {
  std::string id;            // "cpu", "cuda", "triton"
  std::string display_name;  // "Triton"
  std::string kind;          // "compute", "library", "compiler"
  Availability availability;
  std::vector<DeviceInfo> devices;
  BackendCapabilities capabilities;  // of the first device
};

}  // namespace fuselab
