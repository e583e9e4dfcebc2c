// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// An ordinary file inside a folder, under a name that a stranger gave. What was checked is what is read, whatever becomes of the
// name meanwhile: every part of it is opened from the folder before it, and the file stays open. Used by one thread at a time.
class FileInside {
 public:
  // The folder is the caller's and may be reached through links; below it none is followed. Errors say what the file is, to be
  // put behind its name: "is no ordinary file". kNotFound: it is not there. kInvalidArgument: it is no ordinary file inside the
  // folder (an absolute path, `..`, a symbolic link, a pipe). kIo: the system refused.
  static Result<FileInside> open(const std::filesystem::path& folder, const std::filesystem::path& name);

  // In bytes, when it was opened.
  std::int64_t size() const { return size_; }
  // `count` bytes from byte `offset` on, neither negative; kIo when the file does not have them.
  Result<std::string> read(std::int64_t offset, std::int64_t count) const;

 private:
  FileInside(UniqueFd fd, std::int64_t size) : fd_(std::move(fd)), size_(size) {}

  UniqueFd fd_;
  std::int64_t size_ = 0;
};

}  // namespace fuselab::platform
