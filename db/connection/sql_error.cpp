// SPDX-License-Identifier: Apache-2.0
#include "db/connection/sql_error.h"

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace fuselab::db {
namespace {

struct Meaning {
  int sqlite;
  ErrorCode code;
  const char* text;
  const char* hint = "";
};

constexpr const char* kFullDisk = "the disk is full; nothing of this write was kept";
constexpr const char* kRefused = "the operating system refused to read or write; nothing of this write was kept";

// Primary result codes; what is not listed is a mistake of ours.
constexpr Meaning kMeanings[] = {
    {SQLITE_FULL, ErrorCode::kIo, kFullDisk},
    {SQLITE_IOERR, ErrorCode::kIo, kRefused},
    {SQLITE_READONLY, ErrorCode::kIo, "the file or its folder is read-only; ", kChooseAnother},
    {SQLITE_PERM, ErrorCode::kIo, "no permission; ", kChooseAnother},
    {SQLITE_AUTH, ErrorCode::kIo, "no permission; ", kChooseAnother},
    {SQLITE_CANTOPEN, ErrorCode::kIo, "cannot be opened; check the path and its permissions, or ", kChooseAnother},
    {SQLITE_CORRUPT, ErrorCode::kCorrupt, "the database is damaged and was left as it is; restore a copy, or ", kChooseAnother},
    {SQLITE_NOTADB, ErrorCode::kCorrupt, "not a database; it was left as it is: ", kChooseAnother},
    {SQLITE_BUSY, ErrorCode::kBusy, "another process holds a lock on the database; try again when it is done"},
    {SQLITE_LOCKED, ErrorCode::kBusy, "another process holds a lock on the database; try again when it is done"},
    {SQLITE_NOMEM, ErrorCode::kOutOfMemory, "out of memory"},
    {SQLITE_TOOBIG, ErrorCode::kInvalidArgument, "a text or binary is larger than a row may be"},
    {SQLITE_CONSTRAINT, ErrorCode::kInvalidArgument, "a row does not fit what is stored"},
};

}  // namespace

namespace {

// A reader needs room, too: for the index beside the file. Then the system says no more than that it refused.
bool is_disk_full(const std::filesystem::path& path) {
  constexpr std::uintmax_t kIndex = 32 << 10;
  std::error_code failed;
  const auto folder = path.parent_path();
  const auto space = std::filesystem::space(folder.empty() ? "." : folder, failed);
  return !failed && space.available < kIndex;
}

}  // namespace

Error sql_error(const std::filesystem::path& path, const SQLite::Exception& exception) {
  const int primary = exception.getErrorCode() & 0xff;
  const std::string_view words = exception.what();
  // SQLite has no code for a header that only a later version of it may write.
  const bool is_unknown_format = primary == SQLITE_ERROR && words.find("unsupported file format") != std::string_view::npos;
  if (is_unknown_format) {
    return {ErrorCode::kCorrupt, path.string() + ": the database is damaged, or of a newer SQLite, and was left as it is; " +
                                     "restore a copy, or " + kChooseAnother + " (SQLite: " + exception.what() + ")"};
  }
  if (primary == SQLITE_IOERR && is_disk_full(path)) {
    return {ErrorCode::kIo, path.string() + ": " + kFullDisk + "; reading needs 32 KiB beside the database, too: free some " +
                                "(SQLite: " + exception.what() + ")"};
  }
  for (const Meaning& meaning : kMeanings) {
    if (meaning.sqlite != primary) continue;
    return {meaning.code, path.string() + ": " + meaning.text + meaning.hint + " (SQLite: " + exception.what() + ")"};
  }
  return {ErrorCode::kInternal, path.string() + ": SQLite: " + exception.what()};
}

bool is_want_of_space(const Error& error) {
  const auto says = [&](const char* words) { return error.message.find(words) != std::string::npos; };
  return error.code == ErrorCode::kIo && (says(kFullDisk) || says(kRefused));
}

}  // namespace fuselab::db
