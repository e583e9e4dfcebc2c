// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/own_file.h"

#include <fstream>
#include <span>

#include "core/platform/files/atomic_file.h"

namespace fuselab::cli {
namespace {

bool may_be_replaced(const std::filesystem::path& file, std::string_view start) {
  std::error_code failed;
  if (std::filesystem::symlink_status(file, failed).type() == std::filesystem::file_type::not_found) return true;
  if (!std::filesystem::is_regular_file(file, failed)) return false;
  if (std::filesystem::file_size(file, failed) == 0) return true;  // nothing is lost
  std::string begins(start.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(begins.data(), static_cast<std::streamsize>(begins.size()));
  return stream.good() && begins == start;
}

}  // namespace

Status may_write_own(const std::filesystem::path& file, std::string_view start) {
  std::error_code failed;
  if (!file.parent_path().empty() && !std::filesystem::is_directory(file.parent_path(), failed))
    return Error{ErrorCode::kIo, "there is no folder " + file.parent_path().string()};
  if (may_be_replaced(file, start)) return {};
  return invalid_argument(file.string() + " was not written by Fuselab and is left alone");
}

Status write_own(const std::filesystem::path& file, std::string_view start, const std::string& text) {
  FL_TRY_VOID(may_write_own(file, start));
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

}  // namespace fuselab::cli
