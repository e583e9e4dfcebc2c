// SPDX-License-Identifier: Apache-2.0
#include "db/result_reader.h"

#include <algorithm>

#include "db/connection/row_io.h"
#include "db/rows/block_rows.h"
#include "db/rows/evidence.h"
#include "db/rows/gain_rows.h"
#include "db/rows/kernel_rows.h"
#include "db/rows/profile_rows.h"
#include "db/rows/small_tables.h"
#include "db/rows/trial_columns.h"

namespace fuselab::db {
namespace {

Result<std::vector<TrialRow>> read_rows(Connection& connection, std::span<const std::int64_t> sequences) {
  std::vector<TrialRow> rows;
  rows.reserve(sequences.size());
  for (const std::int64_t sequence : sequences) {
    SQLite::Statement& query = connection.statement(std::string(kSelectTrialRow) + "WHERE t.sequence = ?");
    RowBinder(query).integer(sequence);
    if (!query.executeStep()) continue;
    FL_TRY(auto row, read_trial_row(query));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

ResultReader::ResultReader(std::filesystem::path path, std::unique_ptr<Connection> connection, std::shared_ptr<Trust> trust)
    : path_(std::move(path)), connection_(std::move(connection)), trust_(std::move(trust)) {}

Result<std::int64_t> ResultReader::count_trials(const TrialFilter& filter) {
  return read([&](Connection& connection) -> Result<std::int64_t> { return positions_.count(connection, filter); });
}

Result<std::vector<TrialRow>> ResultReader::page(const TrialFilter& filter, TrialOrder order, std::int64_t offset,
                                                 std::int64_t limit) {
  if (offset < 0 || limit < 0) return invalid_argument("a page needs an offset and a limit of at least 0");
  return read([&](Connection& connection) {
    return read_rows(connection,
                     positions_.page(connection, filter, order, static_cast<std::size_t>(offset), static_cast<std::size_t>(limit)));
  });
}

Result<std::vector<std::pair<std::string, std::int64_t>>> ResultReader::count_by_outcome(const TrialFilter& filter) {
  return read([&](Connection& connection) -> Result<std::vector<std::pair<std::string, std::int64_t>>> {
    return positions_.count_by_outcome(connection, filter);
  });
}

Result<std::optional<TrialRecord>> ResultReader::trial(const std::string& id) {
  return read([&](Connection& connection) -> Result<std::optional<TrialRecord>> {
    SQLite::Statement& query = connection.statement(std::string(kSelectTrial) + "WHERE t.id = ?");
    RowBinder(query).text(id);
    if (!query.executeStep()) return std::optional<TrialRecord>();
    FL_TRY(auto trial, read_trial(query));
    FL_TRY(trial.conditions, conditions_of(connection, trial.block_id));
    return std::optional(std::move(trial));
  });
}

Result<std::vector<TrialRecord>> ResultReader::find_valid(const std::string& plan_key, const std::string& metric_key,
                                                          const std::string& environment_key) {
  // No plan was ever generated under an empty key: such rows match nothing.
  if (plan_key.empty()) return std::vector<TrialRecord>();
  return read([&](Connection& connection) -> Result<std::vector<TrialRecord>> {
    std::vector<TrialRecord> trials;
    SQLite::Statement& query = connection.statement(std::string(kSelectTrial) +
                                                    "WHERE t.plan_key = ? AND m.key = ? AND e.key = ? ORDER BY t.sequence DESC");
    RowBinder(query).text(plan_key).text(metric_key).text(environment_key);
    while (query.executeStep()) {
      FL_TRY(auto trial, read_trial(query));
      trials.push_back(std::move(trial));
    }
    return trials;
  });
}

Result<std::vector<TrialRecord>> ResultReader::evidence(const EvidenceKey& key, const std::vector<std::string>& stale_plans,
                                                        const std::string& run_id) {
  return read([&](Connection& connection) { return read_evidence(connection, key, stale_plans, run_id); });
}

Result<std::optional<CompiledKernel>> ResultReader::kernel(const std::string& kernel_key, std::string* unvouched) {
  return read([&](Connection& connection) -> Result<std::optional<CompiledKernel>> {
    KernelSigners signers;
    FL_TRY(auto kernel, read_kernel(connection, kernel_key, *trust_, &signers));
    if (unvouched != nullptr) *unvouched = signers.source.missing;
    return kernel;
  });
}

Result<std::optional<StoredSource>> ResultReader::source(const std::string& kernel_key) {
  return read([&](Connection& connection) -> Result<std::optional<StoredSource>> {
    KernelSigners signers;
    auto kernel = read_kernel(connection, kernel_key, *trust_, &signers);
    // A signature that fits says that the text is the signer's: only who that is, is in question.
    if (!kernel.ok() && !signers.stranger.empty()) kernel = read_kernel_text(connection, kernel_key);
    if (!kernel.ok()) return kernel.error();
    if (!kernel.value()) return std::optional<StoredSource>();
    return std::optional(StoredSource{std::move(kernel.value()->source.text), signers.stranger});
  });
}

Result<std::optional<TuningRecord>> ResultReader::tuning(const EvidenceKey& key, const std::string& generation_key) {
  return read([&](Connection& connection) { return read_tuning(connection, key, generation_key); });
}

Result<std::optional<GainRecord>> ResultReader::gain(const PlanPairKey& key) {
  return read([&](Connection& connection) { return read_gain(connection, key); });
}

Result<std::vector<ProfileRecord>> ResultReader::profiles(const std::string& plan_key, const std::string& device_id,
                                                          const std::string& environment_key) {
  return read([&](Connection& connection) -> Result<std::vector<ProfileRecord>> {
    return read_profiles(connection, plan_key, device_id, environment_key);
  });
}

Result<Catalog> ResultReader::catalog() {
  return read([](Connection& connection) { return read_catalog(connection); });
}

}  // namespace fuselab::db
