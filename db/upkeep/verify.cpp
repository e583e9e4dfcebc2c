// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "core/base/units.h"
#include "db/connection/migrations.h"
#include "db/connection/row_io.h"
#include "db/rows/gain_rows.h"
#include "db/rows/json_columns.h"
#include "db/rows/kernel_rows.h"
#include "db/rows/profile_rows.h"
#include "db/rows/small_tables.h"
#include "db/rows/trial_columns.h"
#include "db/upkeep/maintenance.h"
#include "db/upkeep/verify_values.h"

namespace fuselab::db {
namespace {

// A damaged file can hold as many problems as rows; the first ones say enough.
constexpr std::size_t kMostProblems = 100;

std::string figures_text(double median_ns, double low_ns, double high_ns) {
  return format_duration({median_ns}) + " [" + format_duration({low_ns}) + ", " + format_duration({high_ns}) + "]";
}

// A plan that failed before it had kernels is named by what was asked for; the row does not keep that.
bool has_own_plan_key(const TrialRecord& trial) {
  return trial.kernel_keys.empty() || trial.plan_key == plan_key_of(trial.kernel_keys);
}

class Verification {
 public:
  Verification(Connection& connection, Trust& trust) : connection_(connection), trust_(trust) {}

  Result<VerifyReport> run() {
    pages();
    references();
    trials();
    kernels();
    ceilings();
    decisions();
    for (const std::string& impossible : impossible_values(connection_)) problem(impossible);
    for (const std::string& damaged : damaged_gains(connection_)) problem(damaged);
    for (const std::string& damaged : damaged_profiles(connection_)) problem(damaged);
    FL_TRY_VOID(identities());
    report_.checked = count_rows(connection_);
    return std::move(report_);
  }

 private:
  void problem(std::string text) {
    if (report_.problems.size() < kMostProblems) report_.problems.push_back(std::move(text));
  }

  void pages() {
    SQLite::Statement query(connection_.raw(), "PRAGMA integrity_check(20)");
    while (query.executeStep()) {
      if (std::string line = query.getColumn(0).getString(); line != "ok") problem("pages: " + line);
    }
  }

  void references() {
    SQLite::Statement query(connection_.raw(), "PRAGMA foreign_key_check");
    while (query.executeStep()) {
      problem("a row of '" + query.getColumn(0).getString() + "' refers to a missing row of '" + query.getColumn(2).getString() +
              "'");
    }
  }

  void trials() {
    SQLite::Statement query(connection_.raw(), std::string(kSelectTrial) + "ORDER BY t.sequence");
    while (query.executeStep()) {
      TrialFigures columns;
      const auto trial = read_trial(query, &columns);
      if (!trial.ok()) {
        problem(trial.error().message);
      } else if (!agree(columns, {trial.value().median_ns, trial.value().low_ns, trial.value().high_ns})) {
        problem("trial " + trial.value().id + " says " + figures_text(columns.median_ns, columns.low_ns, columns.high_ns) +
                ", its samples say " + figures_text(trial.value().median_ns, trial.value().low_ns, trial.value().high_ns));
      }
      if (trial.ok() && !has_own_plan_key(trial.value()))
        problem("trial " + trial.value().id + " has a plan key that is not that of its kernels");
    }
    ranks();
    if (connection_.integer("SELECT count(*) FROM trial") != connection_.integer("SELECT max(sequence) FROM trial")) {
      problem("trials are missing: their numbers have gaps");
    }
  }

  // Checks that trials are sorted by their median, or behind all others where they have none.
  void ranks() {
    SQLite::Statement query(connection_.raw(),
                            "SELECT id FROM trial WHERE speed_rank <>"
                            " CASE WHEN outcome = 'timed' AND median_ns > 0 THEN median_ns ELSE ? END");
    query.bind(1, kUntimedRank);
    while (query.executeStep()) problem("trial " + query.getColumn(0).getString() + " is sorted by what is not its median");
  }

  void kernels() {
    std::vector<std::string> keys;
    SQLite::Statement query(connection_.raw(), "SELECT key FROM kernel ORDER BY no");
    while (query.executeStep()) keys.push_back(query.getColumn(0).getString());
    for (const std::string& key : keys) {
      KernelSigners signers;
      const auto kernel = read_kernel(connection_, key, trust_, &signers);
      if (!signers.stranger.empty()) ++report_.strangers[signers.stranger];
      if (!kernel.ok() && signers.stranger.empty()) problem(kernel.error().message);
      if (!signers.source.missing.empty()) ++report_.unvouched[signers.source.signer];
    }
  }

  void decisions() {
    if (connection_.integer("PRAGMA user_version") < kSchemaOfDecisions) return;
    SQLite::Statement query(connection_.raw(), "SELECT graph_key, device_id, decision FROM tuning WHERE decision <> ''");
    while (query.executeStep()) {
      RowReader row(query);
      const std::string graph = row.text(), device = row.text();
      TuningDecision ignored;
      const Status sound = from_json(row.text(), ignored);
      if (!sound.ok())
        problem("why the search of " + graph.substr(0, 12) + " on " + device + " chose as it did: " + sound.error().message);
    }
  }

  // A rate lies between the median and the best of its own samples.
  void ceilings() {
    SQLite::Statement query(
        connection_.raw(),
        std::string("SELECT e.key, c.kind, c.read_streams, c.write_streams, c.footprint_bytes, c.per_second, c.low,"
                    " c.high FROM ceiling c JOIN environment e ON e.no = c.environment WHERE NOT ") +
            kCeilingIsSound + " ORDER BY c.environment, c.position");
    while (query.executeStep()) {
      RowReader row(query);
      const std::string environment = row.text(), kind = row.text();
      const int reads = row.small(), writes = row.small();
      const Bytes footprint{row.integer()};
      const double rate = row.real(), low = row.real(), high = row.real();
      char figures[96];
      std::snprintf(figures, sizeof figures, "%.3g/s, its samples say %.3g to %.3g", rate, low, high);
      problem("ceiling " + kind + " of " + std::to_string(reads) + " reads and " + std::to_string(writes) + " writes at " +
              format_bytes(footprint) + " in environment " + environment.substr(0, 12) + " says " + figures +
              "; nothing is compared with it, and the next job measures it again");
    }
  }

  // Checks whether each stored key is the hash of what stands beside it.
  Status identities() {
    FL_TRY(const Catalog catalog, read_catalog(connection_));
    for (const auto& [key, environment] : catalog.environments) {
      if (environment.key().hex() != key) problem("environment " + key.substr(0, 12) + " is not what its key was made of");
    }
    for (const auto& [key, metric] : catalog.metrics) {
      if (metric.key().hex() != key) problem("metric " + key.substr(0, 12) + " is not what its key was made of");
    }
    for (const PieceRecord& piece : catalog.pieces) {
      if (ContentHash::of(piece.canonical_text).hex() != piece.key) {
        problem("piece '" + piece.name + "' (" + piece.key.substr(0, 12) + ") is not what its key was made of");
      }
    }
    return {};
  }

  Connection& connection_;
  Trust& trust_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify_rows(Connection& connection, Trust& trust) {
  return Verification(connection, trust).run();
}

}  // namespace fuselab::db
