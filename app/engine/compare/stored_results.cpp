// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/stored_results.h"

#include <utility>

#include "db/connection/writer_lease.h"

namespace fuselab::engine {

StoredResults::StoredResults(std::filesystem::path path, std::shared_ptr<db::Trust> trust)
    : path_(std::move(path)), trust_(std::move(trust)) {}

Status StoredResults::open() {
  const std::lock_guard lock(mutex_);
  if (database_ != nullptr) return {};
  FL_TRY(database_, db::Database::open(path_, db::Access::kRead, trust_));
  return {};
}

std::string StoredResults::writer() const {
  return db::lease_holder(path_);
}

template <typename Answer, typename Ask>
Result<Answer> StoredResults::ask(const Ask& question) {
  const Status opened = open();
  if (opened.ok()) return question(database_->queries());
  return opened.error().code == ErrorCode::kNotFound ? Result<Answer>(Answer{}) : Result<Answer>(opened.error());
}

Result<std::int64_t> StoredResults::count_trials(const TrialFilter& filter) {
  return ask<std::int64_t>([&](ResultQueries& queries) { return queries.count_trials(filter); });
}

Result<std::vector<TrialRow>> StoredResults::page(const TrialFilter& filter, TrialOrder order, std::int64_t offset,
                                                  std::int64_t limit) {
  return ask<std::vector<TrialRow>>([&](ResultQueries& queries) { return queries.page(filter, order, offset, limit); });
}

Result<std::vector<std::pair<std::string, std::int64_t>>> StoredResults::count_by_outcome(const TrialFilter& filter) {
  return ask<std::vector<std::pair<std::string, std::int64_t>>>(
      [&](ResultQueries& queries) { return queries.count_by_outcome(filter); });
}

Result<std::optional<TrialRecord>> StoredResults::trial(const std::string& id) {
  return ask<std::optional<TrialRecord>>([&](ResultQueries& queries) { return queries.trial(id); });
}

Result<std::vector<TrialRecord>> StoredResults::find_valid(const std::string& plan_key, const std::string& metric_key,
                                                           const std::string& environment_key) {
  return ask<std::vector<TrialRecord>>(
      [&](ResultQueries& queries) { return queries.find_valid(plan_key, metric_key, environment_key); });
}

Result<std::vector<TrialRecord>> StoredResults::evidence(const EvidenceKey& key, const std::vector<std::string>& stale_plans,
                                                         const std::string& run_id) {
  return ask<std::vector<TrialRecord>>([&](ResultQueries& queries) { return queries.evidence(key, stale_plans, run_id); });
}

Result<std::optional<CompiledKernel>> StoredResults::kernel(const std::string& kernel_key, std::string* unvouched) {
  return ask<std::optional<CompiledKernel>>([&](ResultQueries& queries) { return queries.kernel(kernel_key, unvouched); });
}

Result<std::optional<StoredSource>> StoredResults::source(const std::string& kernel_key) {
  return ask<std::optional<StoredSource>>([&](ResultQueries& queries) { return queries.source(kernel_key); });
}

Result<std::optional<TuningRecord>> StoredResults::tuning(const EvidenceKey& key, const std::string& generation_key) {
  return ask<std::optional<TuningRecord>>([&](ResultQueries& queries) { return queries.tuning(key, generation_key); });
}

Result<std::optional<GainRecord>> StoredResults::gain(const PlanPairKey& key) {
  return ask<std::optional<GainRecord>>([&](ResultQueries& queries) { return queries.gain(key); });
}

Result<std::vector<ProfileRecord>> StoredResults::profiles(const std::string& plan_key, const std::string& device_id,
                                                           const std::string& environment_key) {
  return ask<std::vector<ProfileRecord>>(
      [&](ResultQueries& queries) { return queries.profiles(plan_key, device_id, environment_key); });
}

Result<Catalog> StoredResults::catalog() {
  return ask<Catalog>([](ResultQueries& queries) { return queries.catalog(); });
}

}  // namespace fuselab::engine
