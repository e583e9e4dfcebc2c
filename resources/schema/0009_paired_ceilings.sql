-- SPDX-License-Identifier: Apache-2.0
-- In which way a ceiling was reached, and the ceilings that were timed in turns with a block's plans: JSON, '' where none were.

ALTER TABLE ceiling ADD COLUMN form TEXT NOT NULL DEFAULT '';
ALTER TABLE block_conditions ADD COLUMN ceiling TEXT NOT NULL DEFAULT '';
