-- SPDX-License-Identifier: Apache-2.0
-- What users say of a run: a name, tags, a note, and whether it is the baseline of what it measured. Runs without a row have none.

CREATE TABLE run_mark (
  run INTEGER PRIMARY KEY REFERENCES run(no),
  name TEXT NOT NULL,
  tags TEXT NOT NULL,  -- JSON array of texts
  note TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;
