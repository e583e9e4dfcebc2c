#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh BUILD_DIR [--all]: headers compile alone, with the project's warnings as errors: those of the last ten commits, at most
# 60 of them, and a tenth of all; which ones, the seed (FUSELAB_TEST_SEED, default: tests/seed) decides; --all: every one. Each is
# compiled as a file of its own in BUILD_DIR/alone, so that ccache, where it is installed, knows those that nothing has changed in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
seed=${FUSELAB_TEST_SEED:-$(<tests/seed)}
flags=(-std=c++20 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror -I. "-I$build/generated" -isystem "$build/generated/onnx" -fPIC)
if qt=$(pkg-config --cflags Qt6Widgets Qt6Charts 2>/dev/null); then
  read -r -a qt_flags <<<"$qt"
  flags+=("${qt_flags[@]}")
fi

compiler=(c++)
if command -v ccache >/dev/null; then
  compiler=(ccache c++)
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
alone=$build/alone
rm -rf "$alone"

check() {
  local header=$1 folder=$2
  shift 2
  mkdir -p "$(dirname "$folder/$header")"
  printf '#include "%s"\n' "$header" >"$folder/$header.cpp"
  "$@" -c "$folder/$header.cpp" -o "$folder/$header.o" || { echo "$header does not compile alone" >&2; return 1; }
}
export -f check

known() {
  grep -vE '^(resources|tests)/' | { pkg-config --exists Qt6Widgets Qt6Charts && cat || grep -v '^app/gui/'; } | LC_ALL=C sort
}
# chosen MOST: passes at most so many lines on, from where the seed says, and from the first again after the last.
chosen() {
  awk -v most="$1" -v seed="$seed" '{ line[NR] = $0 } END { for (i = 0; i < most && i < NR; ++i) print line[(seed * most + i) % NR + 1] }'
}
mapfile -t headers < <(git ls-files '*.h' | known)
all=${#headers[@]}
[ "$all" -gt 0 ] || { echo 'there are no headers' >&2; exit 1; }
if [ "${2:-}" != --all ]; then
  base=$(git rev-list --max-count=11 HEAD | tail -n 1)
  mapfile -t headers < <({
    # What was only moved compiles as before.
    git diff --name-only -M100% -l0 --diff-filter=AMR "$base" HEAD -- '*.h' | known | chosen 60 || true
    printf '%s\n' "${headers[@]}" | awk -v seed="$seed" 'NR % 10 == seed % 10'
  } | LC_ALL=C sort -u)
fi
printf '%s\n' "${headers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ {} "$alone" "${compiler[@]}" "${flags[@]}"
echo "${#headers[@]} of $all headers compile alone, seed $seed; repeat with: FUSELAB_TEST_SEED=$seed"
