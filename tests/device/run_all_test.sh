#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_all_test.sh PROGRAMS SCRIPT: the device script with the programs of a build in place of a bundle: a part that runs, one that
# cannot, one that does not exist.
set -euo pipefail
programs=$1 script=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$programs" "$folder/bin"
fail() { echo "$*" >&2; exit 1; }

"$script" --bundle "$folder" --device null:0 --out "$folder/there" probe report >"$folder/said"
tail -n 2 "$folder/said" | grep -q '^  probe  *ok ' || fail "the table does not come last: $(cat "$folder/said")"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["schema"] == "fuselab.device-run/1"' "$folder/there/summary.json"
[ "$(find "$folder/there" -type f | wc -l)" -le 6 ] || fail "more than six files: $(ls "$folder/there")"
"$script" --bundle "$folder" --device null:0 --out "$folder/there" torch >"$folder/said"
grep -q 'torch  *skipped  *[Tt]he part families has left nothing' "$folder/said" || fail "what cannot run has no reason: $(cat "$folder/said")"
# What is changed of a device outlives us; whoever asks for that does not ask here.
if grep -nE 'nvidia-smi +-*(lgc|lmc|rgc|rmc|lock|reset|r |pm|pl|ac|mig|e )|gpu-reset' "$script"; then fail 'the device script changes a setting'; fi
if "$script" --bundle "$folder" --out "$folder/no" nosuch >"$folder/said" 2>&1; then fail 'a part that does not exist is taken'; fi
grep -q "no part is called 'nosuch'" "$folder/said" || fail "$(cat "$folder/said")"
echo 'the device script says what is there, what is not, and why'
