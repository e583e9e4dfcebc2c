-- SPDX-License-Identifier: Apache-2.0
-- A model cut at another level, or a workload of another element type, is another question. Rows of before: '' is unknown.

ALTER TABLE model_piece ADD COLUMN level TEXT NOT NULL DEFAULT '';
ALTER TABLE model_piece ADD COLUMN dtype TEXT NOT NULL DEFAULT '';
