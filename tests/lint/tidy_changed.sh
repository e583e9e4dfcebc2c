#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tidy_changed.sh BUILD_DIR: clang-tidy on the sources of the last commits (FUSELAB_TIDY_BASE, default: ten commits back),
# at most FUSELAB_TIDY_FILES of them (default 8). The seed (FUSELAB_TEST_SEED, default: tests/seed) says which: they
# rotate by name, so that as many following seeds look at all of them, and a rerun with the printed seed at the same ones.
# --list prints them and looks at none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
base=${FUSELAB_TIDY_BASE:-$(git rev-list --max-count=11 HEAD | tail -n 1)}
seed=${FUSELAB_TEST_SEED:-$(<tests/seed)}
most=${FUSELAB_TIDY_FILES:-8}
if [ "${2:-}" != --list ] && grep -q '/Unity/unity_' "$build/compile_commands.json"; then
  echo "$build compiles several sources at once: give a folder that was configured without CMAKE_UNITY_BUILD" >&2
  exit 2
fi
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" HEAD -- 'core/*.cpp' 'backends/*.cpp' 'tuner/*.cpp' 'profiler/*.cpp' 'db/*.cpp' 'app/*.cpp' |
  while read -r file; do grep -q "/$file\"" "$build/compile_commands.json" && echo "$file"; done |
  LC_ALL=C sort)
count=${#changed[@]}
[ "$count" -gt 0 ] || { echo "no changed sources"; exit 0; }
# The seed's own stretch of the ring of names: the next seed goes on where this one ends.
files=()
for ((i = 0; i < most && i < count; ++i)); do files+=("${changed[(seed * most + i) % count]}"); done
echo "${#files[@]} of $count changed sources, seed $seed; repeat with: FUSELAB_TEST_SEED=$seed"
[ "${2:-}" != --list ] || { printf '%s\n' "${files[@]}"; exit 0; }
# GCC's precompiled headers are nothing that clang can read.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
sed -E -e 's/-Winvalid-pch//g' -e 's/-include [^ ]*cmake_pch\.hxx//g' "$build/compile_commands.json" >"$database/compile_commands.json"
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$database" --warnings-as-errors='*'
echo "clang-tidy is content with ${#files[@]} files"
