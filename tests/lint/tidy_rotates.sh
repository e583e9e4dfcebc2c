#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tidy_rotates.sh BUILD_DIR: following seeds of tidy_changed.sh look at all changed sources between them, one seed always at the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
git rev-parse --verify -q HEAD >/dev/null || { echo "no history here"; exit 77; }
list() { FUSELAB_TEST_SEED=$1 FUSELAB_TIDY_FILES=3 tests/lint/tidy_changed.sh "$2" --list; }
first=$(list 0 "$1")
[ "$first" != "no changed sources" ] || exit 77
count=$(sed -n 's/^[0-9]* of \([0-9]*\) changed sources, seed 0;.*/\1/p' <<<"$first")
seen=$(for ((seed = 20000; seed < 20000 + (count + 2) / 3; ++seed)); do list "$seed" "$1" | tail -n +2; done | sort -u | wc -l)
[ "$seen" = "$count" ] || { echo "$seen of $count changed sources get their turn"; exit 1; }
[ "$(list 7 "$1")" = "$(list 7 "$1")" ] || { echo "the same seed chose other files"; exit 1; }
echo "all $count changed sources get their turn"
