// SPDX-License-Identifier: Apache-2.0
// A library that looks like NVRTC and compiles nothing. It is 12.9, or what the file beside it says that has its name and
// ".version" behind. $FUSELAB_FAKE_NVRTC says how it behaves: "version=11.8", "error" (the text has one in line 3), "spills",
// "registers=255", "shared=70000", "builtins" (they are missing), "crash", "varied" (registers and spills as the text is long);
// separated by commas.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "backends/cuda/abi/nvrtc_abi.h"
#include "tests/support/fake_cuda/behaviour.h"
#include "tests/support/fake_cuda/fake_cubin.h"

using namespace fuselab;
using namespace fuselab::cuda::abi;
using fake_cuda::Behaviour;

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct FakeProgram {
  std::string source, log, ptx;
  std::vector<std::byte> cubin;
};

Behaviour behaviour() {
  return Behaviour::of("FUSELAB_FAKE_NVRTC");
}

FakeProgram& program_of(Program program) {
  return *reinterpret_cast<FakeProgram*>(program);
}

NvrtcCode copy(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kNvrtcSuccess;
}

std::string own_path() {
  Dl_info info{};
  return dladdr(reinterpret_cast<void*>(&own_path), &info) != 0 ? info.dli_fname : "";
}

std::string log_of(const fake_cuda::FakeKernel& kernel, bool spills) {
  const std::string spilled = spills ? "128" : "0";
  return "ptxas info    : Compiling entry function '" + kernel.name + "' for 'sm_90'\nptxas info    : Function properties for " +
         kernel.name + "\nptxas         .     " + std::to_string(kernel.stack_bytes) + " bytes stack frame, " + spilled +
         " bytes spill stores, " + spilled + " bytes spill loads\nptxas info    : Used " + std::to_string(kernel.registers) +
         " registers, used 0 barriers" +
         (kernel.shared_bytes > 0 ? ", " + std::to_string(kernel.shared_bytes) + " bytes smem" : "") + "\n";
}

}  // namespace

FAKE_EXPORT NvrtcCode nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 9;
  if (std::ifstream beside(own_path() + ".version"); beside) {
    char dot = '.';
    beside >> *major >> dot >> *minor;
  }
  if (const auto version = behaviour().text("version")) std::sscanf(version->c_str(), "%d.%d", major, minor);
  return kNvrtcSuccess;
}

FAKE_EXPORT const char* nvrtcGetErrorString(NvrtcCode code) {
  return code == kNvrtcBuiltinFailure ? "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE" : "NVRTC_ERROR";
}

FAKE_EXPORT NvrtcCode nvrtcGetNumSupportedArchs(int* count) {
  *count = 3;
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcGetSupportedArchs(int* archs) {
  const int known[] = {80, 90, 120};
  std::memcpy(archs, known, sizeof known);
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcCreateProgram(Program* program, const char* source, const char*, int, const char* const*,
                                         const char* const*) {
  *program = reinterpret_cast<Program>(new FakeProgram{source, {}, {}, {}});
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcDestroyProgram(Program* program) {
  delete reinterpret_cast<FakeProgram*>(*program);
  *program = nullptr;
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcCompileProgram(Program program, int, const char* const*) {
  const Behaviour asked = behaviour();
  FakeProgram& held = program_of(program);
  if (asked.has("crash")) std::abort();
  if (asked.has("builtins")) return kNvrtcBuiltinFailure;
  if (asked.has("error")) {
    held.log =
        "kernel.cu(3): error: identifier \"nonsense\" is undefined\n    nonsense;\n    ^\n\n1 error detected in the compilation of "
        "\"kernel.cu\".\n";
    return kNvrtcCompilation;
  }
  auto kernels = fake_cuda::kernels_in(held.source);
  for (auto& kernel : kernels) {
    kernel.registers = static_cast<std::uint32_t>(asked.number("registers").value_or(32));
    kernel.shared_bytes = static_cast<std::uint64_t>(asked.number("shared").value_or(0));
    // Of long texts more: the longest spill.
    const std::size_t length = held.source.size() - std::min(held.source.size(), held.source.find("End of the prelude"));
    if (asked.has("varied")) kernel.registers = static_cast<std::uint32_t>(std::min<std::size_t>(16 + length / 50, 250));
    const bool spills = asked.has("spills") || (asked.has("varied") && kernel.registers == 250);
    kernel.stack_bytes = spills ? 128 : 0;
    held.log += log_of(kernel, spills);
  }
  held.cubin = fake_cuda::fake_cubin(kernels, held.source);
  held.ptx = "// no PTX: nothing was compiled\n";
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcGetProgramLogSize(Program program, std::size_t* size) {
  *size = program_of(program).log.size() + 1;
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcGetProgramLog(Program program, char* log) {
  return copy(program_of(program).log, log);
}

FAKE_EXPORT NvrtcCode nvrtcGetCUBINSize(Program program, std::size_t* size) {
  *size = program_of(program).cubin.size();
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcGetCUBIN(Program program, char* cubin) {
  std::memcpy(cubin, program_of(program).cubin.data(), program_of(program).cubin.size());
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcGetPTXSize(Program program, std::size_t* size) {
  *size = program_of(program).ptx.size() + 1;
  return kNvrtcSuccess;
}

FAKE_EXPORT NvrtcCode nvrtcGetPTX(Program program, char* ptx) {
  return copy(program_of(program).ptx, ptx);
}
