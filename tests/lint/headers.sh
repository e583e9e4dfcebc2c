#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh BUILD_DIR [--all]: headers compile alone, with the project's warnings as errors: those of the last thirty commits, and of
# the others a third, which rotates with the seed (FUSELAB_TEST_SEED, default: tests/seed); --all: every one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
seed=${FUSELAB_TEST_SEED:-$(<tests/seed)}
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I. "-I$build/generated" -isystem "$build/generated/onnx" -fPIC)
if qt=$(pkg-config --cflags Qt6Widgets Qt6Charts 2>/dev/null); then
  read -r -a qt_flags <<<"$qt"
  flags+=("${qt_flags[@]}")
fi

check() {
  local header=$1
  shift
  printf '#include "%s"\n' "$header" | c++ "$@" -x c++ - || { echo "$header does not compile alone" >&2; return 1; }
}
export -f check

known() {
  grep -vE '^(resources|tests)/' | { pkg-config --exists Qt6Widgets Qt6Charts && cat || grep -v '^app/gui/'; } | LC_ALL=C sort
}
mapfile -t headers < <(git ls-files '*.h' | known)
all=${#headers[@]}
if [ "${2:-}" != --all ]; then
  base=$(git rev-list --max-count=31 HEAD | tail -n 1)
  mapfile -t headers < <({
    # What was only moved compiles as before.
    git diff --name-only -M100% -l0 --diff-filter=AMR "$base" HEAD -- '*.h' | known || true
    printf '%s\n' "${headers[@]}" | awk -v seed="$seed" 'NR % 3 == seed % 3'
  } | LC_ALL=C sort -u)
fi
printf '%s\n' "${headers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ {} "${flags[@]}"
echo "${#headers[@]} of $all headers compile alone, seed $seed; repeat with: FUSELAB_TEST_SEED=$seed"
