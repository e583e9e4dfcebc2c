// SPDX-License-Identifier: Apache-2.0
#include "db/result_repository.h"

#include <algorithm>
#include <filesystem>

#include "db/connection/row_io.h"
#include "db/connection/sql_error.h"
#include "db/rows/block_rows.h"
#include "db/rows/gain_rows.h"
#include "db/rows/profile_rows.h"
#include "db/rows/small_tables.h"
#include "db/rows/trial_columns.h"

namespace fuselab::db {
namespace {

constexpr std::chrono::seconds kMostWithoutTheDisk{1};  // see Durability::kSoon

// Returns roughly what a batch needs on the disk: its large values and its rows. People read the number when the disk is full.
Bytes estimated_size(const StoreBatch& batch) {
  constexpr std::size_t kRow = 1024;
  std::size_t size = kRow * (batch.trials.size() + batch.kernels.size() + batch.pieces.size() + batch.model_pieces.size() + 1);
  for (const TrialRecord& trial : batch.trials) size += trial.result.samples.size() * sizeof(double);
  for (const CompiledKernel& kernel : batch.kernels) size += kernel.source.text.size() + kernel.binary.data.size();
  for (const PieceRecord& piece : batch.pieces) size += piece.canonical_text.size();
  for (const ProfileRecord& profile : batch.profiles) size += profile.body.size();
  return {static_cast<std::int64_t>(size)};
}

}  // namespace

ResultRepository::ResultRepository(std::filesystem::path path, std::unique_ptr<Connection> connection, std::shared_ptr<Trust> trust,
                                   RowOrigin origin)
    : path_(std::move(path)), connection_(std::move(connection)), trust_(std::move(trust)), origin_(std::move(origin)) {}

Status ResultRepository::commit(const StoreBatch& batch) {
  Status status = write([&](Connection&) { return insert(batch); }, batch.durability);
  if (!status.ok()) return explained(status.error(), batch);
  return status;
}

Status ResultRepository::write(const std::function<Status(Connection&)>& body, Durability durability) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point begun = Clock::now();
  const bool waits = durability == Durability::kNow || begun - on_disk_since_ >= kMostWithoutTheDisk;
  Status status = guarded(path_, [&]() -> Status {
    connection_->wait_for_disk(waits);
    TransactionScope transaction(*connection_, TransactionScope::Kind::kWrite);
    FL_TRY_VOID(body(*connection_));
    transaction.commit();
    return {};
  });
  if (!status.ok()) {
    words_.clear();
    numbers_.clear();
  } else if (waits) {
    on_disk_since_ = begun;
  }
  return status;
}

Status ResultRepository::maintain(const std::function<Status(Connection&)>& body) {
  const std::lock_guard lock(mutex_);
  return guarded(path_, [&]() -> Status {
    connection_->reset_statements();
    return body(*connection_);
  });
}

Status ResultRepository::insert(const StoreBatch& batch) {
  for (const RunRecord& run : batch.runs) put(*connection_, run, origin_);
  for (const auto& [id, marks] : batch.run_marks) {
    FL_TRY(const std::int64_t run, number_of("run", "id", id, "a name, tag, note or pin"));
    put(*connection_, run, marks, origin_);
  }
  for (const PieceRecord& piece : batch.pieces) put(*connection_, piece, origin_);
  for (const DeviceInfo& device : batch.devices) put(*connection_, device, origin_);
  for (const EnvironmentIdentity& environment : batch.environments) put(*connection_, environment, origin_);
  for (const MetricIdentity& metric : batch.metrics) put(*connection_, metric, origin_);
  for (const TuningRecord& tuning : batch.tunings) put(*connection_, tuning, origin_);
  for (const GainRecord& gain : batch.gains) put(*connection_, gain, origin_);
  for (const ProfileRecord& profile : batch.profiles) put(*connection_, profile, origin_);
  for (const DefaultChoiceRecord& choice : batch.choices) put(*connection_, choice, origin_);
  FL_TRY_VOID(insert_model_pieces(batch));
  FL_TRY_VOID(insert_ceilings(batch));
  FL_TRY_VOID(insert_kernels(batch));
  for (const BlockRecord& block : batch.blocks) put(*connection_, word(block.id), block.conditions, origin_);
  return insert_trials(batch);
}

