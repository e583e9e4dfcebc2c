// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/file_inside.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "core/platform/system/os_error.h"

namespace fuselab::platform {
namespace {

Error is_link() {
  return invalid_argument("is or passes through a symbolic link");
}

Error is_no_file() {
  return invalid_argument("is no ordinary file");
}

Error too_short() {
  return {ErrorCode::kIo, "cannot be read: it is too short"};
}

Error not_opened(int number) {
  if (number == ELOOP) return is_link();
  // A path through something that is no folder counts as missing.
  return os_error("cannot be looked at", number == ENOTDIR ? ENOENT : number);
}

Status check_name(const std::filesystem::path& name) {
  if (name.empty() || name.native().find('\0') != std::string::npos) return invalid_argument("is no file name");
  if (name.is_absolute()) return invalid_argument("is an absolute path");
  if (std::find(name.begin(), name.end(), "..") != name.end()) return invalid_argument("leads out of the folder");
  return {};
}

// Returns the kind of the file of that name, which must not be a link. This is asked before anything is opened, so that no device
// is opened and a link is told from a file where a folder should be; the flags of the later open stop anybody who exchanges the
// file in between.
Result<mode_t> kind_of(int folder, const char* name, Links links) {
  struct stat facts {};
  if (::fstatat(folder, name, &facts, links == Links::kRefused ? AT_SYMLINK_NOFOLLOW : 0) != 0) return not_opened(errno);
  if (S_ISLNK(facts.st_mode)) return is_link();
  return facts.st_mode;
}

}  // namespace

Result<FileInside> FileInside::open(const std::filesystem::path& folder, const std::filesystem::path& name, Links links) {
  FL_TRY_VOID(check_name(name));
  // O_PATH: a folder that may be searched need not be readable.
  UniqueFd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at.valid()) return not_opened(errno);
  const int no_follow = links == Links::kRefused ? O_NOFOLLOW : 0;
  const auto last = std::prev(name.end());
  for (auto part = name.begin(); part != last; ++part) {
    FL_TRY(const mode_t kind, kind_of(at.get(), part->c_str(), links));
    if (!S_ISDIR(kind)) return not_opened(ENOTDIR);
    UniqueFd next(::openat(at.get(), part->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | no_follow));
    if (!next.valid()) return errno == ENOTDIR ? is_no_file() : not_opened(errno);
    at = std::move(next);
  }
  if (last->empty()) return is_no_file();  // "folder/"
  FL_TRY(const mode_t kind, kind_of(at.get(), last->c_str(), links));
  if (!S_ISREG(kind)) return is_no_file();
  // O_NONBLOCK: where a pipe took the file's place, opening it would wait for a writer.
  UniqueFd file(::openat(at.get(), last->c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | no_follow));
  if (!file.valid()) return not_opened(errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return not_opened(errno);
  if (!S_ISREG(facts.st_mode)) return is_no_file();
  return FileInside(std::move(file), facts.st_size);
}

Result<std::string> FileInside::read(std::int64_t offset, std::int64_t count) const {
  // The size is checked before room is made for the bytes.
  if (offset > size_ || count > size_ - offset) return too_short();
  std::string bytes(static_cast<std::size_t>(count), '\0');
  FL_TRY_VOID(read_into(offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

Status FileInside::read_into(std::int64_t offset, std::span<std::byte> room) const {
  for (std::size_t done = 0; done < room.size();) {
    const ssize_t got = ::pread(fd_.get(), room.data() + done, room.size() - done, offset + static_cast<off_t>(done));
    if (got == 0) return too_short();
    if (got > 0) done += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) return last_os_error("cannot be read");
  }
  return {};
}

}  // namespace fuselab::platform
