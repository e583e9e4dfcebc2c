// SPDX-License-Identifier: Apache-2.0
#include "core/platform/system/process_tree.h"

#include <signal.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

struct ProcessState {
  char letter = 'X';  // X: it is gone
  int parent = -1;
};

// Reads /proc/<pid>/stat, where the program's name, which may hold blanks and brackets, stands before both.
ProcessState state_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  ProcessState state;
  const std::size_t name_end = line.rfind(')');
  if (name_end != std::string::npos) std::istringstream(line.substr(name_end + 1)) >> state.letter >> state.parent;
  return state;
}

std::vector<int> children_of(int pid) {
  std::vector<int> children;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename();
    int number = 0;
    const auto [stop, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_process = wrong == std::errc() && stop == name.data() + name.size();
    if (is_process && state_of(entry->path()).parent == pid) children.push_back(number);
  }
  return children;
}

}  // namespace

void kill_process_tree(int pid) {
  ::kill(pid, SIGSTOP);
  for (const int child : children_of(pid)) kill_process_tree(child);
  ::kill(pid, SIGKILL);
}

bool process_lives(int pid) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return false;
  const char letter = state_of("/proc/" + std::to_string(pid)).letter;
  return letter != 'Z' && letter != 'X';
}

}  // namespace fuselab::platform