Status ResultRepository::insert_kernels(const StoreBatch& batch) {
  for (const CompiledKernel& kernel : batch.kernels) FL_TRY_VOID(insert_kernel(*connection_, kernel, *trust_, origin_));
  for (const std::string& key : batch.keep_binaries) {
    const auto kernel = std::find_if(batch.kernels.begin(), batch.kernels.end(),
                                     [&](const CompiledKernel& candidate) { return candidate.kernel_id() == key; });
    if (kernel == batch.kernels.end())
      return invalid_argument("keep_binaries names kernel " + key + ", which the batch does not carry");
    if (kernel->binary.data.empty()) continue;
    FL_TRY_VOID(insert_binary(*connection_, *kernel, *trust_, origin_));
  }
  return {};
}

Status ResultRepository::insert_model_pieces(const StoreBatch& batch) {
  for (const ModelPieceRecord& piece : batch.model_pieces) {
    FL_TRY(const std::int64_t run,
           number_of("run", "id", piece.run_id, "piece '" + piece.name + "' of model '" + piece.model + "'"));
    put(*connection_, run, piece, origin_);
  }
  return {};
}

Status ResultRepository::insert_ceilings(const StoreBatch& batch) {
  for (const auto& [key, table] : batch.ceilings) {
    FL_TRY(const std::int64_t environment, number_of("environment", "key", key, "a table of ceilings"));
    put(*connection_, environment, table, origin_);
  }
  return {};
}

Status ResultRepository::insert_trials(const StoreBatch& batch) {
  for (const TrialRecord& trial : batch.trials) {
    const std::string user = "trial " + trial.id;
    TrialReferences references;
    FL_TRY(references.run, number_of("run", "id", trial.run_id, user));
    FL_TRY(references.piece, number_of("piece", "key", trial.piece_key, user));
    FL_TRY(references.metric, number_of("metric", "key", trial.metric_key, user));
    FL_TRY(references.environment, number_of("environment", "key", trial.environment_key, user));
    references.device = word(trial.device_id);
    references.backend = word(trial.backend);
    references.process = word(trial.process_id);
    references.block = word(trial.block_id);
    references.host = word(origin_.host);
    insert_trial(*connection_, trial, references);
  }
  return {};
}

Result<std::int64_t> ResultRepository::number_of(const char* table, const char* column, const std::string& key,
                                                 const std::string& user) {
  const auto known = numbers_.find({table, key});
  if (known != numbers_.end()) return known->second;
  SQLite::Statement& query = connection_->statement(std::string("SELECT no FROM ") + table + " WHERE " + column + " = ?");
  RowBinder(query).text(key);
  if (!query.executeStep()) {
    return invalid_argument(user + " refers to " + table + " '" + key + "', which neither the batch nor the database holds");
  }
  const std::int64_t number = query.getColumn(0).getInt64();
  numbers_[{table, key}] = number;
  return number;
}

std::int64_t ResultRepository::word(const std::string& text) {
  const auto known = words_.find(text);
  if (known != words_.end()) return known->second;
  // Blocks and processes come and go: what is remembered is bounded.
  constexpr std::size_t kMostWords = 100'000;
  if (words_.size() >= kMostWords) words_.clear();
  SQLite::Statement& insert = connection_->statement("INSERT INTO word (text) VALUES (?) ON CONFLICT (text) DO NOTHING");
  RowBinder(insert).text(text);
  insert.exec();
  SQLite::Statement& query = connection_->statement("SELECT no FROM word WHERE text = ?");
  RowBinder(query).text(text);
  FL_ASSERT(query.executeStep());
  return words_[text] = query.getColumn(0).getInt64();
}

Error ResultRepository::explained(Error error, const StoreBatch& batch) const {
  if (is_want_of_space(error)) {
    std::error_code ignored;
    const auto space = std::filesystem::space(path_.parent_path().empty() ? "." : path_.parent_path(), ignored);
    if (!ignored) {
      error.message += "; this write needs about " + format_bytes(estimated_size(batch)) + ", " +
                       format_bytes({static_cast<std::int64_t>(space.available)}) +
                       " are free: free some space or run `fuselab db gc`";
    }
  }
  if (error.code == ErrorCode::kInvalidArgument && error.message.find("trial.id") != std::string::npos) {
    error.message = path_.string() + ": a trial of this write is stored already; trials are only ever added, once";
  }
  return error;
}

}  // namespace fuselab::db
