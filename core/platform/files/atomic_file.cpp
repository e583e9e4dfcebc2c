// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/platform/system/os_error.h"
#include "core/platform/system/unique_fd.h"
#include "core/platform/system/uuid.h"

namespace fuselab::platform {
namespace {

Status write_all(int fd, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return last_os_error("write '" + name + "'");
    }
  }
  return {};
}

Status write_all_and_sync(int fd, const std::vector<std::span<const std::byte>>& parts, const std::string& name) {
  for (const auto part : parts) FL_TRY_VOID(write_all(fd, part, name));
  if (::fsync(fd) != 0) return last_os_error("write '" + name + "' to the disk");
  return {};
}

// A rename is durable only when its folder is.
void sync_folder(const std::filesystem::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.get());
}

}  // namespace

Status write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes, unsigned mode) {
  return write_file_atomically(path, std::vector{bytes}, mode);
}

Status write_file_atomically(const std::filesystem::path& path, const std::vector<std::span<const std::byte>>& parts,
                             unsigned mode) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return creation_error("create '" + folder.string() + "'", failure.value());
  const std::filesystem::path fresh = folder / ("." + path.filename().string() + "." + make_uuid());
  UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(mode)));
  if (!fd.valid()) return creation_error("create '" + path.string() + "'", errno);
  Status written = write_all_and_sync(fd.get(), parts, path.string());
  fd.reset();
  if (written.ok() && ::rename(fresh.c_str(), path.c_str()) != 0) written = last_os_error("rename to '" + path.string() + "'");
  if (!written.ok()) {
    ::unlink(fresh.c_str());
    return written;
  }
  sync_folder(folder);
  return {};
}

Status write_passing_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return creation_error("create '" + path.string() + "'", errno);
  return write_all(fd.get(), bytes, path.string());
}

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, Bytes at_most) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe without a writer would wait for ever
  if (!fd.valid()) return last_os_error("open '" + path.string() + "'");
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return last_os_error("look at '" + path.string() + "'");
  if (!S_ISREG(facts.st_mode)) return Error{ErrorCode::kUnsupported, "'" + path.string() + "' is no ordinary file"};
  if (facts.st_size > at_most.count) {
    return Error{ErrorCode::kUnsupported, "'" + path.string() + "' has " + format_bytes({facts.st_size}) + ", more than the " +
                                              format_bytes(at_most) + " that are read"};
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(facts.st_size));
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return last_os_error("read '" + path.string() + "'");
    if (got == 0) break;  // it became shorter meanwhile
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace fuselab::platform
