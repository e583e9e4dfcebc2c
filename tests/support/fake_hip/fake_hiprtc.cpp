// SPDX-License-Identifier: Apache-2.0
// A library that looks like hiprtc and comgr of ROCm 5.2 and compiles nothing: a code object is the text. What it does not know
// ends the process, as it did then. $FUSELAB_FAKE_HIPRTC: "error" (the text has one), "isas=0" (comgr names none).
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "backends/rocm/abi/hiprtc_abi.h"
#include "tests/support/fake_cuda/behaviour.h"

using namespace fuselab::hip::abi;

namespace {

constexpr const char* kIsas[] = {"amdgcn-amd-amdhsa--gfx90a:sramecc+", "amdgcn-amd-amdhsa--gfx1030"};
constexpr const char* kLog = "/tmp/comgr-b08c94/input/CompileSource:1:1: error: expected unqualified-id\n1 error generated.\n";

struct FakeProgram {
  std::string text, log;
};
FakeProgram& held(Program program) {
  return *reinterpret_cast<FakeProgram*>(program);
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
  return *program = reinterpret_cast<Program>(new FakeProgram{text, ""}), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcDestroyProgram(Program* program) {
  return delete &held(*program), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcCompileProgram(Program program, int count, const char** options) {
  const std::string_view arch = options[0];
  if (arch != "--offload-arch=gfx90a" && arch != "--offload-arch=gfx1030") std::abort();
  for (int i = 1; i < count; ++i) {
    if (options[i] != std::string_view("-O3")) return kHiprtcInvalidOption;
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
  return *size = held(program).text.size(), kHiprtcSuccess;
}
FAKE_EXPORT HiprtcCode hiprtcGetCode(Program program, char* code) {
  return std::memcpy(code, held(program).text.data(), held(program).text.size()), kHiprtcSuccess;
}
