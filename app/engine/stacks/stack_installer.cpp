// SPDX-License-Identifier: Apache-2.0
#include "app/engine/stacks/stack_installer.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <vector>

#include "app/engine/stacks/stack_state.h"
#include "core/base/plain_text.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/checked_stack.h"
#include "core/platform/files/file_lock.h"
#include "core/platform/files/file_room.h"
#include "core/platform/files/installed_stack.h"
#include "core/platform/processes/child_process.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

using Told = std::function<void(const StackProgress&)>;

constexpr std::int64_t kMeantByAll = 300'000'000;  // bytes of a wheel
constexpr int kUnpackedAtMost = 4;                 // times the wheel's size, of the wheels that were looked at
constexpr std::chrono::minutes kLongestStep{60};

std::error_code remove_below(const fs::path& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);
  return failed;
}

Status make_private(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) fs::permissions(folder, fs::perms::owner_all, failed);
  if (failed) return Error{ErrorCode::kIo, "make '" + folder.string() + "': " + failed.message()};
  return {};
}

// The folder in which one stack is fetched and unpacked; removed at the end, however that comes.
class FetchFolder {
 public:
  static Result<FetchFolder> create(fs::path path) {
    remove_below(path);  // of a process that was killed: the lock is ours
    FetchFolder folder(std::move(path));
    FL_TRY_VOID(make_private(folder.path_));
    FL_TRY_VOID(make_private(folder.path_ / "tmp"));
    FL_TRY_VOID(make_private(folder.path_ / "unpacked"));
    return folder;
  }
  FetchFolder(FetchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~FetchFolder() {
    if (!path_.empty()) remove_below(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit FetchFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Bytes size_of_files(const fs::path& folder) {
  Bytes sum;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) sum.count += static_cast<std::int64_t>(entry->file_size(ignored));
  }
  return sum;
}

// The sentence of a failed step that helps: pip's last line that begins with ERROR, else the last line of all.
std::string reason_in(const std::string& words) {
  std::string last, error;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find('\n', at), words.size());
    const std::string line = words.substr(at, end - at);
    if (line.find_first_not_of(" \r") != std::string::npos) last = line;
    if (line.starts_with("ERROR:")) error = line.substr(std::min<std::size_t>(7, line.size()));
    at = end + 1;
  }
  return plain_line((error.empty() ? last : error).substr(0, 300));
}

Status run_python(const std::vector<std::string>& arguments, const fs::path& folder, const std::function<void()>& meanwhile,
                  const std::stop_token& stop) {
  platform::ChildOptions options;
  options.program = "/usr/bin/env";  // finds the user's python3
  options.arguments = {"--chdir=" + folder.string(), "python3"};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  // Nothing of the folder that the user stands in, or of a PYTHONPATH, is a module of what runs here.
  options.withheld = {"PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME"};
  options.variables = {{"LC_ALL", "C.UTF-8"},           {"PYTHONSAFEPATH", "1"},   {"TMPDIR", (folder / "tmp").string()},
                       {"PIP_REQUIRE_VIRTUALENV", "0"}, {"PIP_NO_CACHE_DIR", "1"}, {"PIP_ROOT_USER_ACTION", "ignore"}};
  FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
  const auto deadline = std::chrono::steady_clock::now() + kLongestStep;
  while (true) {
    const auto exit = child.wait_exit(std::chrono::milliseconds(200));
    const std::string words = child.last_words();
    if (exit && *exit == "exited with code 0") return {};
    if (exit && *exit == "exited with code 127") return Error{ErrorCode::kUnavailable, "python3 is not installed"};
    if (exit && words.find("No module named pip") != std::string::npos)
      return Error{ErrorCode::kUnavailable, "python3 has no pip: sudo apt install python3-pip"};
    // Pip says so where the bytes are others than those that its argument requires.
    if (exit && words.find("DO NOT MATCH THE HASHES") != std::string::npos)
      return Error{ErrorCode::kUntrusted, "the index has other bytes under this name than the manifest's; nothing was installed"};
    if (exit) return Error{ErrorCode::kUnavailable, "python3 " + arguments[1] + " " + *exit + ": " + reason_in(words)};
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled; nothing was installed"};
    if (std::chrono::steady_clock::now() > deadline)
      return Error{ErrorCode::kTimeout, "python3 " + arguments[1] + " took too long"};
    meanwhile();
  }
}

