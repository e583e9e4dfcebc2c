-- SPDX-License-Identifier: Apache-2.0
-- Who vouches for a kernel's source: `signature` is Ed25519 by `signer` over the kernel's key, its call record and the record of its
-- source. Rows of before: '' and x'', nobody does.

ALTER TABLE kernel ADD COLUMN signer TEXT NOT NULL DEFAULT '';
ALTER TABLE kernel ADD COLUMN signature BLOB NOT NULL DEFAULT x'';
