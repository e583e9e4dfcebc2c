// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>

#include "core/store/result_store.h"
#include "db/database.h"

namespace fuselab::engine {

// Reads a database that may not exist yet. Until it does, it counts as empty, and asking does not create it. The file is opened by
// the first question after it came to be. Thread-safe; errors of opening are returned by each question.
class StoredResults final : public ResultQueries {
 public:
  StoredResults(std::filesystem::path path, std::shared_ptr<db::Trust> trust);

  // Opens the database. Fails with kNotFound while there is none.
  Status open();
  // Returns the process that writes the database now, as db::lease_holder() does.
  std::string writer() const;

  Result<std::int64_t> count_trials(const TrialFilter& filter) override;
  Result<std::vector<TrialRow>> page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit) override;
  Result<std::vector<std::pair<std::string, std::int64_t>>> count_by_outcome(const TrialFilter& filter) override;
  Result<std::optional<TrialRecord>> trial(const std::string& id) override;
  Result<std::vector<TrialRecord>> find_valid(const std::string& plan_key, const std::string& metric_key,
                                              const std::string& environment_key) override;
  Result<std::vector<TrialRecord>> evidence(const EvidenceKey& key, const std::vector<std::string>& stale_plans,
                                            const std::string& run_id) override;
  Result<std::optional<CompiledKernel>> kernel(const std::string& kernel_key, std::string* unvouched) override;
  Result<std::optional<StoredSource>> source(const std::string& kernel_key) override;
  Result<std::optional<TuningRecord>> tuning(const EvidenceKey& key, const std::string& generation_key) override;
  Result<std::optional<GainRecord>> gain(const PlanPairKey& key) override;
  Result<std::vector<ProfileRecord>> profiles(const std::string& plan_key, const std::string& device_id,
                                              const std::string& environment_key) override;
  Result<Catalog> catalog() override;

 private:
  template <typename Answer, typename Ask>
  Result<Answer> ask(const Ask& question);

  std::filesystem::path path_;
  std::shared_ptr<db::Trust> trust_;
  std::mutex mutex_;
  std::unique_ptr<db::Database> database_;  // set once, then used by all threads
};

}  // namespace fuselab::engine
