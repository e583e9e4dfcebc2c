// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::db {

// The clause after an INSERT of pieces, of records and of rows of another file alike: a graph that was stored first as a whole
// model, or as one kernel that somebody named, gets the words of the piece that it is; whatever else is there stays.
inline constexpr const char* kOnKnownPiece =
    " ON CONFLICT (key) DO UPDATE SET name = excluded.name, pattern = excluded.pattern"
    " WHERE piece.pattern = 'Mixed' AND excluded.pattern <> 'Mixed'";

}  // namespace fuselab::db
