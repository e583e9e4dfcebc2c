// SPDX-License-Identifier: Apache-2.0
#include "backends/loading/library_build.h"

#include <algorithm>
#include <fstream>

#include "core/base/content_hash.h"

namespace fuselab::loading {

std::string build_of(const std::string& path) {
  constexpr std::streamoff kEnd = 1 << 20;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size <= 0) return {};
  std::string bytes(static_cast<std::size_t>(std::min(kEnd, size)), '\0');
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::string end = bytes;
  file.seekg(size - static_cast<std::streamoff>(end.size()));
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  return ContentHash::of(bytes + end + std::to_string(size)).short_hex();
}

}  // namespace fuselab::loading
