// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>

#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"
#include "core/platform/system/process_tree.h"

namespace fuselab::platform {
namespace {

constexpr std::size_t kLastWords = 4096;
constexpr std::string_view kKilledBy = "was killed by signal ";
constexpr std::string_view kExitedWith = "exited with code ";
constexpr int kFirstFreeFd = 64;  // above every number that is passed on, so that moving one never overwrites another

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe(int flags) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | flags) != 0) return last_os_error("create a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// All that the child needs between fork and exec, prepared before: there only async-signal-safe calls are allowed.
struct Launch {
  std::string program, folder;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  ProcessGroup group = ProcessGroup::kOwn;
  int parent = -1;
  std::vector<std::pair<int, int>> fds;  // (high number, wanted number)
  int input = -1, output = -1, words = -1, failure = -1;
  std::int64_t address_space = 0;
};

[[noreturn]] void fail_in_child(const Launch& launch) {
  const int number = errno;
  [[maybe_unused]] const ssize_t written = ::write(launch.failure, &number, sizeof number);
  ::_exit(127);
}

void join_group(const Launch& launch) {
  if (launch.group == ProcessGroup::kOwn) {
    ::setpgid(0, 0);
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.parent) ::_exit(127);  // it died before the signal was asked for
}

[[noreturn]] void become(const Launch& launch) {
  join_group(launch);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (::dup2(launch.input, 0) < 0 || ::dup2(launch.output, 1) < 0 || ::dup2(launch.words, 2) < 0) fail_in_child(launch);
  // Whatever else is open here, a parent's leak included, ends at exec; dup2 makes its copies without that mark.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const auto& [from, to] : launch.fds) {
    if (::dup2(from, to) < 0) fail_in_child(launch);
  }
  if (launch.address_space > 0) {
    const auto limit = static_cast<rlim_t>(launch.address_space);
    const rlimit both{limit, limit};
    if (::setrlimit(RLIMIT_AS, &both) != 0) fail_in_child(launch);
  }
  if (!launch.folder.empty() && ::chdir(launch.folder.c_str()) != 0) fail_in_child(launch);
  const rlimit no_core{0, 0};  // a crashing candidate is an outcome, not a core file of its buffers
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::execve(launch.program.c_str(), launch.arguments.data(), launch.environment.data());
  fail_in_child(launch);
}

// A copy at or above kFirstFreeFd.
Result<UniqueFd> lifted(int fd) {
  UniqueFd high(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeFd));
  if (!high.valid() && errno == EINVAL) {  // the number itself is beyond the limit
    return Error{ErrorCode::kUnavailable,
                 "this process may open too few files to start workers; allow at least 256 (`ulimit -n 256`)"};
  }
  if (!high.valid()) return last_os_error("pass a descriptor to a worker");
  return high;
}

// This process's variables without those that are withheld, and with the given ones in place of, or besides, those of the same
// names.
std::vector<std::string> environment_of(const ChildOptions& options) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) lines.emplace_back(*line);
  const auto drop = [&](const std::string& variable) {
    std::erase_if(lines, [&](const std::string& line) { return line.starts_with(variable); });
  };
  for (const std::string& name : options.withheld) drop(name + "=");
  for (const auto& [name, value] : options.variables) {
    std::string variable = name + "=";
    drop(variable);
    lines.push_back(std::move(variable.append(value)));
  }
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

double nanoseconds_of(const timeval& time) {
  return 1e9 * static_cast<double>(time.tv_sec) + 1e3 * static_cast<double>(time.tv_usec);
}

std::string signal_text(int number) {
  const char* const name = ::sigabbrev_np(number);
  return std::to_string(number) + (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
}

}  // namespace

std::string describe_exit(int wait_status) {
  if (WIFSIGNALED(wait_status)) return std::string(kKilledBy) + signal_text(WTERMSIG(wait_status));
  return std::string(kExitedWith) + std::to_string(WEXITSTATUS(wait_status));
}

std::optional<int> exit_code_in(std::string_view text) {
  if (!text.starts_with(kExitedWith)) return std::nullopt;
  text.remove_prefix(kExitedWith.size());
  int code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  return error == std::errc() ? std::optional<int>(code) : std::nullopt;
}

bool ended_from_outside(std::string_view text) {
  text = text.substr(0, text.find(';'));  // behind it come the program's own words
  const std::size_t place = text.find(kKilledBy);
  if (place == std::string_view::npos) return false;
  text.remove_prefix(place + kKilledBy.size());
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP;
}

