-- SPDX-License-Identifier: Apache-2.0
-- From this version on model_piece.position may be -1: a use of that graph as the whole model, which is none of its pieces. Earlier
-- programs would count it as one.

-- What a collector found out about a plan: never a timing to compare.

CREATE TABLE profile (
  no INTEGER PRIMARY KEY,
  trial_id TEXT NOT NULL,
  piece_key TEXT NOT NULL,
  plan_key TEXT NOT NULL,
  device_id TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  collector TEXT NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  cost_ms REAL NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  UNIQUE (plan_key, device_id, environment_key, collector, version, created_unix_ms)
) STRICT;
