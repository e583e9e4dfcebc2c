// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tensors/gzip_file.h"

#include <memory>

#include <zlib.h>

namespace fuselab::engine {

Result<std::string> read_maybe_gzip(const std::filesystem::path& file, Bytes limit) {
  // zlib hands over a file that is not packed as it is.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> opened(gzopen(file.c_str(), "rb"), gzclose);
  if (opened == nullptr) return Error{ErrorCode::kIo, "cannot read " + file.string()};
  std::string text;
  std::string part(1 << 16, '\0');
  while (true) {
    const int read = gzread(opened.get(), part.data(), static_cast<unsigned>(part.size()));
    if (read < 0) return Error{ErrorCode::kCorrupt, file.string() + " is cut or damaged"};
    if (read == 0) break;
    text.append(part, 0, static_cast<std::size_t>(read));
    if (static_cast<std::int64_t>(text.size()) > limit.count)
      return Error{ErrorCode::kUnsupported, file.string() + " expands to more than " + format_bytes(limit)};
  }
  int problem = Z_OK;
  gzerror(opened.get(), &problem);
  if (problem != Z_OK && problem != Z_STREAM_END) return Error{ErrorCode::kCorrupt, file.string() + " is cut or damaged"};
  return text;
}

}  // namespace fuselab::engine
