// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/kernel_rows.h"

namespace fuselab::db {

// An SQL condition on a row "c" of the table: the values are possible for a measurement. Other rows were edited and are not read.
inline constexpr const char* kCeilingIsSound = "(c.low <= c.per_second AND c.per_second <= c.high)";

// Each stores one row of a table that is read as a whole. The functions throw SQLite::Exception.
void put(Connection& connection, const RunRecord& run, const RowOrigin& origin);  // inserted, or state and end updated
void put(Connection& connection, std::int64_t run, const RunMarks& marks, const RowOrigin& origin);  // empty ones leave no row
void put(Connection& connection, const PieceRecord& piece, const RowOrigin& origin);                 // inserted once
void put(Connection& connection, const DeviceInfo& device, const RowOrigin& origin);  // the newest facts of (id, uuid)
void put(Connection& connection, const EnvironmentIdentity& environment, const RowOrigin& origin);
void put(Connection& connection, const MetricIdentity& metric, const RowOrigin& origin);
void put(Connection& connection, const TuningRecord& tuning, const RowOrigin& origin);
void put(Connection& connection, const DefaultChoiceRecord& choice, const RowOrigin& origin);
void put(Connection& connection, std::int64_t run, const ModelPieceRecord& piece, const RowOrigin& origin);
void put(Connection& connection, std::int64_t environment, const CeilingTable& table, const RowOrigin& origin);

Result<Catalog> read_catalog(Connection& connection);
// Returns the newest record, or nothing; an empty generation key matches any generation.
Result<std::optional<TuningRecord>> read_tuning(Connection& connection, const EvidenceKey& key, const std::string& generation_key);

}  // namespace fuselab::db
