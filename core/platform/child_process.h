// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/platform/unique_fd.h"

namespace fuselab::platform {

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;           // without the program's name
  std::vector<std::pair<int, int>> passed_fds;  // (descriptor here, number there ≥ 3); nothing else is inherited
  Bytes address_space;                          // RLIMIT_AS; 0: no limit
};

// A program that runs beside this one, in a process group of its own (a terminal's Ctrl-C does not reach it; killing it takes
// what it started along). Its standard input is empty; its output and errors are kept, the last 4 KiB of them, for crash
// reports. The destructor kills it. Used by one thread at a time.
class ChildProcess {
 public:
  // kNotFound, kIo when the program cannot be started: the message names it.
  static Result<ChildProcess> start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  int pid() const { return pid_; }
  // How it ended ("exited with code 3", "was killed by signal 11 (SIGSEGV)"), or nothing while it runs.
  std::optional<std::string> poll_exit();
  // Waits for its end; nothing when it still runs after `time`.
  std::optional<std::string> wait_exit(std::chrono::milliseconds time);
  void kill();  // SIGKILL for the whole group; returns when the process is gone

  // What it last wrote to its standard output and error; never blocks. Call it now and then, or a full pipe stops the child.
  const std::string& last_words();

 private:
  ChildProcess(int pid, UniqueFd output) : pid_(pid), output_(std::move(output)) {}

  int pid_ = -1;
  UniqueFd output_;
  std::string last_words_;
  std::optional<std::string> exit_;
};

// "was killed by signal 11 (SIGSEGV)", "exited with code 3" from a wait status.
std::string describe_exit(int wait_status);

}  // namespace fuselab::platform