std::vector<std::string> pip_arguments(const InstallableStack& stack, const fs::path& folder) {
  std::vector<std::string> arguments = {
      "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--no-input", "--disable-pip-version-check",
      "--progress-bar=off", "--dest=" + (folder / "wheel").string(), "--requirement=" + (folder / "requirements.txt").string(),
      "--implementation=cp", "--abi=none", "--abi=abi3",
      // The wheel is chosen for the manifest's Python, not for the user's: its library needs none.
      "--python-version=3.11"};
  for (const StackWheel& wheel : stack.wheels) {
    if (!wheel.abi.empty()) arguments.push_back("--abi=" + std::string(wheel.abi));
  }
  for (const char* const libc :
       {"manylinux_2_31", "manylinux_2_28", "manylinux_2_27", "manylinux_2_25", "manylinux_2_17", "manylinux2014"}) {
    arguments.push_back("--platform=" + std::string(libc) + "_x86_64");
  }
  return arguments;
}

// Returns what was fetched, one wheel each of the manifest's, after holding their bytes against it.
Result<std::vector<fs::path>> checked_wheels(const InstallableStack& stack, const fs::path& folder) {
  std::vector<fs::path> wheels;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const auto bytes = platform::read_file(entry->path(), stack.download());
    if (!bytes.ok() && bytes.error().code != ErrorCode::kUnsupported) return bytes.error();
    const std::string hash = bytes.ok() ? ContentHash::of(bytes.value()).hex() : "";
    if (std::none_of(stack.wheels.begin(), stack.wheels.end(), [&](const StackWheel& wheel) { return wheel.sha256 == hash; }))
      return Error{ErrorCode::kUntrusted,
                   entry->path().filename().string() + " has other bytes than the manifest's; nothing was installed"};
    wheels.push_back(entry->path());
  }
  if (wheels.size() != stack.wheels.size())
    return Error{ErrorCode::kUnavailable,
                 "pip fetched " + std::to_string(wheels.size()) + " wheels of " + std::to_string(stack.wheels.size())};
  return wheels;
}

std::string requirements_of(const InstallableStack& stack) {
  std::string lines;
  for (const StackWheel& wheel : stack.wheels) {
    lines += std::string(wheel.package) + "==" + std::string(stack.version_of(wheel)) +
             " --hash=sha256:" + std::string(wheel.sha256) + "\n";
  }
  return lines;
}

// Removes what the stack does not keep.
Status shed(const InstallableStack& stack, const fs::path& unpacked) {
  std::vector<fs::path> unwanted;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(unpacked, failed), end; !failed && entry != end; entry.increment(failed)) {
    const bool keeps = stack.keeps(entry->path().lexically_relative(unpacked).generic_string());
    if (!entry->is_directory(failed) && !keeps) unwanted.push_back(entry->path());
  }
  for (const fs::path& each : unwanted) {
    if (!failed) fs::remove(each, failed);
  }
  if (failed) return Error{ErrorCode::kIo, "remove what is not needed in '" + unpacked.string() + "': " + failed.message()};
  return {};
}

// Unpacks the wheels into one folder. Python's zipfile keeps what it unpacks below it, whatever the names in the archive, and
// leaves out that programs can be run.
Status unpack(const InstallableStack& stack, const std::vector<fs::path>& wheels, const fs::path& folder,
              const std::function<void()>& meanwhile, const std::stop_token& stop) {
  const fs::path unpacked = folder / "unpacked";
  for (const fs::path& wheel : wheels)
    FL_TRY_VOID(run_python({"-m", "zipfile", "-e", wheel.string(), unpacked.string()}, folder, meanwhile, stop));
  if (!stack.kept.empty()) FL_TRY_VOID(shed(stack, unpacked));
  for (const std::string_view program : stack.programs) {
    std::error_code failed;
    fs::permissions(unpacked / program, fs::perms::owner_exec, fs::perm_options::add, failed);
    if (failed) return Error{ErrorCode::kUntrusted, std::string(program) + " is in none of the wheels: " + failed.message()};
  }
  return {};
}

