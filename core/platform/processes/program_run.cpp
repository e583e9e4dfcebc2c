// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/program_run.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>

#include <algorithm>
#include <cstdlib>

#include "core/platform/processes/child_process.h"
#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {
namespace {

// "60", "0.5".
std::string seconds_text(std::chrono::milliseconds limit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", static_cast<double>(limit.count()) / 1000);
  return text;
}

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

Result<ProgramEnd> run_to_end(const ProgramRun& run, std::stop_token stop) {
  FL_TRY(const UniqueFd output, memory_file("fuselab-output"));
  FL_TRY(const UniqueFd input, memory_file("fuselab-input"));
  FL_TRY_VOID(put(input, run.input));
  ChildOptions options;
  options.program = run.program;
  options.arguments = run.arguments;
  options.variables = run.variables;
  options.withheld = run.withheld;
  options.folder = run.folder;
  options.input = input.get();
  options.output = output.get();
  const Nanoseconds start = monotonic_now();
  FL_TRY(ChildProcess child, ChildProcess::start(options));
  const std::string name = run.program.filename().string();
  const auto since_start = [&] { return Nanoseconds{monotonic_now().count - start.count}; };
  ProgramEnd end;
  for (;;) {
    const std::optional<std::string> exit = child.wait_exit(std::chrono::milliseconds(5));
    end.time = since_start();
    end.words = child.last_words();
    if (size_of_file(output) > run.most_output.count) {
      end.problem = Error{ErrorCode::kUnsupported, name + " wrote more than " + format_bytes(run.most_output)};
    } else if (exit && *exit != "exited with code 0") {
      end.problem = Error{ErrorCode::kCrashed, name + " " + *exit};
    } else if (!exit && stop.stop_requested()) {
      return Error{ErrorCode::kCancelled, "cancelled"};
    } else if (!exit && end.time.count > 1e6 * static_cast<double>(run.limit.count())) {
      end.problem = Error{ErrorCode::kTimeout, name + " took longer than " + seconds_text(run.limit) + " s and was stopped"};
    }
    if (!exit && !end.problem) continue;
    child.kill();
    end.processor_time = child.processor_time();
    if (end.problem && end.problem->code == ErrorCode::kUnsupported) return end;
    FL_TRY(end.output, contents_of(output));
    return end;
  }
}

Result<std::string> run_program(const ProgramRun& run, std::stop_token stop) {
  ProgramRun plain = run;
  plain.variables.emplace_back("LC_ALL", "C");  // what it prints is read by a program
  FL_TRY(ProgramEnd end, run_to_end(plain, std::move(stop)));
  if (!end.problem) return std::move(end.output);
  if (end.problem->code != ErrorCode::kCrashed) return *end.problem;
  return Error{ErrorCode::kCrashed, end.problem->message + last_line(end.words)};
}

}  // namespace fuselab::platform
