// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/installed_stack.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "core/base/content_hasher.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/file_inside.h"
#include "core/platform/system/os_error.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLongestWheelList = std::int64_t{16} << 20;  // bytes; OpenVINO's, of 963 files, has 0.1 MB
constexpr std::int64_t kBlock = 1 << 20;  // bytes that are hashed at a time: a library may be larger than memory has room for

// What lies in a folder that others may write could be exchanged after it was checked.
Status check_owned(const fs::path& folder, const InstallableStack& stack) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return last_os_error("stat '" + folder.string() + "'");
  if (facts.st_uid != ::geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return untrusted_stack(folder.string() + " can be written by others", stack);
  }
  return {};
}

// Libraries open others that lie beside them: those that they need, and parts that they choose for this processor.
bool may_be_opened(const WheelFile& file, const InstallableStack& stack) {
  const fs::path path(file.path);
  const bool beside = !stack.kept.empty() || path.parent_path() == fs::path(stack.library).parent_path();
  return beside && path.filename().string().find(".so") != std::string::npos;
}

Result<std::vector<WheelFile>> files_of(const StackWheel& wheel, const fs::path& folder, const InstallableStack& stack) {
  const std::string path = (folder / wheel.record).string();
  const auto list = FileInside::open(folder, wheel.record);
  if (!list.ok()) return untrusted_stack(path + " " + list.error().message, stack);
  if (list.value().size() > kLongestWheelList) return untrusted_stack(path + " is too long", stack);
  FL_TRY(const std::string text, list.value().read(0, list.value().size()));
  if (ContentHash::of(text).hex() != wheel.record_sha)
    return untrusted_stack(path + " is not the one of " + std::string(wheel.package) + " " + std::string(stack.version_of(wheel)),
                           stack);
  return parse_wheel_record(text);
}

}  // namespace

Error untrusted_stack(const std::string& what, const InstallableStack& stack) {
  return {ErrorCode::kUntrusted, what + "; `fuselab backends remove " + std::string(stack.id) + "` and install it again"};
}

fs::path stacks_folder(const fs::path& data) {
  return data / "fuselab" / "backends";
}

fs::path stack_folder(const fs::path& data, const InstallableStack& stack) {
  return stacks_folder(data) / stack.id / stack.version;
}

Result<std::optional<std::vector<WheelFile>>> installed_files(const fs::path& data, const InstallableStack& stack) {
  const fs::path folder = stack_folder(data, stack);
  std::error_code absent;
  if (!fs::exists(folder, absent)) return std::optional<std::vector<WheelFile>>{};
  for (const fs::path& each : {stacks_folder(data), folder.parent_path(), folder}) FL_TRY_VOID(check_owned(each, stack));
  std::vector<WheelFile> files;
  for (const StackWheel& wheel : stack.wheels) {
    FL_TRY(const auto listed, files_of(wheel, folder, stack));
    std::ranges::copy_if(listed, std::back_inserter(files), [&](const WheelFile& file) { return stack.keeps(file.path); });
  }
  return std::optional(std::move(files));
}

Status check_installed_file(const fs::path& folder, const WheelFile& file) {
  const auto opened = FileInside::open(folder, file.path);
  if (!opened.ok()) return Error{opened.error().code, (folder / file.path).string() + " " + opened.error().message};
  const auto changed = [&] {
    return Error{ErrorCode::kUntrusted, (folder / file.path).string() + " was changed since it was installed"};
  };
  if (opened.value().size() != file.size.count) return changed();
  ContentHasher hasher;
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(file.size.count, kBlock)));
  for (std::int64_t at = 0; at < file.size.count; at += kBlock) {
    const std::span part(block.data(), static_cast<std::size_t>(std::min(file.size.count - at, kBlock)));
    FL_TRY_VOID(opened.value().read_into(at, part));
    hasher.add(part);
  }
  return hasher.finish() == file.hash ? Status() : changed();
}

Result<std::optional<fs::path>> installed_library(const fs::path& data, const InstallableStack& stack) {
  FL_TRY(const auto files, installed_files(data, stack));
  if (!files) return std::optional<fs::path>{};
  const auto library =
      std::find_if(files->begin(), files->end(), [&](const WheelFile& file) { return file.path == stack.library; });
  if (library == files->end()) return untrusted_stack(std::string(stack.library) + " is in no list of its wheels", stack);
  const fs::path folder = stack_folder(data, stack);
  for (const WheelFile& file : *files) {
    if (!may_be_opened(file, stack)) continue;
    if (const Status same = check_installed_file(folder, file); !same.ok()) return untrusted_stack(same.error().message, stack);
  }
  return std::optional(folder / stack.library);
}

}  // namespace fuselab::platform
