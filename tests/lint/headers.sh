#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# headers.sh BUILD_DIR: every header compiles alone, with the project's warnings as errors. The build has shown it of a header that its
# own source includes before anything else, so only the others are compiled here; --all compiles each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$1
all=${2:-}
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror -I. "-I$build/generated" -isystem "$build/generated/onnx" -fPIC)
if qt=$(pkg-config --cflags Qt6Widgets Qt6Charts 2>/dev/null); then
  read -r -a qt_flags <<<"$qt"
  flags+=("${qt_flags[@]}")
fi

# The sources of the desktop application start from a precompiled header, which could hide a missing include.
shown_by_the_build() {
  local header=$1 source=${1%.h}.cpp
  [[ $header != app/gui/* ]] && [ -f "$source" ] && [ "$(grep -m 1 '^#include' "$source")" = "#include \"$header\"" ] &&
    grep -q "/$source\"" "$build/compile_commands.json"
}
check() {
  local header=$1
  shift
  printf '#include "%s"\n' "$header" | c++ "$@" -x c++ - || { echo "$header does not compile alone" >&2; return 1; }
}
export -f check

mapfile -t headers < <(git ls-files '*.h' | grep -vE '^(resources|tests)/' |
  { pkg-config --exists Qt6Widgets Qt6Charts && cat || grep -v '^app/gui/'; })
compiled=()
for header in "${headers[@]}"; do
  [ "$all" != --all ] && shown_by_the_build "$header" || compiled+=("$header")
done
printf '%s\n' "${compiled[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ {} "${flags[@]}"
echo "${#headers[@]} headers compile alone: ${#compiled[@]} compiled here, the others first in their own source by the build"
