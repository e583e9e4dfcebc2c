// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/program_run.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/platform/processes/child_process.h"
#include "core/platform/system/os_error.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {
namespace {

Result<UniqueFd> memory_file(const char* name) {
  UniqueFd file(::memfd_create(name, MFD_CLOEXEC));
  if (!file.valid()) return last_os_error("make a file in memory");
  return file;
}

std::int64_t size_of_file(const UniqueFd& file) {
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0 ? static_cast<std::int64_t>(facts.st_size) : 0;
}

Result<std::string> contents_of(const UniqueFd& file) {
  std::string text(static_cast<std::size_t>(size_of_file(file)), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = ::pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0) return last_os_error("read what a program wrote");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

Status put(const UniqueFd& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0) return last_os_error("write a program's input");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return last_os_error("write a program's input");
  return {};
}

std::string last_line(const std::string& words) {
  const std::size_t end = words.find_last_not_of(" \n");
  if (end == std::string::npos) return {};
  const std::size_t start = words.rfind('\n', end);
  return ": " + words.substr(start == std::string::npos ? 0 : start + 1, end - (start == std::string::npos ? 0 : start + 1) + 1);
}

}  // namespace

std::optional<std::filesystem::path> find_program(std::initializer_list<std::string_view> names) {
  const char* const path = std::getenv("PATH");
  for (const std::string_view name : names) {
    std::string_view folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (!folders.empty()) {
      const std::string_view folder = folders.substr(0, folders.find(':'));
      folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
      const std::filesystem::path file = std::filesystem::path(folder) / name;
      std::error_code ignored;
      if (!folder.empty() && std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return std::nullopt;
}

Result<std::string> run_program(const ProgramRun& run, std::stop_token stop) {
  FL_TRY(const UniqueFd output, memory_file("fuselab-output"));
  FL_TRY(const UniqueFd input, memory_file("fuselab-input"));
  FL_TRY_VOID(put(input, run.input));
  ChildOptions options;
  options.program = run.program;
  options.arguments = run.arguments;
  options.variables = run.variables;
  options.variables.emplace_back("LC_ALL", "C");  // what it prints is read by a program
  options.input = input.get();
  options.output = output.get();
  FL_TRY(ChildProcess child, ChildProcess::start(options));
  const std::string name = run.program.filename().string();
  const auto deadline = std::chrono::steady_clock::now() + run.limit;
  for (;;) {
    const std::optional<std::string> exit = child.wait_exit(std::chrono::milliseconds(5));
    const std::string words = child.last_words();
    if (size_of_file(output) > run.most_output.count)
      return Error{ErrorCode::kUnsupported, name + " wrote more than " + format_bytes(run.most_output)};
    if (exit && *exit == "exited with code 0") return contents_of(output);
    if (exit) return Error{ErrorCode::kCrashed, name + " " + *exit + last_line(words)};
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    if (std::chrono::steady_clock::now() > deadline)
      return Error{ErrorCode::kTimeout,
                   name + " took longer than " + std::to_string(run.limit.count() / 1000) + " s and was stopped"};
  }
}

}  // namespace fuselab::platform
