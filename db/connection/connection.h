// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace fuselab::db {

// "FuLb": marks the file as a database of Fuselab, so that no other program's database is ever changed.
inline constexpr std::int32_t kApplicationId = 0x46754c62;

// One SQLite connection with Fuselab's pragmas and its prepared statements. Used by one thread at a time. Members throw
// SQLite::Exception, which guarded() turns into an Error.
class Connection {
 public:
  enum class Mode {
    kReadWrite,  // the file exists
    kCreate,
    kReadOnly,
    kReadAndTidy,  // writes no row; whoever closes last removes the empty log and its index, which only a writer may
    kImmutable,    // a file that cannot be written: neither lock nor log is needed
  };
  static std::unique_ptr<Connection> open(const std::filesystem::path& path, Mode mode);

  SQLite::Database& raw() { return database_; }
  // Returns the statement of this text, prepared once, reset and without bindings. `sql` must be one of a fixed set of
  // texts: each is prepared once and kept.
  SQLite::Statement& statement(const std::string& sql);
  // Ends every running query: one that was left unfinished would keep its snapshot, and prevent the log from being merged into the
  // file.
  void reset_statements();
  // Sets whether commits wait until their log is on the disk. Not to be called inside a transaction. A writing connection begins
  // with waiting. Without waiting, commits survive the end of the process, and each survives a loss of power as a whole or not at
  // all.
  void wait_for_disk(bool wait);
  // Returns the first column of the first row; 0 or empty when there is none.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);

 private:
  Connection(const std::string& uri, int flags);
  SQLite::Database database_;
  std::map<std::string, std::unique_ptr<SQLite::Statement>> statements_;
  bool waits_for_disk_ = false;
};

// Begins a read or write transaction and rolls it back when the scope ends without commit().
class TransactionScope {
 public:
  enum class Kind { kRead, kWrite };
  TransactionScope(Connection& connection, Kind kind);
  ~TransactionScope();
  TransactionScope(const TransactionScope&) = delete;
  TransactionScope& operator=(const TransactionScope&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

// Returns the "file:" address of a path, with characters that SQLite would read as syntax escaped.
std::string file_uri(const std::filesystem::path& path, const std::string& query);

}  // namespace fuselab::db
