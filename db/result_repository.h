// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"
#include "db/rows/kernel_rows.h"

namespace fuselab::db {

// Writes batches: one transaction each. Thread-safe.
class ResultRepository final : public ResultStore {
 public:
  ResultRepository(std::filesystem::path path, std::unique_ptr<Connection> connection, std::shared_ptr<Trust> trust,
                   RowOrigin origin);

  Status commit(const StoreBatch& batch) override;

  // Runs `body(connection)` in a write transaction of its own, for maintenance.
  Status write(const std::function<Status(Connection&)>& body) { return write(body, Durability::kNow); }
  // Runs `body(connection)` outside any transaction (VACUUM, ATTACH).
  Status maintain(const std::function<Status(Connection&)>& body);

 private:
  using Clock = std::chrono::steady_clock;
  Status write(const std::function<Status(Connection&)>& body, Durability durability);
  Status insert(const StoreBatch& batch);
  Status insert_kernels(const StoreBatch& batch);
  Status insert_trials(const StoreBatch& batch);
  Status insert_model_pieces(const StoreBatch& batch);
  Status insert_ceilings(const StoreBatch& batch);
  Result<std::int64_t> number_of(const char* table, const char* column, const std::string& key, const std::string& user);
  std::int64_t word(const std::string& text);
  Error explained(Error error, const StoreBatch& batch) const;

  std::filesystem::path path_;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<Trust> trust_;
  RowOrigin origin_;
  std::mutex mutex_;
  Clock::time_point on_disk_since_;  // time of the last commit that waited for the disk
  // Numbers found or made inside the running transaction: emptied when it fails.
  std::unordered_map<std::string, std::int64_t> words_;
  std::map<std::pair<std::string, std::string>, std::int64_t> numbers_;
};

}  // namespace fuselab::db
