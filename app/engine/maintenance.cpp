// SPDX-License-Identifier: Apache-2.0
#include "app/engine/maintenance.h"

#include "db/database.h"

namespace fuselab::engine {
namespace {

Result<std::unique_ptr<db::Database>> open(const Config& config, db::Access access) {
  return db::Database::open(config.database, access, std::make_shared<db::Trust>(config.key_directory));
}

// Fails where there is no database: maintenance does not create one.
Status must_exist(const Config& config) {
  const auto opened = open(config, db::Access::kRead);
  return opened.ok() ? Status() : Status(opened.error());
}

}  // namespace

Result<DatabaseSummary> database_info(const Config& config) {
  FL_TRY(auto database, open(config, db::Access::kRead));
  FL_TRY(const db::DatabaseInfo info, database->info());
  return DatabaseSummary{info.path, info.schema, info.file, info.log, info.binaries, info.sources, info.rows, info.writer};
}

Result<DatabaseHealth> verify_database(const Config& config) {
  FL_TRY(auto database, open(config, db::Access::kRead));
  FL_TRY(const db::VerifyReport report, database->verify());
  return DatabaseHealth{
      report.problems, {report.strangers.begin(), report.strangers.end()}, {report.unvouched.begin(), report.unvouched.end()}};
}

Result<CollectedGarbage> collect_garbage(const Config& config, Bytes budget) {
  FL_TRY_VOID(must_exist(config));
  FL_TRY(auto database, open(config, db::Access::kWrite));
  FL_TRY(const db::GcReport report, database->gc(budget));
  return CollectedGarbage{report.dropped, report.kept, report.before, report.after, report.within_budget};
}

Result<MergedDatabase> merge_database(const Config& config, const std::filesystem::path& other) {
  // A mistyped file name must not leave a new database behind.
  std::error_code absent;
  db::Trust trust(config.key_directory);
  if (!std::filesystem::exists(config.database, absent)) FL_TRY_VOID(db::Database::check_mergeable(other, trust));
  FL_TRY(auto database, open(config, db::Access::kWrite));
  FL_TRY(const db::MergeReport merged, database->merge(other));
  return MergedDatabase{merged.added, {merged.unvouched.begin(), merged.unvouched.end()}};
}

Result<std::string> own_public_key(const Config& config) {
  return db::Trust(config.key_directory).public_key_text();
}

Result<TrustedSigner> trust(const Config& config, const std::string& public_key_text) {
  db::Trust trusted(config.key_directory);
  FL_TRY(const db::TrustedKey key, trusted.add(public_key_text));
  return TrustedSigner{key.public_key, key.name};
}

Result<std::vector<TrustedSigner>> trusted_signers(const Config& config) {
  db::Trust trusted(config.key_directory);
  FL_TRY(const auto keys, trusted.list());
  std::vector<TrustedSigner> signers;
  for (const db::TrustedKey& key : keys) signers.push_back({key.public_key, key.name});
  return signers;
}

}  // namespace fuselab::engine
