// SPDX-License-Identifier: Apache-2.0
#include "db/connection/connection.h"

#include <sqlite3.h>

#include <cstdio>

namespace fuselab::db {
namespace {

constexpr int kBusyTimeoutMs = 5000;

int flags_of(Connection::Mode mode) {
  switch (mode) {
    case Connection::Mode::kReadAndTidy:
    case Connection::Mode::kReadWrite: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI;
    case Connection::Mode::kCreate: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    case Connection::Mode::kReadOnly:
    case Connection::Mode::kImmutable: return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
}

}  // namespace

std::string file_uri(const std::filesystem::path& path, const std::string& query) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    if (c == '%' || c == '?' || c == '#') {
      char escaped[4];
      std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      uri += escaped;
    } else {
      uri += c;
    }
  }
  return query.empty() ? uri : uri + "?" + query;
}

Connection::Connection(const std::string& uri, int flags) : database_(uri, flags, kBusyTimeoutMs) {
  // Files are untrusted: no function with side effects runs from a schema, and damaged cells are errors.
  database_.exec(
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;"
      "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;");
}

std::unique_ptr<Connection> Connection::open(const std::filesystem::path& path, Mode mode) {
  const std::string query = mode == Mode::kImmutable ? "immutable=1" : "";
  std::unique_ptr<Connection> connection(new Connection(file_uri(path, query), flags_of(mode)));
  if (mode == Mode::kReadOnly || mode == Mode::kReadAndTidy || mode == Mode::kImmutable) {
    connection->raw().exec("PRAGMA query_only = ON");
  } else {
    connection->wait_for_disk(true);
  }
  return connection;
}

SQLite::Statement& Connection::statement(const std::string& sql) {
  if (const auto known = statements_.find(sql); known != statements_.end()) {
    known->second->tryReset();
    known->second->clearBindings();
    return *known->second;
  }
  return *statements_.emplace(sql, std::make_unique<SQLite::Statement>(database_, sql)).first->second;
}

void Connection::reset_statements() {
  for (const auto& [sql, statement] : statements_) statement->tryReset();
}

// https://www.sqlite.org/pragma.html#pragma_synchronous: with a write-ahead log NORMAL keeps the file sound whatever happens, but
// the newest commits could be lost with the power.
void Connection::wait_for_disk(bool wait) {
  if (wait == waits_for_disk_) return;
  database_.exec(wait ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  waits_for_disk_ = wait;
}

std::int64_t Connection::integer(const std::string& sql) {
  SQLite::Statement query(database_, sql);
  return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

std::string Connection::text(const std::string& sql) {
  SQLite::Statement query(database_, sql);
  return query.executeStep() ? query.getColumn(0).getString() : std::string();
}

TransactionScope::TransactionScope(Connection& connection, Kind kind) : connection_(connection) {
  connection_.raw().exec(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

TransactionScope::~TransactionScope() {
  if (!open_) return;
  connection_.reset_statements();
  // Fails when SQLite has rolled back already (disk full): then there is nothing left to do.
  connection_.raw().tryExec("ROLLBACK");
}

void TransactionScope::commit() {
  connection_.reset_statements();
  connection_.raw().exec("COMMIT");
  open_ = false;
}

}  // namespace fuselab::db
