// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/protocol.h"
#include "core/store/evidence_key.h"
#include "core/store/gain_record.h"
#include "core/store/profile_record.h"
#include "core/store/trial_record.h"

namespace fuselab {

// The events besides kill -9 that a finished commit survives. kNow: a loss of power at once. kSoon: a loss of power one second
// later, while commits go on; the next kNow commit includes everything before it. It exists because a disk may answer more slowly
// than a small block is timed.
enum class Durability { kNow, kSoon };

// The contents of one commit, all or nothing. Their order does not matter.
struct StoreBatch {
  std::vector<RunRecord> runs;                              // inserted, or state and end updated by id
  std::vector<std::pair<std::string, RunMarks>> run_marks;  // (RunRecord::id, marks): in place of those that the run had
  std::vector<PieceRecord> pieces;                          // inserted once
  std::vector<ModelPieceRecord> model_pieces;
  std::vector<DeviceInfo> devices;
  std::vector<EnvironmentIdentity> environments;
  std::vector<MetricIdentity> metrics;
  std::vector<CompiledKernel> kernels;     // source and resources are always stored; the binary only when listed in keep_binaries
  std::vector<std::string> keep_binaries;  // kernel keys
  std::vector<TrialRecord> trials;
  std::vector<BlockRecord> blocks;  // the blocks of these trials
  std::vector<TuningRecord> tunings;
  std::vector<GainRecord> gains;
  std::vector<ProfileRecord> profiles;
  std::vector<std::pair<std::string, CeilingTable>> ceilings;  // (environment key, table): replaces the older table
  std::vector<DefaultChoiceRecord> choices;
  Durability durability = Durability::kNow;
};

// Writes results. A database has one writer (a lease). A finished commit() is as durable as the batch asks.
class ResultStore {
 public:
  virtual ~ResultStore() = default;
  virtual Status commit(const StoreBatch& batch) = 0;
};

// A query for trials; empty fields match all. Keyset paging: `after` is the last id of the page before.
struct TrialFilter {
  std::string piece_key, device_id, backend, plan_key, metric_key, environment_key, run_id, outcome;
  std::vector<std::string> piece_keys;  // any of these
  std::optional<PlanKind> kind;
  bool include_synthetic = false;
  bool only_timed = false;
};

// Returns the filter that matches every trial of the key, those of synthetic devices included.
inline TrialFilter filter_of(const EvidenceKey& key) {
  TrialFilter filter;
  filter.piece_key = key.piece;
  filter.device_id = key.device;
  filter.metric_key = key.metric;
  filter.environment_key = key.environment;
  filter.include_synthetic = true;
  return filter;
}

// One line of a results table: no samples, no blobs.
struct TrialRow {
  std::int64_t sequence = 0;  // ascending with insertion; the keyset
  std::string id, run_id, piece_key, piece_name, pattern, device_id, backend, config, outcome, reason;
  PlanKind kind = PlanKind::kFused;
  double median_ns = 0, low_ns = 0, high_ns = 0;
  bool retimed = false;
  bool synthetic = false;
  std::int64_t created_unix_ms = 0;
  std::string metric_key = {};  // what was timed and how; figures of different metrics are not compared
};

// The keys of the two measured plans of a piece.
struct PlanPairKey {
  std::string fused_plan, unfused_plan;  // TrialRecord::plan_key
  std::string device_id, metric_key, environment_key;
  std::string run_id = {};  // empty: of any run
};

// The text of a kernel, to be read.
struct StoredSource {
  std::string text;
  std::string stranger = {};  // the public key that signed the kernel's binary, where the user does not trust it; empty otherwise
};

// Untimed trials are last by speed, both ways. The others are by what the trials say, as texts, and backwards: of a piece its name
// and its pattern; a device; a kind of plan; an outcome; a metric. Trials that say the same are newest first.
enum class TrialOrder {
  kNewestFirst,
  kOldestFirst,
  kFastestFirst,
  kSlowestFirst,
  kPieces,
  kPiecesBack,
  kPatterns,
  kPatternsBack,
  kDevices,
  kDevicesBack,
  kKinds,
  kKindsBack,
  kOutcomes,
  kOutcomesBack,
  kMetrics,
  kMetricsBack
};

// Reads results. Safe beside a writer in another process; each call sees one consistent state.
class ResultQueries {
 public:
  virtual ~ResultQueries() = default;
  virtual Result<std::int64_t> count_trials(const TrialFilter& filter) = 0;
  // Returns rows [offset, offset + limit) of the order; implemented by keyset so that the millionth page costs what the first does.
  virtual Result<std::vector<TrialRow>> page(const TrialFilter& filter, TrialOrder order, std::int64_t offset,
                                             std::int64_t limit) = 0;
  // Returns the outcomes that trials of the filter have, each with how many have it, by name. The filter's own outcome does not
  // count.
  virtual Result<std::vector<std::pair<std::string, std::int64_t>>> count_by_outcome(const TrialFilter& filter) = 0;
  virtual Result<std::optional<TrialRecord>> trial(const std::string& id) = 0;  // with samples and conditions
  // Returns the trials with exactly this plan, metric and environment, newest first; they make re-measuring unnecessary.
  virtual Result<std::vector<TrialRecord>> find_valid(const std::string& plan_key, const std::string& metric_key,
                                                      const std::string& environment_key) = 0;
  // Returns the best trials of a piece on a device, samples and conditions included. They come from ONE block. Which plans are
  // meant is said by the newest block of the first of these kinds that there is: re-timed with both kinds timed; both kinds timed;
  // a re-timed fused trial; else the fastest fused trial speaks alone. Of all blocks of these plans the strongest counts
  // (EvidenceStrength). Empty when nothing was timed. Blocks with a trial of one of `stale_plans` are skipped: their kernels would
  // be generated differently today. `run_id`: only trials of that run count; empty: of any run.
  virtual Result<std::vector<TrialRecord>> evidence(const EvidenceKey& key, const std::vector<std::string>& stale_plans = {},
                                                    const std::string& run_id = {}) = 0;
  // Fails with kCorrupt or kUntrusted when the stored binary or source is not the one that was signed for this kernel. `unvouched`,
  // if given, is set to why nobody whom the user trusts vouches for the source, or to empty: only a source that somebody vouches
  // for may be compiled to be run.
  virtual Result<std::optional<CompiledKernel>> kernel(const std::string& kernel_key, std::string* unvouched = nullptr) = 0;
  // Returns the kernel's text, be the signer of its binary trusted or not: reading executes nothing. Fails with kCorrupt when the
  // text is not what was stored for this kernel, and as kernel() does when its binary is damaged.
  virtual Result<std::optional<StoredSource>> source(const std::string& kernel_key) {
    FL_TRY(auto found, kernel(kernel_key));
    return found ? std::optional(StoredSource{std::move(found->source.text)}) : std::nullopt;
  }
  // Returns the newest record for exactly these keys, or nothing; an empty generation key matches any generation.
  virtual Result<std::optional<TuningRecord>> tuning(const EvidenceKey& key, const std::string& generation_key) = 0;
  // Returns the strongest comparison of exactly these plans in fresh processes, the newest of equally strong ones, or nothing.
  virtual Result<std::optional<GainRecord>> gain(const PlanPairKey& key) = 0;
  // Returns what collectors of any version said of this plan on the device in the environment, the newest first.
  virtual Result<std::vector<ProfileRecord>> profiles(const std::string& plan_key, const std::string& device_id,
                                                      const std::string& environment_key) = 0;
  virtual Result<struct Catalog> catalog() = 0;
};

// The contents of all small tables.
struct Catalog {
  std::vector<RunRecord> runs;  // newest first
  std::vector<PieceRecord> pieces;
  std::vector<ModelPieceRecord> model_pieces;
  std::vector<DeviceInfo> devices;
  std::vector<std::pair<std::string, EnvironmentIdentity>> environments;  // (key, identity)
  std::vector<std::pair<std::string, MetricIdentity>> metrics;
  std::vector<std::pair<std::string, CeilingTable>> ceilings;
  std::vector<DefaultChoiceRecord> choices;  // newest first
};

}  // namespace fuselab
