-- SPDX-License-Identifier: Apache-2.0
-- How the two plans of a piece compare in fresh processes: unfused over fused.

CREATE TABLE gain (
  no INTEGER PRIMARY KEY,
  piece_key TEXT NOT NULL,
  device_id TEXT NOT NULL,
  metric_key TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  fused_plan TEXT NOT NULL,
  unfused_plan TEXT NOT NULL,
  run_id TEXT NOT NULL,
  verdict TEXT NOT NULL,
  ratio REAL NOT NULL,
  low REAL NOT NULL,
  high REAL NOT NULL,
  processes INTEGER NOT NULL,
  reason TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  UNIQUE (fused_plan, unfused_plan, device_id, metric_key, environment_key, created_unix_ms)
) STRICT;
