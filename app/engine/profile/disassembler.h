// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "profiler/static/disassembly.h"
#include "profiler/static/loop_report.h"

namespace fuselab::engine {

// The program of the system's that prints the machine code of one kind of binaries.
class Disassembler {
 public:
  // Returns it for a binary of that format and target: objdump or llvm-objdump for "elf-so" in $PATH; nvdisasm for "cubin" in
  // $PATH, in a CUDA toolkit, or in the Triton that `fuselab backends install` put here; llvm-objdump for "hsaco" in $PATH, the
  // newest first, or in ROCm. FUSELAB_NVDISASM and FUSELAB_LLVM_OBJDUMP name others. Fails with kUnsupported for other formats,
  // and with kUnavailable and what to install.
  static Result<Disassembler> find(const std::string& format, const std::string& target);

  // Runs it on a binary. Fails as platform::run_program does, and with kCorrupt where what it prints cannot be read.
  Result<std::vector<profile::DisassembledFunction>> read(const std::vector<std::byte>& binary, const std::stop_token& stop) const;

  // Returns the first line of what it says of its version: "GNU objdump (GNU Binutils for Debian) 2.40".
  std::string version(const std::stop_token& stop) const;

  profile::InstructionSet set() const { return set_; }
  // Returns what a compiler needs behind its flags so that instructions have lines of the source.
  const char* line_flags() const { return set_ == profile::InstructionSet::kX86 ? " -g1" : " --generate-line-info"; }

 private:
  Disassembler(std::filesystem::path program, profile::InstructionSet set, std::string target = {})
      : program_(std::move(program)), set_(set), target_(std::move(target)) {}

  std::filesystem::path program_;
  profile::InstructionSet set_;
  std::string target_;  // of a code object, whose instructions no header names to every llvm-objdump
};

}  // namespace fuselab::engine
