// SPDX-License-Identifier: Apache-2.0
// Kill -9 of a session while it compiles: its workers and their compilers end with it, and the next start clears up after it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace fuselab {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

struct Process {
  int pid = -1;
  std::string name;
};

class KilledEngine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("fuselab-orphans-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "tmp");
    for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}) ::setenv(variable, folder_.c_str(), 1);
    ::setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
  }
  void TearDown() override {
    for (const Process& process : family()) ::kill(process.pid, SIGKILL);
    ::unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }

  // Starts `fuselab bench` with kernels that are not stored yet.
  int start(const std::string& shape) const {
    std::vector<std::string> words{
        FUSELAB_PROGRAM, "bench", "w3", "--shape", shape, "--device", "cpu:0", "--db", (folder_ / "results.db").string()};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    EXPECT_EQ(::posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }

  // Every living process whose TMPDIR is ours or a folder in it, whoever its parent is by now.
  std::vector<Process> family() const {
    std::vector<Process> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string number = entry.path().filename();
      if (number.find_first_not_of("0123456789") != std::string::npos || std::stoi(number) == ::getpid()) continue;
      std::ifstream variables(entry.path() / "environ", std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(variables)), {});  // a zombie has none
      if (text.find("TMPDIR=" + (folder_ / "tmp").string()) == std::string::npos) continue;
      std::string name;
      std::getline(std::ifstream(entry.path() / "comm"), name);
      found.push_back({std::stoi(number), name});
    }
    return found;
  }

  std::vector<fs::path> compile_folders() const {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder_ / "tmp")) {
      if (entry.path().filename().string().starts_with("fuselab-cc-")) folders.push_back(entry.path());
    }
    return folders;
  }

  bool runs(const std::string& name) const {
    const auto processes = family();
    return std::any_of(processes.begin(), processes.end(), [&](const Process& process) { return process.name == name; });
  }

  static bool within(milliseconds time, const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }

  fs::path folder_;
};

TEST_F(KilledEngine, TakesItsCompilersAlongAndLeavesNoFolderForLong) {
  const int first = start("rows=16,cols=64");
  ASSERT_TRUE(within(milliseconds(60'000), [&] { return runs("cc1"); })) << "it never compiled";
  ASSERT_FALSE(compile_folders().empty());
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
  EXPECT_TRUE(within(milliseconds(20'000), [&] { return family().empty(); }));
  for (const Process& left : family()) ADD_FAILURE() << left.name << " (pid " << left.pid << ") still runs";
  const std::vector<fs::path> stale = compile_folders();
  EXPECT_FALSE(stale.empty());  // nobody was left to remove it: what the next start is for

  const int second = start("rows=16,cols=64");
  EXPECT_TRUE(within(milliseconds(60'000), [&] {
    return std::none_of(stale.begin(), stale.end(), [](const fs::path& folder) { return fs::exists(folder); });
  }));
  int status = 0;
  EXPECT_TRUE(within(milliseconds(200'000), [&] { return ::waitpid(second, &status, WNOHANG) == second; }));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(compile_folders().empty());
}

// Ctrl-C and a job's cancel end the worker alone, by its process group.
TEST_F(KilledEngine, LeavesNothingBehindWhenItIsInterrupted) {
  const int engine = start("rows=32,cols=64");
  ASSERT_TRUE(within(milliseconds(60'000), [&] { return runs("cc1"); })) << "it never compiled";
  ::kill(engine, SIGINT);
  int status = 0;
  EXPECT_TRUE(within(milliseconds(10'000), [&] { return ::waitpid(engine, &status, WNOHANG) == engine; }));
  EXPECT_TRUE(within(milliseconds(20'000), [&] { return family().empty(); }));
  for (const Process& left : family()) ADD_FAILURE() << left.name << " (pid " << left.pid << ") still runs";
}

}  // namespace
}  // namespace fuselab
