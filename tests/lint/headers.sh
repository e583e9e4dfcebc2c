#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh BUILD_DIR: every header compiles alone, with the project's warnings as errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
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

mapfile -t headers < <(git ls-files '*.h' | grep -vE '^(resources|tests)/' |
  { pkg-config --exists Qt6Widgets Qt6Charts && cat || grep -v '^app/gui/'; })
printf '%s\n' "${headers[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ {} "${flags[@]}"
echo "${#headers[@]} headers compile alone"
