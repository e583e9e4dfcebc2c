// SPDX-License-Identifier: Apache-2.0
#include "db/connection/migrations.h"

#include "embedded/db/schema.h"

namespace fuselab::db {

int newest_schema() {
  return static_cast<int>(schema::embedded_files().size());
}

void migrate(Connection& connection, int from, int to) {
  FL_ASSERT(from >= 0 && from <= to && to <= newest_schema());
  TransactionScope transaction(connection, TransactionScope::Kind::kWrite);
  for (int version = from; version < to; ++version) {
    const auto& file = schema::embedded_files()[static_cast<std::size_t>(version)];
    connection.raw().exec(std::string(file.text));
  }
  connection.raw().exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  connection.raw().exec("PRAGMA user_version = " + std::to_string(to));
  transaction.commit();
}

}  // namespace fuselab::db
