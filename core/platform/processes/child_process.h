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

// The process group of a child. kOwn: a terminal's Ctrl-C does not reach the child, and killing it also kills the processes that it
// started. kJoined: it stays in the group of this process, ends with the group, and is killed when the thread that started it ends:
// a compiler of a worker must not outlive the worker.
enum class ProcessGroup { kOwn, kJoined };

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;           // without the program's name
  std::vector<std::pair<int, int>> passed_fds;  // (descriptor here, number there ≥ 3); nothing else is inherited
  Bytes address_space;                          // RLIMIT_AS; 0: no limit
  ProcessGroup group = ProcessGroup::kOwn;
  std::vector<std::pair<std::string, std::string>> variables{};  // added to this process's environment
  std::vector<std::string> withheld{};                           // names of this process's variables that the child does not get
  std::filesystem::path folder{};                                // where it starts; empty: in this process's folder
  // Descriptors here for its standard input and output, in the place of nothing and of the kept words; -1: those.
  int input = -1, output = -1;
};

// A program that runs beside this one. Its standard input is empty; the last 4 KiB of its output and errors are kept for crash
// reports. The destructor kills it. Used by one thread at a time.
class ChildProcess {
 public:
  // Fails with kNotFound or kIo when the program cannot be started; the message names it.
  static Result<ChildProcess> start(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  int pid() const { return pid_; }
  // Returns how it ended ("exited with code 3", "was killed by signal 11 (SIGSEGV)"), or nothing while it runs.
  std::optional<std::string> poll_exit();
  // Waits for it to end; returns nothing when it still runs after `time`.
  std::optional<std::string> wait_exit(std::chrono::milliseconds time);
  // Returns the processor time of it and of the processes that it waited for; 0 while it runs.
  Nanoseconds processor_time() const { return processor_time_; }
  // Sends SIGKILL to it and the processes that it started; returns when the process is gone. Processes that a child with a group of
  // its own left behind are also killed when its own end is noticed.
  void kill();

  // Returns the end of what it wrote to its standard output and error; never blocks. Must be called now and then, or a full pipe
  // stops the child.
  const std::string& last_words();

 private:
  ChildProcess(int pid, ProcessGroup group, UniqueFd output) : pid_(pid), group_(group), output_(std::move(output)) {}

  int pid_ = -1;
  ProcessGroup group_ = ProcessGroup::kOwn;
  UniqueFd output_;
  std::string last_words_;
  std::optional<std::string> exit_;
  Nanoseconds processor_time_;
};

// Returns "was killed by signal 11 (SIGSEGV)" or "exited with code 3" for a wait status.
std::string describe_exit(int wait_status);

// Returns the code in a text that begins in this way; nothing for a signal.
std::optional<int> exit_code_in(std::string_view text);

// Returns true when a text that begins "<who> " + describe_exit() names a signal that programs do not send themselves: SIGKILL
// (also the out-of-memory killer's), SIGTERM, SIGINT, SIGHUP. Such an end says nothing about what the program was doing.
bool ended_from_outside(std::string_view text);

}  // namespace fuselab::platform
