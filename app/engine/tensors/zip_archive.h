// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/files/file_inside.h"

namespace fuselab::engine {

// A zip file that another program wrote, such as numpy.savez: its members are stored or deflated. It is untrusted. Opening it reads
// its directory alone, and no member is ever written anywhere. Used by one thread at a time.
class ZipArchive {
 public:
  struct Member {
    std::string name;
    std::uint64_t size = 0;    // bytes of the contents
    std::uint64_t packed = 0;  // bytes that they take in the file
    std::uint64_t header = 0;  // where its own header begins in the file
    std::uint32_t checksum = 0;
    bool deflated = false;
  };

  // Fails with kCorrupt for what is no zip file, was cut or names a member twice or outside of itself ("../x"), and with
  // kUnsupported for one of 4 GiB and more, of several parts, encrypted, or packed by another method.
  static Result<ZipArchive> open(platform::FileInside file);

  const std::vector<Member>& members() const { return members_; }

  // Reads the first `count` bytes of a member, or all of it where it has fewer. No more than that is allocated, whatever the member
  // expands to. Where all of it is read, its checksum is compared.
  // Fails with kCorrupt where the contents are not what the directory says.
  Result<std::vector<std::byte>> read(const Member& member, std::uint64_t count) const;

 private:
  ZipArchive(platform::FileInside file, std::uint64_t directory) : file_(std::move(file)), directory_(directory) {}
  Result<std::uint64_t> begin_of(const Member& member) const;

  platform::FileInside file_;
  std::uint64_t directory_;  // where it begins; members lie before it
  std::vector<Member> members_;
};

}  // namespace fuselab::engine
