// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/connection/sql_error.h"
#include "db/connection/trust.h"
#include "db/positions/trial_positions.h"

namespace fuselab::db {

// Answers queries on a read-only connection. Thread-safe: one query at a time, each in one read transaction.
class ResultReader final : public ResultQueries {
 public:
  ResultReader(std::filesystem::path path, std::unique_ptr<Connection> connection, std::shared_ptr<Trust> trust);

  Result<std::int64_t> count_trials(const TrialFilter& filter) override;
  Result<std::vector<TrialRow>> page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit) override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> count_by_outcome(const TrialFilter& filter) override;
  Result<std::optional<TrialRecord>> trial(const std::string& id) override;
  Result<std::vector<TrialRecord>> find_valid(const std::string& plan_key, const std::string& metric_key,
                                              const std::string& environment_key) override;
  Result<std::vector<TrialRecord>> evidence(const EvidenceKey& key, const std::vector<std::string>& stale_plans = {},
                                            const std::string& run_id = {}) override;
  Result<std::optional<CompiledKernel>> kernel(const std::string& kernel_key, std::string* unvouched) override;
  Result<std::optional<StoredSource>> source(const std::string& kernel_key) override;
  Result<std::optional<TuningRecord>> tuning(const EvidenceKey& key, const std::string& generation_key) override;
  Result<std::optional<GainRecord>> gain(const PlanPairKey& key) override;
  Result<std::vector<ProfileRecord>> profiles(const std::string& plan_key, const std::string& device_id,
                                              const std::string& environment_key) override;
  Result<Catalog> catalog() override;

  // Runs `body(connection)`, which returns a Result, in one read transaction.
  template <typename Body>
  auto read(Body body) -> decltype(body(std::declval<Connection&>())) {
    const std::lock_guard lock(mutex_);
    return guarded(path_, [&] {
      TransactionScope snapshot(*connection_, TransactionScope::Kind::kRead);
      return body(*connection_);
    });
  }

 private:
  std::filesystem::path path_;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<Trust> trust_;
  std::mutex mutex_;
  TrialPositions positions_;
};

}  // namespace fuselab::db
