// SPDX-License-Identifier: Apache-2.0
#include "app/engine/stacks/stack_state.h"

#include <system_error>

#include "core/platform/files/installed_stack.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

Bytes size_below(const fs::path& folder) {
  Bytes sum;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored)) {
      sum.count += static_cast<std::int64_t>(entry->file_size(ignored));
    }
  }
  return sum;
}

// Returns the first file that is another than the wheel's; empty when all are its.
std::string altered_file(const fs::path& folder, const std::vector<WheelFile>& files, StackCheck check) {
  for (const WheelFile& file : files) {
    if (file.hash.empty()) continue;
    std::error_code failed;
    const auto size = fs::file_size(folder / file.path, failed);
    if (failed) return (folder / file.path).string() + ": " + failed.message();
    if (static_cast<std::int64_t>(size) != file.size.count) {
      return (folder / file.path).string() + " was changed since it was installed";
    }
    if (check == StackCheck::kSizes) continue;
    if (const Status same = platform::check_installed_file(folder, file); !same.ok()) return same.error().message;
  }
  return {};
}

std::string other_versions(const fs::path& folder) {
  std::string names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder.parent_path(), failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path() != folder) names += (names.empty() ? "" : ", ") + entry->path().filename().string();
  }
  return names;
}

}  // namespace

StackState stack_state(const fs::path& data, const InstallableStack& stack, StackCheck check) {
  StackState state;
  state.stack = &stack;
  state.folder = platform::stack_folder(data, stack);
  state.disk = size_below(state.folder.parent_path());
  const auto files = platform::installed_files(data, stack);
  if (!files.ok()) {
    state.kind = StackState::Kind::kAltered;
    state.problem = files.error().message;
  } else if (files.value()) {
    state.problem = altered_file(state.folder, *files.value(), check);
    state.kind = state.problem.empty() ? StackState::Kind::kInstalled : StackState::Kind::kAltered;
  } else {
    state.problem = other_versions(state.folder);
    state.kind = state.problem.empty() ? StackState::Kind::kAbsent : StackState::Kind::kOtherVersion;
  }
  return state;
}

}  // namespace fuselab::engine
