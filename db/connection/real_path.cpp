// SPDX-License-Identifier: Apache-2.0
#include "db/connection/real_path.h"

namespace fuselab::db {

std::filesystem::path real_path(const std::filesystem::path& database) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  std::error_code unknown;
  fs::path file = database;
  // A link to what is not there yet is what weakly_canonical() leaves alone.
  for (int links = 0; links < kMostLinks && fs::is_symlink(file, unknown); ++links) {
    const fs::path target = fs::read_symlink(file, unknown);
    if (unknown) return database;
    file = file.parent_path() / target;
  }
  const fs::path whole = fs::absolute(file, unknown);
  if (unknown) return database;
  fs::path real = fs::weakly_canonical(whole, unknown);
  return unknown ? database : real;
}

}  // namespace fuselab::db
