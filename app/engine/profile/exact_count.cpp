// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/exact_count.h"

#include <cstdlib>

#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/program_run.h"

namespace fuselab::engine {
namespace {

constexpr Bytes kLargestLog{std::int64_t{1} << 20};

// Arguments: the object, its entry, its tasks, bytes of scratch; entry and tasks of its preparation and the bytes of its buffer, or
// "-"; then the bytes of each buffer. Guards of arrays are not needed here: the kernel was verified where it was measured.
constexpr std::string_view kCaller = R"(#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef void (*kernel)(void* const*, void*, int64_t, int64_t);
static void* zeros(long long bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, (size_t)bytes + 4096) != 0) exit(3);
  for (long long i = 0; i < bytes + 4096; ++i) ((volatile char*)memory)[i] = 0;
  return memory;
}
int main(int count, char** words) {
  void* object = dlopen(words[1], RTLD_NOW);
  if (object == NULL) return 2;
  void* buffers[64];
  int buffer = 0;
  for (int i = 8; i < count && buffer < 60; ++i) buffers[buffer++] = zeros(atoll(words[i]));
  void* scratch = zeros(atoll(words[4]));
  if (words[5][0] != '-') {
    buffers[buffer] = zeros(atoll(words[7]));
    kernel prepare = (kernel)dlsym(object, words[5]);
    if (prepare == NULL) return 2;
    prepare(buffers, scratch, 0, atoll(words[6]));
  }
  kernel run = (kernel)dlsym(object, words[2]);
  if (run == NULL) return 2;
  run(buffers, scratch, 0, atoll(words[3]));
  return 0;
}
)";

struct Programs {
  std::filesystem::path valgrind, caller;
};

Result<Programs> make_programs(const std::filesystem::path& folder, const std::stop_token& stop) {
  const auto valgrind = platform::find_program({"valgrind"});
  if (!valgrind) return Error{ErrorCode::kUnavailable, "no valgrind in $PATH: apt-get install valgrind"};
  const auto compiler = platform::find_program({"gcc", "cc", "clang"});
  if (!compiler) return Error{ErrorCode::kUnavailable, "no C compiler in $PATH to make the program that callgrind runs"};
  FL_TRY_VOID(platform::write_file_atomically(folder / "caller.c", std::as_bytes(std::span(kCaller))));
  const Programs programs{*valgrind, folder / "caller"};
  platform::ProgramRun compile{*compiler, {"-O1", "-o", programs.caller.string(), (folder / "caller.c").string(), "-ldl"}};
  FL_TRY([[maybe_unused]] const std::string words, platform::run_program(compile, stop));
  return programs;
}

Result<std::vector<std::string>> call_of(const CompiledKernel& kernel, const std::string& object) {
  const KernelAbi& abi = kernel.abi;
  FL_TRY(const std::int64_t tasks, abi.grid_x.evaluate({}));
  FL_TRY(const std::int64_t scratch, abi.shared_bytes.evaluate({}));
  FL_TRY(const std::int64_t preparing, abi.preparation.tasks.evaluate({}));
  FL_TRY(const std::int64_t prepared, abi.preparation.bytes.evaluate({}));
  const std::string& prepares = abi.preparation.entry;
  std::vector<std::string> words = {object,
                                    abi.entry,
                                    std::to_string(tasks),
                                    std::to_string(scratch),
                                    prepares.empty() ? "-" : prepares,
                                    std::to_string(preparing),
                                    std::to_string(prepared)};
  for (const KernelArgument& argument : abi.arguments) {
    FL_TRY(const Bytes size, size_of(argument.type));
    words.push_back(std::to_string(size.count));
  }
  return words;
}

Result<double> count_kernel(const Programs& programs, const CompiledKernel& kernel, const std::filesystem::path& folder,
                            const std::stop_token& stop) {
  const std::string object = (folder / "kernel.so").string(), log = (folder / "log").string();
  FL_TRY_VOID(platform::write_file_atomically(object, kernel.binary.data));
  FL_TRY(const auto words, call_of(kernel, object));
  platform::ProgramRun run;
  run.program = programs.valgrind;
  run.limit = std::chrono::minutes(5);
  run.arguments = {"--tool=callgrind", "--toggle-collect=" + kernel.abi.entry, "--callgrind-out-file=/dev/null",
                   "--log-file=" + log, programs.caller.string()};
  run.arguments.insert(run.arguments.end(), words.begin(), words.end());
  const auto ran = platform::run_program(run, stop);
  if (!ran.ok()) return ran.error().within("under callgrind");
  FL_TRY(const std::vector<std::byte> bytes, platform::read_file(log, kLargestLog));
  const auto counted = read_callgrind_count({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!counted || *counted <= 0) return Error{ErrorCode::kCorrupt, "callgrind counted nothing in " + kernel.abi.entry};
  return *counted;
}

}  // namespace

std::optional<double> read_callgrind_count(std::string_view log) {
  constexpr std::string_view kLabel = "Collected :";
  const std::size_t at = log.find(kLabel);
  if (at == std::string_view::npos) return std::nullopt;
  return std::strtod(std::string(log.substr(at + kLabel.size(), 40)).c_str(), nullptr);
}

Metric count_instructions(const std::vector<CompiledKernel>& kernels, std::string name, const std::stop_token& stop) {
  Metric metric;
  metric.name = std::move(name);
  metric.source = "valgrind --tool=callgrind";
  const auto count = [&]() -> Result<double> {
    FL_TRY(const platform::TemporaryFolder folder, platform::TemporaryFolder::create("fuselab-profile"));
    FL_TRY(const Programs programs, make_programs(folder.path(), stop));
    double sum = 0;
    for (const CompiledKernel& kernel : kernels) {
      if (kernel.binary.format != "elf-so")
        return Error{ErrorCode::kUnsupported, "callgrind runs no kernel of format '" + kernel.binary.format + "'"};
      FL_TRY(const double one, count_kernel(programs, kernel, folder.path(), stop));
      sum += one;
    }
    return sum;
  };
  const auto counted = count();
  if (counted.ok()) {
    metric.value = counted.value();
  } else {
    metric.reason = counted.error().message;
  }
  return metric;
}

}  // namespace fuselab::engine
