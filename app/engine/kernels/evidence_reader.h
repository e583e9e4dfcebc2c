// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/subject/piece.h"
#include "app/engine/workers/worker_pool.h"
#include "core/backend/device_info.h"
#include "core/kernel/drawback.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// A piece on a device, and the metric and environment of the evidence that is asked for.
struct AskedEvidence {
  const Piece& piece;
  const DeviceInfo& device;
  std::string metric, environment;  // keys

  EvidenceKey key() const { return {piece.key, device.id, metric, environment}; }
};

// Returns a piece's stored evidence as long as it is current: today's generator, compiler and flags make the very same kernels, and
// no later trial found these kernels wrong. Each trial's kernels are generated again, which takes milliseconds, and compared by
// identity. Used by one thread.
class EvidenceReader {
 public:
  // `only_run`: evidence of other runs does not count (--remeasure); empty: evidence of every run does. Of configurations with a
  // drawback that is not `accepted`, and that others are without, nothing counts either.
  EvidenceReader(WorkerPool& workers, ResultQueries& queries, std::string level, std::stop_token stop, std::string only_run = "",
                 Drawbacks accepted = {})
      : workers_(workers),
        queries_(queries),
        level_(std::move(level)),
        stop_(std::move(stop)),
        only_run_(std::move(only_run)),
        accepted_(accepted) {}

  // Returns a reader for a job that was stopped: it uses what is already known to be current and does not ask the workers, since a
  // stop must not wait for them.
  EvidenceReader after_stop() const;
  // Returns a reader of the evidence of every run, for what is decided for later: a job that measures anew adds to what is known.
  EvidenceReader of_every_run() const;

  Result<std::vector<TrialRecord>> current(const AskedEvidence& asked);

  // Marks a plan as current without asking, for one that was made just now.
  void take_as_current(const std::string& plan_key) { known_[plan_key] = true; }

  // Makes the evidence of this device count as it is stored: nothing here can make its kernels, so nobody can tell whether it is
  // current.
  void take_as_stored(const std::string& device_id) { as_stored_.insert(device_id); }

  // From now on these trials are all the evidence of the piece on the device, whatever is stored. For a job that shows only the
  // configuration it was given.
  void show_only(const std::string& piece_key, const std::string& device_id, std::vector<TrialRecord> trials, std::string config);
  bool shows_only(const std::string& piece_key, const std::string& device_id) const {
    return shown_.count({piece_key, device_id}) != 0;
  }

  // Returns how the newest attempt on a piece, or on that kind of its plans, failed: "fused crashed: signal 11". Empty when there
  // was no attempt, none with the kernels that would be made today, or when that kind's newest attempt was timed.
  Result<std::string> newest_failure(const AskedEvidence& asked, std::optional<PlanKind> kind = std::nullopt);

  // Returns the launch configuration of that attempt, where its plan is one kernel.
  Result<std::string> newest_failed_config(const AskedEvidence& asked);

  // Returns the newest attempt on that kind of the piece's plans, where its figure was above the device's ceiling.
  Result<std::optional<TrialRecord>> newest_withheld(const AskedEvidence& asked, PlanKind kind);

  // Returns the newest search of the piece's kernel, whatever generator it ranged over; nothing where there was none, or where only
  // the given configuration is shown.
  Result<std::optional<TuningRecord>> search_of(const AskedEvidence& asked);

  // Returns how these two timed plans of the piece compare in fresh processes; nullopt where they were never compared.
  Result<std::optional<GainRecord>> gain(const TrialRecord& fused, const TrialRecord& unfused);

 private:
  Result<std::optional<TrialRow>> newest_failed(const AskedEvidence& asked, std::optional<PlanKind> kind);
  Result<wire::DescribeReply> describe(const Piece& piece, const DeviceInfo& device);
  bool is_current(const Piece& piece, const DeviceInfo& device, const TrialRecord& trial);
  std::string plan_key_today(const Piece& piece, const DeviceInfo& device, const TrialRecord& trial);
  Result<bool> wrong_when_confirmed(TrialRecord& trial);

  WorkerPool& workers_;
  ResultQueries& queries_;
  std::string level_;
  std::stop_token stop_;
  bool asks_ = true;  // whether the workers are asked about what is not known
  std::string only_run_;
  Drawbacks accepted_;
  std::set<std::string> as_stored_;                                               // device ids
  std::map<std::string, bool> known_;                                             // by plan key
  std::map<std::pair<std::string, std::string>, wire::DescribeReply> described_;  // by piece and device
  struct Shown {
    std::vector<TrialRecord> trials;
    std::string config;
  };
  std::map<std::pair<std::string, std::string>, Shown> shown_;  // by piece and device: see show_only()
};

}  // namespace fuselab::engine
