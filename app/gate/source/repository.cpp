// SPDX-License-Identifier: Apache-2.0
#include "app/gate/source/repository.h"

#include "core/base/plain_text.h"
#include "core/platform/processes/child_process.h"

namespace fuselab::engine {
namespace {

// Settings that keep git from starting programs of the repository's own configuration: its hooks, a watcher of its files at each
// checkout, a checker of signatures where a log is read. The last three are for gits that take hooks from the configuration as well
// (2.54), for the events of a checkout; others do not know these settings and ignore them.
constexpr const char* kNoPrograms[] = {"core.hooksPath=/dev/null",
                                       "core.fsmonitor=false",
                                       "log.showSignature=false",
                                       "hook.post-checkout.enabled=false",
                                       "hook.post-index-change.enabled=false",
                                       "hook.reference-transaction.enabled=false"};

std::filesystem::path git_program() {
  std::error_code ignored;
  for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    const std::filesystem::path program = std::filesystem::path(folder) / "git";
    if (std::filesystem::exists(program, ignored)) return program;
  }
  return {};
}

}  // namespace

std::vector<std::string> repository_variables() {
  // `git rev-parse --local-env-vars` without those that set options, which are the user's.
  return {"GIT_DIR",
          "GIT_WORK_TREE",
          "GIT_IMPLICIT_WORK_TREE",
          "GIT_INDEX_FILE",
          "GIT_COMMON_DIR",
          "GIT_PREFIX",
          "GIT_OBJECT_DIRECTORY",
          "GIT_ALTERNATE_OBJECT_DIRECTORIES",
          "GIT_QUARANTINE_PATH",
          "GIT_GRAFT_FILE",
          "GIT_SHALLOW_FILE",
          "GIT_NAMESPACE",
          "GIT_REPLACE_REF_BASE"};
}

Result<platform::ChildOptions> git_command(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  platform::ChildOptions options;
  options.program = git_program();
  if (options.program.empty()) return Error{ErrorCode::kUnavailable, "git is not installed"};
  for (const char* setting : kNoPrograms) options.arguments.insert(options.arguments.end(), {"-c", setting});
  options.arguments.insert(options.arguments.end(), {"-C", folder.empty() ? "." : folder.string()});
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.variables = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}};
  options.withheld = repository_variables();
  return options;
}

Result<std::string> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments, std::stop_token stop,
                            std::chrono::seconds limit) {
  FL_TRY(const platform::ChildOptions options, git_command(folder, arguments));
  FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
  const bool looks_up = !arguments.empty() && arguments.front() == "rev-parse";
  const ErrorCode code = looks_up ? ErrorCode::kNotFound : ErrorCode::kIo;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    const auto exit = child.wait_exit(std::chrono::milliseconds(10));
    std::string words = child.last_words();
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (exit && *exit == "exited with code 0") return words;
    if (exit) return Error{code, "git: " + plain_line(words.substr(0, 300))};
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    if (std::chrono::steady_clock::now() > deadline) return Error{ErrorCode::kTimeout, "git did not answer in time"};
  }
}

std::string commit_of(const std::filesystem::path& folder) {
  const auto commit = run_git(folder, {"rev-parse", "--verify", "HEAD"}, {});
  return commit.ok() && is_commit_name(commit.value()) ? commit.value() : std::string();
}

Result<std::string> commit_named(const std::filesystem::path& folder, const std::string& name, std::stop_token stop) {
  FL_TRY(const std::string top, run_git(folder, {"rev-parse", "--show-toplevel"}, stop));
  const auto commit = run_git(folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, stop);
  if (commit.ok() && is_commit_name(commit.value())) return commit;
  if (!commit.ok() && commit.error().code != ErrorCode::kNotFound) return commit.error();
  return Error{ErrorCode::kNotFound, "'" + name + "' names no commit of " + top};
}

}  // namespace fuselab::engine