Result<ChildProcess> ChildProcess::start(const ChildOptions& options) {
  FL_TRY(Pipe output, make_pipe(0));
  FL_TRY(Pipe failure, make_pipe(0));
  const UniqueFd input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input.valid()) return last_os_error("open '/dev/null'");
  ::fcntl(output.read.get(), F_SETFL, O_NONBLOCK);

  std::vector<std::string> texts = options.arguments;
  texts.insert(texts.begin(), options.program.string());
  Launch launch;
  launch.program = options.program.string();
  launch.folder = options.folder.string();
  launch.arguments = pointers_to(texts);
  std::vector<std::string> variables = environment_of(options);
  launch.environment = pointers_to(variables);
  launch.group = options.group;
  launch.parent = ::getpid();
  std::vector<UniqueFd> owned;
  const auto lift = [&owned](int fd) -> Result<int> {
    FL_TRY(UniqueFd high, lifted(fd));
    owned.push_back(std::move(high));
    return owned.back().get();
  };
  for (const auto& [from, to] : options.passed_fds) {
    FL_ASSERT(to >= 3 && to < kFirstFreeFd);
    FL_TRY(const int high, lift(from));
    launch.fds.emplace_back(high, to);
  }
  FL_TRY(launch.input, lift(options.input >= 0 ? options.input : input.get()));
  FL_TRY(launch.words, lift(output.write.get()));
  FL_TRY(launch.output, lift(options.output >= 0 ? options.output : output.write.get()));
  FL_TRY(launch.failure, lift(failure.write.get()));
  launch.address_space = options.address_space.count;

  const int pid = ::fork();
  if (pid < 0) return last_os_error("start '" + launch.program + "'");
  if (pid == 0) become(launch);
  if (launch.group == ProcessGroup::kOwn)
    ::setpgid(pid, pid);  // as the child does: whoever is first, the group exists before anybody kills it
  owned.clear();
  failure.write.reset();
  output.write.reset();

  ChildProcess child(pid, launch.group, std::move(output.read));
  int number = 0;
  ssize_t got = 0;
  do {
    got = ::read(failure.read.get(), &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  if (got == sizeof number) return os_error("start '" + launch.program + "'", number);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      group_(other.group_),
      output_(std::move(other.output_)),
      last_words_(std::move(other.last_words_)),
      exit_(std::move(other.exit_)),
      processor_time_(other.processor_time_) {}

ChildProcess::~ChildProcess() {
  kill();
}

std::optional<std::string> ChildProcess::poll_exit() {
  if (exit_ || pid_ < 0) return exit_;
  siginfo_t seen{};
  const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT);
  if (asked == 0 && seen.si_pid == 0) return exit_;
  // While it is not waited for, its number and so its group's are nobody else's.
  if (asked == 0 && group_ == ProcessGroup::kOwn) ::kill(-pid_, SIGKILL);
  int status = 0;
  rusage used{};
  const int ended = ::wait4(pid_, &status, WNOHANG, &used);
  if (ended == pid_) {
    exit_ = describe_exit(status);
    processor_time_ = {nanoseconds_of(used.ru_utime) + nanoseconds_of(used.ru_stime)};
  }
  if (ended < 0 && errno == ECHILD) exit_ = "ended unseen";  // somebody else waited for it
  return exit_;
}

std::optional<std::string> ChildProcess::wait_exit(std::chrono::milliseconds time) {
  constexpr int kSlice = 5;  // ms; how often its pipe is emptied
  const double deadline = monotonic_now().count + static_cast<double>(time.count()) * 1e6;
  const UniqueFd watch(pid_ < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  while (!poll_exit() && monotonic_now().count < deadline) {
    last_words();
    pollfd ended{watch.get(), POLLIN, 0};  // a kernel without such descriptors: only the time
    ::poll(&ended, 1, watch.valid() ? kSlice : 1);
  }
  return exit_;
}

void ChildProcess::kill() {
  if (pid_ < 0 || exit_) return;
  if (group_ == ProcessGroup::kOwn) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
  } else {
    kill_process_tree(pid_);
  }
  int status = 0;
  int ended = 0;
  do {
    ended = ::waitpid(pid_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  exit_ = ended == pid_ ? describe_exit(status) : "ended unseen";
}

const std::string& ChildProcess::last_words() {
  char part[kLastWords];
  for (int reads = 0; reads < 64; ++reads) {  // bounded: a child that never stops writing must not hold us here
    const ssize_t got = ::read(output_.get(), part, sizeof part);
    if (got <= 0) break;
    last_words_.append(part, static_cast<std::size_t>(got));
    if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
  }
  return last_words_;
}

}  // namespace fuselab::platform
