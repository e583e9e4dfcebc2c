// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/repository.h"

#include "core/base/plain_text.h"
#include "core/platform/child_process.h"

namespace fuselab::session {
namespace {

std::filesystem::path git_program() {
  std::error_code ignored;
  for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) {
    std::filesystem::path const program = std::filesystem::path(folder) / "git";
    if (std::filesystem::exists(program, ignored)) return program;
  }
  return {};
}

}  // namespace

Result<std::string> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments, std::stop_token stop,
                            std::chrono::seconds limit) {
  platform::ChildOptions options;
  options.program = git_program();
  if (options.program.empty()) return Error{ErrorCode::kUnavailable, "git is not installed"};
  // Within a hook git names another repository, and an index that is being written, to whoever it starts.
  options.arguments = {"-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "-u", "GIT_COMMON_DIR", "-u", "GIT_PREFIX"};
  for (const std::string& word : {options.program.string(), std::string("-C"), folder.empty() ? "." : folder.string()})
    options.arguments.push_back(word);
  options.program = "/usr/bin/env";
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  options.variables = {{"LC_ALL", "C"}, {"GIT_TERMINAL_PROMPT", "0"}};
  FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
  auto const deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    auto const exit = child.wait_exit(std::chrono::milliseconds(10));
    std::string words = child.last_words();
    while (!words.empty() && words.back() == '\n') words.pop_back();
    if (exit && *exit == "exited with code 0") return words;
    if (exit) return Error{ErrorCode::kNotFound, "git: " + plain_line(words.substr(0, 300))};
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    if (std::chrono::steady_clock::now() > deadline) return Error{ErrorCode::kTimeout, "git did not answer in time"};
  }
}

std::string commit_of(const std::filesystem::path& folder) {
  auto const commit = run_git(folder, {"rev-parse", "--verify", "HEAD"}, {});
  return commit.ok() && is_commit_name(commit.value()) ? commit.value() : std::string();
}

}  // namespace fuselab::session
