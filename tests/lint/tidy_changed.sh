#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tidy_changed.sh BUILD_DIR: clang-tidy on the sources of the last commits (FUSELAB_TIDY_BASE, default: ten commits back),
# at most FUSELAB_TIDY_FILES of them (default 24), the first by name so that a rerun looks at the same ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
base=${FUSELAB_TIDY_BASE:-$(git rev-list --max-count=11 HEAD | tail -n 1)}
mapfile -t files < <(git diff --name-only --diff-filter=d "$base" HEAD -- 'core/*.cpp' 'backends/*.cpp' 'tuner/*.cpp' 'profiler/*.cpp' 'db/*.cpp' 'app/*.cpp' |
  while read -r file; do grep -q "/$file\"" "$build/compile_commands.json" && echo "$file"; done |
  sort | head -n "${FUSELAB_TIDY_FILES:-24}")
[ ${#files[@]} -gt 0 ] || { echo "no changed sources"; exit 0; }
# GCC's precompiled headers are nothing that clang can read.
database=$(mktemp -d)
trap 'rm -rf "$database"' EXIT
sed -E -e 's/-Winvalid-pch//g' -e 's/-include [^ ]*cmake_pch\.hxx//g' "$build/compile_commands.json" >"$database/compile_commands.json"
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$database" --warnings-as-errors='*'
echo "clang-tidy is content with ${#files[@]} files"
