// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/platform/files/links.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// An ordinary file inside a folder, opened under an untrusted name. The file that was checked is the one that is read, even if the
// name changes meanwhile: every part of the path is opened from the folder before it, and the file stays open. Used by one thread
// at a time.
class FileInside {
 public:
  // Opens a file. The folder is the caller's and may be reached through links; below it no link is followed, unless the caller says
  // that whoever made the links is trusted: they may then lead out of the folder, the name itself still may not. Error messages are
  // to be put behind the file's name: "is no ordinary file".
  // Fails with kNotFound when it does not exist, with kInvalidArgument when it is no ordinary file inside the folder (an absolute
  // path, `..`, a symbolic link, a pipe) and with kIo when the system refuses.
  static Result<FileInside> open(const std::filesystem::path& folder, const std::filesystem::path& name,
                                 Links links = Links::kRefused);

  // Returns the size in bytes at the time of opening.
  std::int64_t size() const { return size_; }
  // Reads `count` bytes from byte `offset` on, neither negative.
  // Fails with kIo when the file does not have them.
  Result<std::string> read(std::int64_t offset, std::int64_t count) const;
  // The same, into room that the caller has.
  Status read_into(std::int64_t offset, std::span<std::byte> room) const;

 private:
  FileInside(UniqueFd fd, std::int64_t size) : fd_(std::move(fd)), size_(size) {}

  UniqueFd fd_;
  std::int64_t size_ = 0;
};

}  // namespace fuselab::platform
