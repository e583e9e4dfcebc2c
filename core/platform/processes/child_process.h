// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// kOwn: a terminal's Ctrl-C does not reach the child, and killing it takes along whatever it started. kJoined: it stays in the
// group of this process, ends with the group, and is killed when the thread that started it ends: a compiler of a worker must not
// outlive the worker.
enum class ProcessGroup { kOwn, kJoined };

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;           // without the program's name
  std::vector<std::pair<int, int>> passed_fds;  // (descriptor here, number there ≥ 3); nothing else is inherited
  Bytes address_space;                          // RLIMIT_AS; 0: no limit
  ProcessGroup group = ProcessGroup::kOwn;
  std::vector<std::pair<std::string, std::string>> variables{};  // of its environment, besides this process's own
  std::vector<std::string> withheld{};                           // names of this process's variables that it does not get
};

// A program that runs beside this one. Its standard input is empty; its output and errors are kept, the last 4 KiB of them, for
// crash reports. The destructor kills it. Used by one thread at a time.
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
  // SIGKILL for it and what it started; returns when the process is gone. What a child with a group of its own left behind is
  // also killed when its own end is seen.
  void kill();

  // What it last wrote to its standard output and error; never blocks. Call it now and then, or a full pipe stops the child.
  const std::string& last_words();

 private:
  ChildProcess(int pid, ProcessGroup group, UniqueFd output) : pid_(pid), group_(group), output_(std::move(output)) {}

  int pid_ = -1;
  ProcessGroup group_ = ProcessGroup::kOwn;
  UniqueFd output_;
  std::string last_words_;
  std::optional<std::string> exit_;
};

// "was killed by signal 11 (SIGSEGV)", "exited with code 3" from a wait status.
std::string describe_exit(int wait_status);

// The code of a text that begins so; nothing for a signal.
std::optional<int> exit_code_in(std::string_view text);

// Whether a text that begins "<who> " + describe_exit() tells of a signal that programs do not send themselves: SIGKILL (also the
// out-of-memory killer's), SIGTERM, SIGINT, SIGHUP. Such an end says nothing of what the program was doing.
bool ended_from_outside(std::string_view text);

}  // namespace fuselab::platform
