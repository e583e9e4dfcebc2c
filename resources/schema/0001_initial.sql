-- SPDX-License-Identifier: Apache-2.0
-- Results of Fuselab. Guide: resources/docs/database.md. The columns named `no` are private to this file: ids are text.

-- Interned names: devices, backends, worker processes, blocks, hosts.
CREATE TABLE word (
  no INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE run (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  verb TEXT NOT NULL,
  command TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  state TEXT NOT NULL,
  started_unix_ms INTEGER NOT NULL,
  finished_unix_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

CREATE TABLE piece (
  no INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  canonical_text TEXT NOT NULL,
  name TEXT NOT NULL,
  pattern TEXT NOT NULL,
  read_bytes INTEGER NOT NULL,
  written_bytes INTEGER NOT NULL,
  eager_read_bytes INTEGER NOT NULL,
  eager_written_bytes INTEGER NOT NULL,
  flops REAL NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

CREATE TABLE model_piece (
  run INTEGER NOT NULL REFERENCES run(no),
  model TEXT NOT NULL,
  binding TEXT NOT NULL,
  position INTEGER NOT NULL,
  piece_key TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  reason TEXT NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (run, model, binding, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE device (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  uuid TEXT NOT NULL,
  backend TEXT NOT NULL,
  type TEXT NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  synthetic INTEGER NOT NULL,
  unified_memory INTEGER NOT NULL,
  total_memory_bytes INTEGER,
  free_memory_bytes INTEGER,
  compute_units INTEGER,
  compute_capability TEXT,
  driver_version TEXT,
  properties TEXT NOT NULL,     -- JSON object
  target TEXT NOT NULL,         -- JSON object {id, arch, limits}
  other_targets TEXT NOT NULL,  -- JSON array of the same
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  UNIQUE (id, uuid)
) STRICT;

CREATE TABLE environment (
  no INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  device_uuid TEXT NOT NULL,
  driver TEXT NOT NULL,
  cpu_model TEXT NOT NULL,
  microcode TEXT NOT NULL,
  os_kernel TEXT NOT NULL,
  clock_policy TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

CREATE TABLE metric (
  no INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  mode TEXT NOT NULL,
  what TEXT NOT NULL,
  threads INTEGER NOT NULL,
  input_pattern TEXT NOT NULL,
  input_seed INTEGER NOT NULL,
  protocol_version INTEGER NOT NULL,
  detail TEXT NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

-- Generated text, once per content. `text` is one zstd frame with checksum.
CREATE TABLE source (
  hash TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  text BLOB NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

-- The kernel identity's fields, one column each (graph … config), then how to call it and what it cost.
CREATE TABLE kernel (
  no INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  graph TEXT NOT NULL,
  backend TEXT NOT NULL,
  generator TEXT NOT NULL,
  generator_version TEXT NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  compiler TEXT NOT NULL,
  compiler_version TEXT NOT NULL,
  flags TEXT NOT NULL,
  library TEXT NOT NULL,
  library_version TEXT NOT NULL,
  config TEXT NOT NULL,
  launch_config TEXT NOT NULL,  -- JSON object: parameter → value
  source_hash TEXT NOT NULL REFERENCES source(hash),
  source_module TEXT NOT NULL,  -- JSON object {language, entry, generator, generator_version, abi}
  abi TEXT NOT NULL,            -- JSON object {entry, arguments, grid, block, shared}
  resources TEXT NOT NULL,      -- JSON object: registers, spill_bytes, …
  generate_ns REAL NOT NULL,
  compile_ns REAL NOT NULL,
  binary_bytes INTEGER NOT NULL,
  level TEXT NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

-- Binaries that were kept. `signature` is Ed25519 by `signer` over the binary's hash, the kernel's key and its call record.
CREATE TABLE kernel_binary (
  kernel INTEGER PRIMARY KEY REFERENCES kernel(no),
  format TEXT NOT NULL,
  metadata TEXT NOT NULL,  -- JSON object: compiler, version, flags
  hash TEXT NOT NULL,      -- SHA-256 of the uncompressed bytes
  bytes INTEGER NOT NULL,
  data BLOB NOT NULL,  -- one zstd frame with checksum
  signer TEXT NOT NULL,
  signature BLOB NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;

-- Append-only. NULL in an error column is NaN. `speed_rank` is the median of a timed trial, else larger than any time.
CREATE TABLE trial (
  sequence INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run INTEGER NOT NULL REFERENCES run(no),
  piece INTEGER NOT NULL REFERENCES piece(no),
  metric INTEGER NOT NULL REFERENCES metric(no),
  environment INTEGER NOT NULL REFERENCES environment(no),
  device INTEGER NOT NULL REFERENCES word(no),
  backend INTEGER NOT NULL REFERENCES word(no),
  process INTEGER NOT NULL REFERENCES word(no),
  block INTEGER NOT NULL REFERENCES word(no),
  host INTEGER NOT NULL REFERENCES word(no),
  origin TEXT NOT NULL,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  synthetic INTEGER NOT NULL,
  retimed INTEGER NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  speed_rank REAL NOT NULL,
  median_ns REAL NOT NULL,
  low_ns REAL NOT NULL,
  high_ns REAL NOT NULL,
  config TEXT NOT NULL,
  reason TEXT NOT NULL,
  plan_key TEXT NOT NULL,
  kernel_keys TEXT NOT NULL,  -- JSON array of kernel.key, one per step
  verified INTEGER NOT NULL,
  outputs_checked INTEGER NOT NULL,
  max_error REAL,
  mean_error REAL,
  worst_ratio REAL,
  verification_detail TEXT NOT NULL,
  inner_repetitions INTEGER NOT NULL,
  first_launch_ns REAL NOT NULL,
  compile_ns REAL NOT NULL,
  overhead_ns REAL NOT NULL,
  timing_source TEXT NOT NULL,
  sample_count INTEGER NOT NULL,
  samples BLOB NOT NULL  -- little-endian float64 in run order, one zstd frame with checksum; empty when there are none
) STRICT;

-- Everything that a filter or an order looks at, so that a pass over a million trials touches 40 MB and not the rows.
CREATE INDEX trial_filter ON trial(sequence, speed_rank, synthetic, kind, outcome, piece, run, device, backend, metric, environment);
CREATE INDEX trial_plan ON trial(plan_key);
CREATE INDEX trial_evidence ON trial(piece, device, metric, environment, kind, retimed, speed_rank, block) WHERE outcome = 'timed';

-- That a search has ended: the newest row of a key counts.
CREATE TABLE tuning (
  no INTEGER PRIMARY KEY,
  graph_key TEXT NOT NULL,
  device_id TEXT NOT NULL,
  metric_key TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  generation_key TEXT NOT NULL,
  strategy TEXT NOT NULL,
  budget_seconds REAL NOT NULL,
  budget_trials INTEGER NOT NULL,
  trials INTEGER NOT NULL,
  stopped TEXT NOT NULL,
  best_config TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  UNIQUE (graph_key, device_id, metric_key, environment_key, generation_key, created_unix_ms)
) STRICT;

-- The newest table of ceilings of each environment.
CREATE TABLE ceiling (
  environment INTEGER NOT NULL REFERENCES environment(no),
  position INTEGER NOT NULL,
  kind TEXT NOT NULL,
  read_streams INTEGER NOT NULL,
  write_streams INTEGER NOT NULL,
  nontemporal INTEGER NOT NULL,
  footprint_bytes INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  per_second REAL NOT NULL,
  low REAL NOT NULL,
  high REAL NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (environment, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE choice (
  no INTEGER PRIMARY KEY,
  piece_key TEXT NOT NULL,
  environment_key TEXT NOT NULL,
  device_id TEXT NOT NULL,
  trial_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL,
  host TEXT NOT NULL,
  origin TEXT NOT NULL,
  UNIQUE (piece_key, environment_key, device_id, trial_id, created_unix_ms)
) STRICT;