Status check_room(const fs::path& folder, const InstallableStack& stack) {
  FL_TRY(const platform::FileRoom room, platform::file_room(folder));
  const Bytes needed{stack.download().count * (1 + kUnpackedAtMost)};
  if (room.free < needed)
    return Error{ErrorCode::kUnavailable,
                 format_bytes(room.free) + " free in " + folder.string() + "; up to " + format_bytes(needed) + " are needed"};
  return {};
}

Result<platform::FileLock> lock_stacks(const fs::path& data) {
  const fs::path folder = platform::stacks_folder(data);
  FL_TRY_VOID(make_private(folder));
  return platform::FileLock::try_acquire(folder / ".lock", "the folder of installed stacks");
}

// Puts the unpacked wheels into their place. What lay there is moved aside first, since a folder is not renamed over a full one.
Status put_in_place(const fs::path& unpacked, const fs::path& place, const fs::path& aside) {
  FL_TRY_VOID(make_private(place.parent_path()));
  std::error_code failed;
  if (fs::exists(place, failed)) fs::rename(place, aside, failed);
  if (!failed) fs::rename(unpacked, place, failed);
  std::error_code back;
  if (failed && fs::exists(aside, back)) fs::rename(aside, place, back);
  if (failed) return Error{ErrorCode::kIo, "rename to '" + place.string() + "': " + failed.message()};
  return {};
}

void remove_other_versions(const fs::path& place) {
  std::error_code failed;
  std::vector<fs::path> others;
  for (fs::directory_iterator entry(place.parent_path(), failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path() != place) others.push_back(entry->path());
  }
  for (const fs::path& other : others) remove_below(other);
}

}  // namespace

bool is_meant_by_all(const InstallableStack& stack) {
  return stack.licence_class == LicenceClass::kFree && stack.download().count < kMeantByAll;
}

Status install_stack(const fs::path& data, const InstallableStack& stack, const Told& told, const std::stop_token& stop) {
  FL_TRY(const platform::FileLock lock, lock_stacks(data));
  if (stack_state(data, stack, StackCheck::kBytes).kind == StackState::Kind::kInstalled) return {};
  const fs::path place = platform::stack_folder(data, stack);
  FL_TRY(const FetchFolder folder, FetchFolder::create(platform::stacks_folder(data) / ".fetching"));
  FL_TRY_VOID(check_room(folder.path(), stack));
  const std::string requirements = requirements_of(stack);
  FL_TRY_VOID(platform::write_passing_file(folder.path() / "requirements.txt", std::as_bytes(std::span(requirements))));

  const Bytes all = stack.download();
  const auto tell_fetched = [&] { told({StackProgress::Step::kFetching, size_of_files(folder.path()), all}); };
  FL_TRY_VOID(run_python(pip_arguments(stack, folder.path()), folder.path(), tell_fetched, stop));
  FL_TRY(const auto wheels, checked_wheels(stack, folder.path() / "wheel"));
  const auto tell_unpacked = [&] { told({StackProgress::Step::kUnpacking, all, all}); };
  tell_unpacked();
  FL_TRY_VOID(unpack(stack, wheels, folder.path(), tell_unpacked, stop));
  FL_TRY_VOID(put_in_place(folder.path() / "unpacked", place, folder.path() / "aside"));

  const StackState state = stack_state(data, stack, StackCheck::kBytes);
  if (state.kind != StackState::Kind::kInstalled) {
    remove_below(place);
    return Error{ErrorCode::kUntrusted, "a wheel does not hold what its list says: " + state.problem};
  }
  remove_other_versions(place);
  return {};
}

Result<Bytes> remove_stack(const fs::path& data, const InstallableStack& stack) {
  const fs::path folder = platform::stack_folder(data, stack).parent_path();
  std::error_code absent;
  if (!fs::exists(folder, absent)) return Bytes{};
  FL_TRY(const platform::FileLock lock, lock_stacks(data));
  const Bytes size = stack_state(data, stack, StackCheck::kSizes).disk;
  if (const std::error_code failed = remove_below(folder))
    return Error{ErrorCode::kIo, "remove '" + folder.string() + "': " + failed.message()};
  remove_below(platform::stack_notes(data, stack));
  return size;
}

}  // namespace fuselab::engine
