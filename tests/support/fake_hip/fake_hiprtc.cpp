// SPDX-License-Identifier: Apache-2.0
// A library that looks like hiprtc and comgr of ROCm 5.2 and compiles nothing: a code object is the text. What it does not know
// ends the process, as it did then. $FUSELAB_FAKE_HIPRTC: "error" (the text has one), "isas=0" (comgr names none).
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "backends/rocm/abi/hiprtc_abi.h"
#include "tests/support/fake_cuda/behaviour.h"
#include "tests/support/fake_cuda/fake_cubin.h"

using namespace fuselab::hip::abi;

namespace {

constexpr const char* kIsas[] = {"amdgcn-amd-amdhsa--gfx90a:sramecc+", "amdgcn-amd-amdhsa--gfx942"};
constexpr const char* kLog = "/tmp/comgr-b08c94/input/CompileSource:1:1: error: expected unqualified-id\n1 error generated.\n";

struct FakeProgram {
  std::string log;
  std::vector<std::byte> code;
};
FakeProgram& held(Program program) {
  return *reinterpret_cast<FakeProgram*>(program);
}

// LLVM, "User Guide for AMDGPU Backend": a note {name size, size, type 32, "AMDGPU", map in MessagePack}.
std::string notes_of(const std::vector<fuselab::fake_cuda::FakeKernel>& kernels) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& each : kernels) {
    const nlohmann::json argument = {{".value_kind", "global_buffer"}};
    list.push_back({{".name", each.name},
                    {".vgpr_count", each.registers},
                    {".max_flat_workgroup_size", each.max_threads},
                    {".wavefront_size", 64},
                    {".args", std::vector<nlohmann::json>(static_cast<std::size_t>(each.parameters), argument)}});
  }
  const std::vector<std::uint8_t> map = nlohmann::json::to_msgpack({{"amdhsa.kernels", list}});
  const std::uint32_t head[] = {7, static_cast<std::uint32_t>(map.size()), 32};
  std::string note(reinterpret_cast<const char*>(head), sizeof head);
  note.append("AMDGPU\0\0", 8).append(map.begin(), map.end());
  note.resize((note.size() + 3) / 4 * 4);
  return note;
}

// The fake cubin of the text, as AMD's ELF files begin, with notes.
std::vector<std::byte> code_of(const std::string& text) {
  const auto kernels = fuselab::fake_cuda::kernels_in(text);
  std::vector<std::byte> code = fuselab::fake_cuda::fake_cubin(kernels, text, false, notes_of(kernels));
  code[7] = std::byte{64};  // of HSA's runtime
  code[8] = std::byte{3};   // code object version 5
  code[18] = std::byte{224};
  return code;
}

fuselab::fake_cuda::Behaviour asked() {
  return fuselab::fake_cuda::Behaviour::of("FUSELAB_FAKE_HIPRTC");
}

}  // namespace

FAKE_EXPORT int amd_comgr_get_isa_count(std::size_t* count) {
  return *count = static_cast<std::size_t>(asked().number("isas").value_or(2)), 0;
}
FAKE_EXPORT int amd_comgr_get_isa_name(std::size_t index, const char** name) {
  return *name = kIsas[index], 0;
}

FAKE_EXPORT const char* hiprtcGetErrorString(HiprtcCode code) {
  return code == kHiprtcCompilation     ? "HIPRTC_ERROR_COMPILATION"
         : code == kHiprtcInvalidOption ? "HIPRTC_ERROR_INVALID_OPTION"
                                        : "";
}
FAKE_EXPORT HiprtcCode hiprtcCreateProgram(Program* program, const char* text, const char*, int, const char**, const char**) {
  return *program = reinterpret_cast<Program>(new FakeProgram{"", code_of(text)}), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcDestroyProgram(Program* program) {
  return delete &held(*program), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcCompileProgram(Program program, int count, const char** options) {
  const std::string_view arch = options[0];
  if (arch != "--offload-arch=gfx90a" && arch != "--offload-arch=gfx942") std::abort();
  for (int i = 1; i < count; ++i) {
    const std::string_view option = options[i];
    if (option != "-O3" && option != "-std=c++17" && !option.starts_with("-f")) return kHiprtcInvalidOption;
  }
  if (asked().has("error")) return held(program).log = kLog, kHiprtcCompilation;
  return kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcGetProgramLogSize(Program program, std::size_t* size) {
  return *size = held(program).log.size(), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcGetProgramLog(Program program, char* log) {
  return std::memcpy(log, held(program).log.data(), held(program).log.size()), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcGetCodeSize(Program program, std::size_t* size) {
  return *size = held(program).code.size(), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcGetCode(Program program, char* code) {
  return std::memcpy(code, held(program).code.data(), held(program).code.size()), kHiprtcSuccess;
}
