// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/store/result_store.h"
#include "core/store/run_card.h"
#include "db/connection/trust.h"
#include "db/upkeep/reports.h"

namespace fuselab::db {

enum class Access { kWrite, kRead };

struct OpenOptions {
  std::string program;  // the writer's name in the lease; empty: this process's command line
  std::string host;     // host of rows without a host of their own; empty: the machine's name
};

// One SQLite file of results. Thread-safe; commits and queries use connections of their own and do not wait for each other. A
// finished commit survives kill -9, and power loss as StoreBatch::durability says, as far as the disk honours fsync.
// open() fails, without changing the file, with kNotFound, kIo (permission, read-only file), kCorrupt (not a database, damaged, or
// another program's), kUnsupported (written by a newer Fuselab) or kBusy (another process is writing).
class Database {
 public:
  // kWrite makes the file and its folder when absent, brings an older schema up to date and holds the writer's lease until
  // destroyed. kRead never changes the file and works beside a writer.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path, Access access, std::shared_ptr<Trust> trust,
                                                OpenOptions options = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  ResultStore& store();  // commit() fails with kUnavailable when opened with kRead
  ResultQueries& queries();

  Result<DatabaseInfo> info();
  // Returns, in one pass over an index, how many trials each run has on each device; a run without any is left out.
  Result<std::vector<RunTrials>> run_trials(bool include_synthetic);
  // Returns where, with what and how quietly the run was measured. Fails with kNotFound for a run that is not stored.
  Result<RunCard> run_card(const std::string& run_id);
  // Reads everything: pages, references, checksums, figures against their samples, identities and signatures.
  Result<VerifyReport> verify();
  // Drops stored binaries, losers first, until the file fits `budget`, then compacts it.
  Result<GcReport> gc(Bytes budget, const GcRules& rules = {});
  // Adds every row of another database that is missing here, marked as merged, with unchanged ids; binaries keep their signer.
  // Fails with kCorrupt, adding nothing, when any row was damaged or edited: a wrong row under a right key could never be replaced.
  Result<MergeReport> merge(const std::filesystem::path& other);
  // Checks that merge() would accept that file, without a database to merge it into.
  static Status check_mergeable(const std::filesystem::path& other, Trust& trust);
  Status vacuum();

 private:
  struct Parts;
  explicit Database(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace fuselab::db
