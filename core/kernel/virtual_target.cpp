// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/virtual_target.h"

#include <utility>

namespace fuselab {
namespace {

VirtualTarget processor(const char* id, const char* arch, std::int64_t vector_bytes) {
  return {{id, arch, {{"vector_bytes", vector_bytes}, {"cores", 1}, {"max_threads", 1}}}, "cpu"};
}

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". The system keeps 1 KiB of each block's shared
// memory since 8.0. Code of sm_90a has instructions that only a device of 9.0 knows: it runs there and nowhere else.
struct CudaArch {
  const char* id;
  std::int64_t sm_threads;
  std::int64_t sm_blocks;
  std::int64_t sm_shared_kib;
  std::int64_t block_shared_kib;  // the most that a block may ask for
  std::int64_t reserved_shared_bytes = 1024;
};
constexpr CudaArch kCudaArchs[] = {
    {"sm_75", 1024, 16, 64, 64, 0}, {"sm_80", 2048, 32, 164, 163},  {"sm_86", 1536, 16, 100, 99},   {"sm_87", 1536, 16, 164, 163},
    {"sm_89", 1536, 24, 100, 99},   {"sm_90", 2048, 32, 228, 227},  {"sm_90a", 2048, 32, 228, 227}, {"sm_100", 2048, 32, 228, 227},
    {"sm_103", 2048, 32, 228, 227}, {"sm_110", 1536, 24, 228, 227}, {"sm_120", 1536, 24, 100, 99},  {"sm_121", 1536, 24, 100, 99},
};

VirtualTarget cuda(const CudaArch& arch) {
  return {{arch.id,
           "cuda",
           {{"max_threads", 1024},
            {"warp", 32},
            {"shared_bytes", 48 << 10},
            {"shared_optin_bytes", arch.block_shared_kib << 10},
            {"shared_per_sm_bytes", arch.sm_shared_kib << 10},
            {"shared_reserved_bytes", arch.reserved_shared_bytes},
            {"registers_per_thread", 255},
            {"registers_per_block", 64 << 10},
            {"registers_per_sm", 64 << 10},
            {"max_threads_per_sm", arch.sm_threads},
            {"max_blocks_per_sm", arch.sm_blocks}}},
          "cuda"};
}

// AMD's documents of the architectures, and LLVM's "User Guide for AMDGPU Backend": what four SIMD units hold, a compute unit of
// CDNA or a work-group processor of RDNA. `registers` are those of a SIMD unit for each thread of a wavefront, which come in
// units of `unit`; a thread may have `thread_registers` of them.
struct AmdArch {
  const char* id;
  std::int64_t wavefront, wavefronts;  // threads of one; those of a SIMD unit
  std::int64_t registers, unit, thread_registers;
  std::int64_t shared_kib;         // of a work-group at most
  std::int64_t local_memory_kib;   // of all work-groups
  std::int64_t shared_unit = 512;  // bytes in which it is given out
};
constexpr AmdArch kAmdArchs[] = {{"gfx90a", 64, 8, 512, 8, 512, 64, 64},
                                 {"gfx942", 64, 8, 512, 8, 512, 64, 64},
                                 {"gfx950", 64, 8, 512, 8, 512, 160, 160, 1280},
                                 {"gfx1100", 32, 16, 1536, 24, 256, 64, 128},
                                 {"gfx1201", 32, 16, 1536, 24, 256, 64, 128}};

VirtualTarget amd(const AmdArch& arch) {
  constexpr std::int64_t kSimdUnits = 4;
  return {{arch.id,
           "hip",
           {{"max_threads", 1024},
            {"warp", arch.wavefront},
            {"f64", 1},
            {"shared_bytes", arch.shared_kib << 10},
            {"shared_optin_bytes", arch.shared_kib << 10},
            {"shared_per_sm_bytes", arch.local_memory_kib << 10},
            {"registers_per_thread", arch.thread_registers},
            {"registers_per_block", kSimdUnits * arch.registers * arch.wavefront},
            {"register_unit", arch.unit * arch.wavefront},
            {"shared_unit", arch.shared_unit},
            {"registers_per_sm", kSimdUnits * arch.registers * arch.wavefront},
            {"max_threads_per_sm", kSimdUnits * arch.wavefronts * arch.wavefront}}},
          "rocm"};
}

// Google's documents of its chips: one chip with its memory. XLA alone compiles for them.
VirtualTarget tpu(const char* id, std::int64_t memory_gib) {
  return {{id, "tpu", {{"memory_bytes", memory_gib << 30}}}, "xla"};
}

std::vector<VirtualTarget> all() {
  std::vector<VirtualTarget> targets = {processor("x86-64", "x86-64", 16), processor("x86-64-v3", "x86-64", 32),
                                        processor("x86-64-v4", "x86-64", 64), processor("armv8-a+simd", "aarch64", 16)};
  for (const CudaArch& arch : kCudaArchs) targets.push_back(cuda(arch));
  for (const AmdArch& arch : kAmdArchs) targets.push_back(amd(arch));
  for (const VirtualTarget& each : {tpu("tpu-v5e", 16), tpu("tpu-v6e", 32)}) targets.push_back(each);
  return targets;
}

}  // namespace

std::vector<std::string> virtual_target_ids() {
  std::vector<std::string> ids;
  for (const VirtualTarget& each : all()) ids.push_back(each.target.id);
  return ids;
}

Result<VirtualTarget> virtual_target(std::string_view id) {
  std::string listed;
  for (VirtualTarget& each : all()) {
    if (each.target.id == id) return std::move(each);
    listed += (listed.empty() ? "" : ", ") + each.target.id;
  }
  return Error{ErrorCode::kNotFound, "no target is called '" + std::string(id) + "'; there are " + listed};
}

}  // namespace fuselab
