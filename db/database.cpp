// SPDX-License-Identifier: Apache-2.0
#include "db/database.h"

#include "core/platform/machine/machine.h"
#include "db/connection/migrations.h"
#include "db/connection/opening.h"
#include "db/connection/writer_lease.h"
#include "db/result_reader.h"
#include "db/result_repository.h"
#include "db/rows/enum_text.h"
#include "db/upkeep/maintenance.h"

namespace fuselab::db {
namespace {

Error opened_for_reading() {
  return {ErrorCode::kUnavailable, "the database was opened for reading only"};
}

class RefusingStore final : public ResultStore {
 public:
  Status commit(const StoreBatch&) override { return opened_for_reading(); }
};

}  // namespace

struct Database::Parts {
  std::filesystem::path path;
  std::shared_ptr<Trust> trust;
  RowOrigin origin;
  std::optional<platform::FileLock> lease;  // outlives the writing connection
  std::unique_ptr<ResultRepository> repository;
  RefusingStore refusing;
  std::unique_ptr<ResultReader> reader;
};

Database::Database(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

// A reader of this process may outlive the writer, and then SQLite would leave the newest commits in the log beside the file: a
// copy of the file alone would lack them and look sound.
Database::~Database() {
  if (!parts_->repository) return;
  parts_->reader.reset();
  // The checkpoint hardly waits for another process that is reading: everybody who reads the file reads the log as well.
  [[maybe_unused]] const Status folded = parts_->repository->maintain([](Connection& connection) -> Status {
    connection.raw().exec("PRAGMA busy_timeout = 100");
    connection.text("PRAGMA wal_checkpoint(TRUNCATE)");
    return {};
  });
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path, Access access, std::shared_ptr<Trust> trust,
                                                 OpenOptions options) {
  FL_ASSERT(trust != nullptr);
  if (path.empty()) return invalid_argument("the name of the database is empty; name a file with --db");
  auto parts = std::make_unique<Parts>();
  parts->path = path;
  parts->trust = std::move(trust);
  parts->origin = {options.host.empty() ? platform::machine_facts().host : options.host,
                   std::string(name_of(Origin::kMeasuredHere))};
  if (access == Access::kWrite) {
    std::error_code failure;
    if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path(), failure);
    FL_TRY_VOID(inspect(path));  // what is not ours gets no lock file either
    FL_TRY(parts->lease, acquire_writer_lease(path));
    FL_TRY(auto connection, open_for_writing(path));
    parts->repository = std::make_unique<ResultRepository>(path, std::move(connection), parts->trust, parts->origin);
  }
  FL_TRY(auto connection, open_for_reading(path));
  parts->reader = std::make_unique<ResultReader>(path, std::move(connection), parts->trust);
  return std::unique_ptr<Database>(new Database(std::move(parts)));
}

ResultStore& Database::store() {
  if (parts_->repository) return *parts_->repository;
  return parts_->refusing;
}

ResultQueries& Database::queries() {
  return *parts_->reader;
}

Result<DatabaseInfo> Database::info() {
  return parts_->reader->read([&](Connection& connection) -> Result<DatabaseInfo> { return read_info(connection, parts_->path); });
}

Result<std::vector<RunTrials>> Database::run_trials(bool include_synthetic) {
  return parts_->reader->read(
      [&](Connection& connection) -> Result<std::vector<RunTrials>> { return count_run_trials(connection, include_synthetic); });
}

Result<RunCard> Database::run_card(const std::string& run_id) {
  return parts_->reader->read([&](Connection& connection) { return read_run_card(connection, run_id); });
}

Result<VerifyReport> Database::verify() {
  return parts_->reader->read([&](Connection& connection) { return verify_rows(connection, *parts_->trust); });
}

Result<GcReport> Database::gc(Bytes budget, const GcRules& rules) {
  if (!parts_->repository) return opened_for_reading();
  GcReport report;
  FL_TRY_VOID(parts_->repository->write([&](Connection& connection) { return drop_binaries(connection, budget, rules, report); }));
  FL_TRY_VOID(vacuum());
  return report;
}

Result<MergeReport> Database::merge(const std::filesystem::path& other) {
  if (!parts_->repository) return opened_for_reading();
  std::error_code absent;
  if (std::filesystem::equivalent(parts_->path, other, absent)) {
    return invalid_argument(other.string() + ": a database cannot be merged into itself");
  }
  MergeReport merged;
  FL_TRY_VOID(
      parts_->repository->maintain([&](Connection& connection) { return merge_rows(connection, other, *parts_->trust, merged); }));
  return merged;
}

Status Database::check_mergeable(const std::filesystem::path& other, Trust& trust) {
  return db::check_mergeable(other, trust);
}

Status Database::vacuum() {
  if (!parts_->repository) return opened_for_reading();
  return parts_->repository->maintain([](Connection& connection) -> Status {
    connection.raw().exec("VACUUM");
    // The compacted file is in the log until it is folded in.
    connection.text("PRAGMA wal_checkpoint(TRUNCATE)");
    return {};
  });
}

}  // namespace fuselab::db
