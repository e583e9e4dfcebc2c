-- SPDX-License-Identifier: Apache-2.0
-- Views for people with a sqlite3 shell; the program itself does not use them.

CREATE VIEW trials AS
SELECT t.sequence, t.id, r.id AS run_id, p.name AS piece, p.key AS piece_key, p.pattern, d.text AS device, b.text AS backend, t.kind,
       t.config, t.outcome, t.reason, t.median_ns, t.low_ns, t.high_ns, t.compile_ns, t.first_launch_ns, t.retimed, t.synthetic,
       t.worst_ratio, m.mode, m.key AS metric_key, e.key AS environment_key, h.text AS host, t.origin, t.plan_key, t.kernel_keys,
       datetime(t.created_unix_ms / 1000, 'unixepoch') AS created
FROM trial t
JOIN run r ON r.no = t.run
JOIN piece p ON p.no = t.piece
JOIN metric m ON m.no = t.metric
JOIN environment e ON e.no = t.environment
JOIN word d ON d.no = t.device
JOIN word b ON b.no = t.backend
JOIN word h ON h.no = t.host;

CREATE VIEW best AS
SELECT * FROM (
  SELECT *, row_number() OVER (PARTITION BY piece_key, device, kind, metric_key, environment_key ORDER BY median_ns, sequence) AS place
  FROM trials WHERE outcome = 'timed')
WHERE place = 1;

CREATE VIEW kernels AS
SELECT k.key, k.backend, k.generator, k.config, k.target, k.compiler, k.compiler_version, k.flags, s.bytes AS source_bytes,
       k.binary_bytes, b.kernel IS NOT NULL AS binary_kept, b.signer
FROM kernel k JOIN source s ON s.hash = k.source_hash LEFT JOIN kernel_binary b ON b.kernel = k.no;
