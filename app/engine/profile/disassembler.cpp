// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/disassembler.h"

#include <cstdlib>
#include <optional>
#include <system_error>

#include "core/platform/files/atomic_file.h"
#include "core/platform/files/directories.h"
#include "core/platform/files/installed_stack.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"
#include "profiler/static/amdgcn.h"
#include "profiler/static/sass.h"

namespace fuselab::engine {
namespace {

constexpr const char* kToolkits[] = {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/local/cuda-13/bin", "/usr/local/cuda-12/bin"};

bool is_program(const std::filesystem::path& path) {
  using std::filesystem::perms;
  std::error_code failed;
  const auto found = std::filesystem::status(path, failed);
  constexpr perms kExecutable = perms::owner_exec | perms::group_exec | perms::others_exec;
  return std::filesystem::is_regular_file(found) && (found.permissions() & kExecutable) != perms::none;
}

// Triton's wheels bring the assembler's tools along.
std::optional<std::filesystem::path> triton_tools() {
  const InstallableStack* const triton = find_installable_stack("triton");
  if (triton == nullptr) return std::nullopt;
  return platform::stack_folder(platform::base_directories().data, *triton) / "triton/backends/nvidia/bin";
}

// Returns the program that the variable names, or one of the names in $PATH, or in the folders. Fails with `absent`.
Result<std::filesystem::path> find_tool(const char* variable, std::initializer_list<std::string_view> names,
                                        const std::vector<std::filesystem::path>& folders, const std::string& absent) {
  if (const char* const named = std::getenv(variable); named != nullptr && *named != '\0') {
    if (is_program(named)) return std::filesystem::path(named);
    return Error{ErrorCode::kUnavailable, variable + std::string(" names '") + named + "', which is no program"};
  }
  if (const auto found = platform::find_program(names)) return *found;
  for (const std::filesystem::path& folder : folders) {
    for (const std::string_view name : names) {
      if (is_program(folder / name)) return folder / name;
    }
  }
  return Error{ErrorCode::kUnavailable, absent};
}

Result<std::filesystem::path> find_nvdisasm() {
  std::vector<std::filesystem::path> folders(std::begin(kToolkits), std::end(kToolkits));
  if (const auto tools = triton_tools()) folders.push_back(*tools);
  return find_tool("FUSELAB_NVDISASM", {"nvdisasm"}, folders,
                   "nvdisasm is neither in $PATH nor in a CUDA toolkit; FUSELAB_NVDISASM names one. Triton brings one along: "
                   "`fuselab backends install triton`");
}

// An older one knows none of these targets: it ends in an abort.
constexpr const char* kNewEnough = "LLVM 19 knows AMD's gfx942 and gfx1100, LLVM 20 gfx950: apt-get install llvm-19";

Result<std::filesystem::path> find_llvm_objdump() {
  return find_tool("FUSELAB_LLVM_OBJDUMP",
                   {"llvm-objdump-22", "llvm-objdump-21", "llvm-objdump-20", "llvm-objdump-19", "llvm-objdump", "llvm-objdump-18",
                    "llvm-objdump-17"},
                   {"/opt/rocm/llvm/bin"},
                   std::string("llvm-objdump is neither in $PATH nor in ROCm; FUSELAB_LLVM_OBJDUMP names one. ") + kNewEnough);
}

}  // namespace

Result<Disassembler> Disassembler::find(const std::string& format, const std::string& target) {
  if (format == "cubin") {
    FL_TRY(auto program, find_nvdisasm());
    return Disassembler(std::move(program), profile::InstructionSet::kSass);
  }
  if (format == "hsaco") {
    FL_TRY(auto program, find_llvm_objdump());
    return Disassembler(std::move(program), profile::InstructionSet::kAmdgcn, target);
  }
  if (format != "elf-so")
    return Error{ErrorCode::kUnsupported, "kernels are no machine code that is read here, but '" + format + "'"};
  const auto program = platform::find_program({"objdump", "llvm-objdump"});
  if (!program)
    return Error{ErrorCode::kUnavailable, "no disassembler in $PATH (objdump and llvm-objdump): apt-get install binutils"};
  return Disassembler(*program, profile::InstructionSet::kX86);
}

Result<std::vector<profile::DisassembledFunction>> Disassembler::read(const std::vector<std::byte>& binary,
                                                                      const std::stop_token& stop) const {
  FL_TRY(const platform::TemporaryFolder folder, platform::TemporaryFolder::create("fuselab-profile"));
  const std::filesystem::path file = folder.path() / "kernel";
  FL_TRY_VOID(platform::write_file_atomically(file, binary));
  const bool is_sass = set_ == profile::InstructionSet::kSass;
  platform::ProgramRun run;
  run.program = program_;
  run.arguments = is_sass ? std::vector<std::string>{"-c", "-g"} : std::vector<std::string>{"-d", "-l"};
  // GNU's needs -w to keep an instruction's bytes on one line; LLVM's always does and has no such option.
  if (program_.filename() == "objdump") run.arguments.emplace_back("-w");
  const bool is_amdgcn = set_ == profile::InstructionSet::kAmdgcn;
  if (is_amdgcn) run.arguments.insert(run.arguments.end(), {"--triple=amdgcn-amd-amdhsa", "--mcpu=" + target_});
  run.arguments.push_back(file.string());
  const auto text = platform::run_program(run, stop);
  if (!text.ok() && is_amdgcn && text.error().code != ErrorCode::kCancelled)
    // Behind the end by a signal stands a line of its stack, which says nothing to a reader.
    return Error{text.error().code,
                 text.error().message.substr(0, text.error().message.find(": #")) + " on code of " + target_ + ". " + kNewEnough};
  if (!text.ok()) return text.error();
  if (is_amdgcn) return profile::read_amdgcn(text.value());
  return is_sass ? profile::read_sass(text.value()) : profile::read_disassembly(text.value());
}

std::string Disassembler::version(const std::stop_token& stop) const {
  const auto printed = platform::run_program({program_, {"--version"}}, stop);
  if (!printed.ok()) return program_.string();
  // NVIDIA's says what it is in the first line and its release in another.
  const std::string& text = printed.value();
  const std::size_t release = text.find("release ");
  const std::string first = text.substr(0, text.find('\n'));
  return release == std::string::npos ? first : first + ", " + text.substr(release, text.find('\n', release) - release);
}

}  // namespace fuselab::engine
