-- SPDX-License-Identifier: Apache-2.0
-- Why a search chose its configuration, as a JSON object {baseline, candidate, verdict, ratio, low, high, processes, reason, open}.
-- Rows of before: '' is not known.

ALTER TABLE tuning ADD COLUMN decision TEXT NOT NULL DEFAULT '';
