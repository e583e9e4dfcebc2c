// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/checked_stack.h"

#include <sys/stat.h>

#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "core/platform/files/atomic_file.h"
#include "core/platform/files/installed_stack.h"
#include "core/platform/system/os_error.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLongestNotes{std::int64_t{16} << 20};

std::string nanoseconds(const timespec& time) {
  return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
}

// The line of a file: whatever writes to it changes one of these.
std::string note_of(const struct stat& facts, const std::string& name) {
  return std::to_string(facts.st_size) + " " + std::to_string(facts.st_ino) + " " + nanoseconds(facts.st_mtim) + " " +
         nanoseconds(facts.st_ctim) + " " + name;
}

// Notes are of one manifest: another list of files starts anew.
std::string head_of(const InstallableStack& stack) {
  std::string head = std::string(stack.id) + " " + std::string(stack.version);
  for (const StackWheel& wheel : stack.wheels) head += " " + std::string(wheel.record_sha);
  return head;
}

std::set<std::string> read_notes(const fs::path& file, const std::string& head) {
  std::set<std::string> notes;
  const auto bytes = read_file(file, kLongestNotes);
  if (!bytes.ok()) return notes;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()));
  std::string line;
  if (!std::getline(lines, line) || line != head) return notes;
  while (std::getline(lines, line)) notes.insert(line);
  return notes;
}

}  // namespace

fs::path stack_notes(const fs::path& data, const InstallableStack& stack) {
  return stacks_folder(data) / ("." + std::string(stack.id) + ".checked");
}

Result<std::optional<fs::path>> checked_stack(const fs::path& data, const InstallableStack& stack) {
  FL_TRY(const auto files, installed_files(data, stack));
  if (!files) return std::optional<fs::path>{};
  const fs::path folder = stack_folder(data, stack), notes_file = stack_notes(data, stack);
  std::map<std::string, const WheelFile*> missing;
  for (const WheelFile& file : *files) missing.emplace(file.path, &file);
  const std::string head = head_of(stack);
  const std::set<std::string> known = read_notes(notes_file, head);
  std::string notes = head + "\n";
  bool has_new = false;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    struct stat facts {};
    if (::lstat(entry->path().c_str(), &facts) != 0) return last_os_error("lstat '" + entry->path().string() + "'");
    if (S_ISDIR(facts.st_mode)) continue;
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    const auto listed = missing.find(name);
    if (listed == missing.end() || !S_ISREG(facts.st_mode))
      return untrusted_stack(entry->path().string() + " is in no list of the installed files", stack);
    const WheelFile& file = *listed->second;
    missing.erase(listed);
    const std::string note = note_of(facts, name);
    notes += note + "\n";
    // The lists themselves state no hash of their own; they were held against the manifest.
    if (file.hash.empty() || known.contains(note)) continue;
    if (const Status same = check_installed_file(folder, file); !same.ok()) return untrusted_stack(same.error().message, stack);
    has_new = true;
  }
  if (failed) return Error{ErrorCode::kIo, "read '" + folder.string() + "': " + failed.message()};
  if (!missing.empty())
    return Error{ErrorCode::kNotFound, untrusted_stack((folder / missing.begin()->first).string() + " is gone", stack).message};
  if (has_new) {
    // Without them the next check only takes longer.
    [[maybe_unused]] const Status noted = write_file_atomically(notes_file, std::as_bytes(std::span(notes)), 0600);
  }
  return std::optional(folder);
}

}  // namespace fuselab::platform
