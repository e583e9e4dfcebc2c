// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/support.h"
#include "core/fusion/match/fusion_limits.h"
#include "core/kernel/compiled_kernel.h"
#include "core/types/dtype.h"

namespace fuselab {

// One attribute of a device, under its driver's number and name; the name is empty where only newer drivers know it.
struct DeviceAttribute {
  int number = 0;
  std::string name;  // "MAX_THREADS_PER_BLOCK"
  std::int64_t value = 0;
};

// The property of a device that is software on the host's processor; its value names the driver.
inline constexpr const char* kSoftwareProperty = "software";

// The known facts about one device, the union that requirements.md A5 asks for (R100, R153, R154). Unknown facts are absent, never
// 0.
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
  std::vector<DeviceAttribute> attributes;  // all that the driver reports, so that a dump can be a test case elsewhere; not stored
  Target target;                            // the default target to compile for
  std::vector<Target> other_targets;        // lower levels it also runs (AVX2 on an AVX-512 machine)

  // Returns true when its buffers are the host's memory: data is handed over without a copy.
  bool uses_host_memory() const { return unified_memory || type == "cpu" || type == "synthetic"; }
  // Returns true for the host's processor driven by another backend than its own (OpenCL's PoCL). It comes last where
  // nothing but the order of backends decides, and the performance gate, which measures each silicon once, leaves it out.
  bool is_host_cpu_again() const { return type == "cpu" && backend != "cpu"; }
  // Returns true for a device that its driver makes up in software on the host's processor (PoCL). Its figures say nothing of
  // hardware of that kind.
  bool is_software() const { return properties.contains(kSoftwareProperty); }
  // Returns an id that is the same for every backend that drives this silicon, where its driver gives it a UUID (property "uuid").
  std::string silicon() const {
    const auto known = properties.find("uuid");
    return known != properties.end() ? known->second : uuid.empty() ? id : uuid;
  }
  double total_memory_gib() const { return static_cast<double>(total_memory_bytes.value_or(0)) / (1024.0 * 1024.0 * 1024.0); }
};

// The capabilities of a backend for one device (R14, R15), checked by the conformance suite.
struct BackendCapabilities {
  std::vector<std::string> patterns;  // names of FusionPatternType
  std::vector<DType> dtypes;
  std::vector<Op> operators;
  FusionLimits fusion;  // limits of one kernel; a model is cut by them
  bool supports_autotuning = false;
  bool supports_profiling = false;
  bool supports_jit = false;
  bool supports_binary_cache = false;
  // Targets that no device here runs, with the last step that a kernel reaches: "generated, compiled by clang 14.0.6; no such
  // device here".
  std::map<std::string, std::string> foreign_targets;
};

// The compiler of a backend that has one.
struct CompilerReport {
  std::string name;     // "nvrtc 13.2"; empty: none was found
  std::string file;     // the library that it is: "/…/libnvrtc.so.13"
  std::string why_not;  // why none was found
};

// One row of the discovery: a stack, whether it is usable here, the reason if not, and its devices.
struct BackendReport {
  std::string id;            // "cpu", "cuda", "triton"
  std::string display_name;  // "Triton"
  std::string kind;          // "compute", "library", "compiler"
  Availability availability;
  std::vector<DeviceInfo> devices;
  BackendCapabilities capabilities;  // for the first device; without one, what can be compiled for targets
  CompilerReport compiler = {};
  bool probe_died = false;  // the process that asked died or hung: the reason is no property of the machine

  // Of an error that refuses the backend as not usable.
  ErrorCode refusal() const { return probe_died ? ErrorCode::kCrashed : ErrorCode::kUnavailable; }
};

}  // namespace fuselab
