// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "db/connection/migrations.h"
#include "db/connection/real_path.h"
#include "db/connection/writer_lease.h"
#include "db/upkeep/maintenance.h"

namespace fuselab::db {
namespace {

constexpr std::array kTables = {"run",    "piece",         "model_piece", "device", "environment", "metric", "kernel",
                                "source", "kernel_binary", "trial",       "tuning", "ceiling",     "choice"};

Bytes size_of_file(const std::filesystem::path& path) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(path, absent);
  return {absent ? 0 : static_cast<std::int64_t>(size)};
}

}  // namespace

RowCounts count_rows(Connection& connection) {
  RowCounts rows;
  for (const char* table : kTables) rows.emplace_back(table, connection.integer(std::string("SELECT count(*) FROM ") + table));
  return rows;
}

DatabaseInfo read_info(Connection& connection, const std::filesystem::path& path) {
  DatabaseInfo info;
  info.path = path;
  info.schema = static_cast<int>(connection.integer("PRAGMA user_version"));
  info.newest_schema = newest_schema();
  info.file = size_of_file(path);
  info.log = size_of_file(real_path(path).string() + "-wal");
  info.binaries = {connection.integer("SELECT sum(length(data)) FROM kernel_binary")};
  info.sources = {connection.integer("SELECT sum(length(text)) FROM source")};
  info.rows = count_rows(connection);
  info.writer = lease_holder(path);
  return info;
}

}  // namespace fuselab::db
