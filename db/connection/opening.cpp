// SPDX-License-Identifier: Apache-2.0
#include "db/connection/opening.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "db/connection/migrations.h"
#include "db/connection/real_path.h"
#include "db/connection/sql_error.h"

namespace fuselab::db {
namespace {

namespace fs = std::filesystem;

// Checking the pages of a file this small takes a tenth of a second at most; `fuselab db verify` checks larger ones.
constexpr std::uintmax_t kCheapToCheck = 32u << 20;

Error not_ours(const fs::path& path, const std::string& what) {
  return {ErrorCode::kCorrupt, path.string() + ": " + what + "; it was left as it is: " + kChooseAnother};
}

Error damaged(const fs::path& path, const std::string& what) {
  return {ErrorCode::kCorrupt,
          path.string() + ": the database is damaged (" + what + "); it was left as it is: restore a copy, or " + kChooseAnother};
}

// A log beside the file that a reader must take in.
bool has_log(const fs::path& path) {
  std::error_code absent;
  const auto size = fs::file_size(real_path(path).string() + "-wal", absent);
  return !absent && size > 0;
}

// Returns whether anybody may be using the file, or somebody who used it was killed.
bool has_sidecar(const fs::path& path) {
  std::error_code unknown;
  const std::string real = real_path(path).string();
  return fs::exists(real + "-wal", unknown) || fs::exists(real + "-shm", unknown) || fs::exists(real + "-journal", unknown);
}

bool writable_folder(const fs::path& path) {
  const fs::path real = real_path(path);
  const fs::path folder = real.parent_path().empty() ? "." : real.parent_path();
  return ::access(folder.c_str(), W_OK) == 0;
}

Result<FileState> state_of(Connection& connection, const fs::path& path) {
  FileState state;
  const std::int64_t application = connection.integer("PRAGMA application_id");
  state.schema = static_cast<int>(connection.integer("PRAGMA user_version"));
  const bool empty = connection.integer("SELECT count(*) FROM sqlite_schema") == 0;
  // Killed between making the file and its first commit: still nobody's.
  if (application == 0 && state.schema == 0 && empty) return state;
  state.fresh = false;
  if (application != kApplicationId) return not_ours(path, "a database of another program");
  if (state.schema > newest_schema()) {
    return Error{ErrorCode::kUnsupported, path.string() + ": written by a newer Fuselab (schema " + std::to_string(state.schema) +
                                              ", this one knows " + std::to_string(newest_schema()) + "): update Fuselab, or " +
                                              kChooseAnother};
  }
  if (state.schema < 1) return damaged(path, "no schema version");
  return state;
}

Status check_pages(Connection& connection, const fs::path& path) {
  std::error_code unknown;
  const auto size = fs::file_size(path, unknown);
  if (unknown || size > kCheapToCheck) return {};
  const std::string verdict = connection.text("PRAGMA quick_check(1)");
  if (verdict != "ok") return damaged(path, verdict);
  return {};
}

Status check_writable(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  // The mode is asked beside access(), which root always passes: a file marked read-only is meant to stay as it is.
  if ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || ::access(path.c_str(), W_OK) != 0) {
    return Error{ErrorCode::kIo, path.string() + ": is read-only; " + kChooseAnother + ", or open it for reading"};
  }
  return {};
}

std::unique_ptr<Connection> reading_connection(const fs::path& path) {
  const bool has_content = has_log(path);
  // Where nothing can be written there can be no index of the log and no writer either.
  if (!writable_folder(path))
    return Connection::open(path, has_content ? Connection::Mode::kReadOnly : Connection::Mode::kImmutable);
  // A log that a killed writer left stays for the next writer: a reader does not change the file.
  const bool tidies = !has_content && check_writable(path).ok();
  return Connection::open(path, tidies ? Connection::Mode::kReadAndTidy : Connection::Mode::kReadOnly);
}

Result<FileState> look(Connection& connection, const fs::path& path) {
  FL_TRY(FileState state, state_of(connection, path));
  FL_TRY_VOID(check_pages(connection, path));
  return state;
}

// Looks at a file without making an index of a log beside it, which SQLite makes to read and a reader cannot remove. Returns
// nothing when that was not enough: there is a log, or the file changed meanwhile.
std::optional<Result<FileState>> glance(const fs::path& path) {
  if (has_sidecar(path)) return std::nullopt;
  std::error_code unknown;
  const auto before = fs::last_write_time(path, unknown);
  auto state =
      guarded(path, [&]() -> Result<FileState> { return look(*Connection::open(path, Connection::Mode::kImmutable), path); });
  if (has_sidecar(path) || unknown || fs::last_write_time(path, unknown) != before) return std::nullopt;
  return state;
}

}  // namespace

Result<FileState> inspect(const fs::path& path) {
  std::error_code failure;
  if (!fs::exists(path, failure)) return FileState();
  if (!fs::is_regular_file(path, failure)) return not_ours(path, "not a file");
  if (fs::file_size(path, failure) == 0 && !has_log(path)) return FileState();
  // Looked at through SQLite alone: a descriptor of our own would, when closed, drop the locks of every other connection of this
  // process.
  if (auto seen = glance(path)) return std::move(*seen);
  return guarded(path, [&]() -> Result<FileState> { return look(*reading_connection(path), path); });
}

Result<std::unique_ptr<Connection>> open_for_reading(const fs::path& path) {
  FL_TRY(const FileState state, inspect(path));
  if (state.fresh) {
    std::error_code ignored;
    return Error{ErrorCode::kNotFound, path.string() +
                                           (fs::exists(path, ignored) ? ": no results there yet" : ": there is no such database") +
                                           "; `fuselab bench SUBJECT` makes one, --db names another"};
  }
  return guarded(path, [&]() -> Result<std::unique_ptr<Connection>> { return reading_connection(path); });
}

Result<std::unique_ptr<Connection>> open_for_writing(const fs::path& path) {
  FL_TRY_VOID(check_writable(path));
  FL_TRY(const FileState state, inspect(path));
  return guarded(path, [&]() -> Result<std::unique_ptr<Connection>> {
    auto connection = Connection::open(path, Connection::Mode::kCreate);
    if (connection->text("PRAGMA journal_mode = WAL") != "wal") {
      return Error{ErrorCode::kIo, path.string() +
                                       ": its file system has no shared memory for a write-ahead log (a network drive?); "
                                       "choose a file on a local disk with --db"};
    }
    if (state.fresh || state.schema < newest_schema()) migrate(*connection, state.fresh ? 0 : state.schema, newest_schema());
    return connection;
  });
}

}  // namespace fuselab::db
