// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/job/engine.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::engine {

// Maintains the database and the list of trusted signers. Each call opens what it needs and closes it again; those that write need
// the writer's lease.
// Fail with kBusy, naming who holds the lease.

using Counts = std::vector<std::pair<std::string, std::int64_t>>;  // (table, rows)

struct DatabaseSummary {
  std::filesystem::path path;
  int schema = 0;
  Bytes file;
  Bytes log;  // the write-ahead log beside the file: committed changes not yet folded into it
  Bytes binaries, sources;
  Counts rows;
  std::string writer;  // who holds the lease; empty when nobody does
};
Result<DatabaseSummary> database_info(const Config& config);

struct DatabaseHealth {
  std::vector<std::string> problems;  // one sentence each; empty when sound
  Counts strangers;                   // (public key, binaries) signed validly by a signer who is not trusted: no damage
  Counts unvouched;                   // (public key, sources) that nobody who is trusted vouches for; "": nobody signed
};
// Reads and checks everything: pages, checksums, figures against their samples, identities, signatures.
Result<DatabaseHealth> verify_database(const Config& config);

struct CollectedGarbage {
  std::int64_t dropped = 0, kept = 0;  // binaries
  Bytes before, after;
  bool within_budget = true;
};
// Drops stored binaries, losers first, until the file fits the budget. Trials and sources always stay.
Result<CollectedGarbage> collect_garbage(const Config& config, Bytes budget);

struct MergedDatabase {
  Counts added;      // rows of each table
  Counts unvouched;  // as in DatabaseHealth, of the other database
};
// Adds every row of another database that is not here yet.
Result<MergedDatabase> merge_database(const Config& config, const std::filesystem::path& other);

struct TrustedSigner {
  std::string public_key;
  std::string name;
};
Result<std::string> own_public_key(const Config& config);  // text for a colleague's `fuselab trust add`
Result<TrustedSigner> trust(const Config& config, const std::string& public_key_text);
Result<std::vector<TrustedSigner>> trusted_signers(const Config& config);

}  // namespace fuselab::engine
