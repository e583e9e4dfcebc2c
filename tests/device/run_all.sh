#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that is to be learnt of one device on a bare machine, within nine minutes: builds nothing, needs no network, changes no setting.
set -u
usage() {
  cat <<'TEXT'
run_all.sh [--bundle DIR] [--out DIR] [--device NAME] [--seconds N] [PART…]

Runs the parts below on one device and leaves at most six files, each of at most 15 MiB: summary.txt, summary.json, report.html,
results.db, devices.json, log.txt. Prints the table last. A part that cannot run says why in one line.

  probe        what is there: every backend with its reason, every device with its attributes
  conformance  the built-in workloads at odd extents in f32, f16 and bf16, verified; under compute-sanitizer where there is one
  ceilings     memory, arithmetic, host to device and back where the backend measures it; the launch floor
  families     element-wise and row reductions tuned over the shape grid
  torch        PyTorch eager and compiled on the same shapes, where there is PyTorch
  faults       what goes wrong costs one trial, and the next result is right
  report       the files

  --bundle DIR   the unpacked portable bundle (default: the folder of this script)
  --out DIR      where the files go (default: ./fuselab-device-results); DIR.work keeps what parts hand to each other
  --device NAME  cuda (default), cuda:0, cpu, null, …
  --seconds N    for everything (default: 530)
TEXT
}

all=(probe conformance ceilings families torch faults)
bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=fuselab-device-results device=cuda seconds=530 inner='' parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --bundle | --out | --device | --seconds | --inner)
      [ $# -gt 1 ] || { echo "run_all.sh: $1 needs a value" >&2; exit 2; }
      printf -v "${1#--}" '%s' "$2"; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "run_all.sh does not know '$1'; --help explains" >&2; exit 2 ;;
    *) parts+=("$1") ;;
  esac
  shift
done
[ -x "$bundle/bin/fuselab" ] || { echo "run_all.sh: no bin/fuselab in $bundle; --bundle names the unpacked bundle" >&2; exit 2; }
mkdir -p "$out" "$out.work/families" || exit 3
bundle=$(cd "$bundle" && pwd) out=$(cd "$out" && pwd)
work=$out.work log=$out/log.txt db=$work/results.db
helpers=$bundle/share/fuselab
export HOME=$work/home XDG_CACHE_HOME=$work/cache NO_COLOR=1
mkdir -p "$HOME"
unset XDG_DATA_HOME XDG_CONFIG_HOME
case $device in null*) synthetic=(--synthetic) ;; *) synthetic=() ;; esac

fuselab() { "$bundle/bin/fuselab" "$@" --db "$db" "${synthetic[@]}" 2>>"$log"; }
# tell STATE TEXT: the one line that the table shows of this part.
tell() { printf '%s\t%s\n' "$1" "$2" >"$work/$inner.line"; }
# member FILE KEY: the first string or number of that name in a document of fuselab's.
member() { sed -n "s/^ *\"$2\": //p" "$1" | sed 's/,$//; s/^"//; s/"$//' | head -n 1; }
is_whole() { [ -s "$1" ] && [ "$(tail -n 1 "$1")" = '}' ]; }
# timed_cell FILE: median, ideal, share of the ceiling and configuration of the first fused figure.
timed_cell() {
  awk '/"cold_fused": |"cold_unfused": |"unfused": |"best_unfused": / {where = "other"} /"fused": \{/ && !/cold_fused|unfused/ {where = "fused"}
    {value = $2; gsub(/[",]/, "", value)}
    where == "fused" && /"median_ns"/ && !m {m = value} where == "fused" && /"config"/ && !c {c = value}
    /"ideal_ns"/ && !i {i = value} /"share_of_ceiling"/ && !s {s = value}
    END {if (m) printf("%s %s %s %s\n", m, (i ? i : 0), (s ? s : 0), (c ? c : "-"))}' "$1"
}
why() { member "$1" message; }

probe() {
  "$bundle/bin/fuselab" devices --details "${synthetic[@]}" --db "$db" 2>&1 | tee -a "$log"
  fuselab devices --json >"$out/devices.json"
  cp "$out/devices.json" "$work/devices.json"
  { command -v nvidia-smi >/dev/null && nvidia-smi -q; } >"$work/nvidia-smi.txt" 2>&1
  local id=${device%%:*} line
  line=$(awk -v id="\"$id\"," '/"id": / {here = ($2 == id)} here && /"reason"/ {sub(/^ *"reason": "/, ""); sub(/",?$/, ""); r = $0}
    here && /"usable": true/ {u = 1} here && /"usable": / {print (u ? "yes" : "no") "\t" r; exit}' "$work/devices.json")
  case $line in
    yes*) tell ok "$id is usable $(cut -f 2 <<<"$line")" ;;
    no*) tell skipped "$id is not usable: $(cut -f 2 <<<"$line")" ;;
    *) tell skipped "there is no backend '$id'" ;;
  esac
}

conformance() {
  local subjects=() shapes=() good=0 bad=0 text='' each
  for each in w1 w2 w3 w4-layernorm w4-rmsnorm w5 w5-softmax-op w6 w13-mean-variance w13-row-sum; do
    subjects+=("$each") shapes+=(--shape rows=33,cols=1027)
  done
  subjects+=(w8 w14) shapes+=(--shape rows=33,vocab=1027 --shape count=33891)
  for dtype in f32 f16 bf16; do
    fuselab bench "${subjects[@]}" "${shapes[@]}" --dtype $dtype --device "$device" --quiet --json >"$work/conformance-$dtype.json"
    is_whole "$work/conformance-$dtype.json" || { bad=$((bad + 1)); text+="; $dtype did not end"; continue; }
    local measured failed
    measured=$(member "$work/conformance-$dtype.json" measured) failed=$(member "$work/conformance-$dtype.json" failed)
    [ -n "$measured" ] || { bad=$((bad + 1)); text+="; $dtype: $(why "$work/conformance-$dtype.json")"; continue; }
    good=$((good + measured)) bad=$((bad + failed))
    [ "$failed" -eq 0 ] || text+="; $dtype: $(why "$work/conformance-$dtype.json")"
  done
  if command -v compute-sanitizer >/dev/null && [ "${device%%:*}" = cuda ]; then
    timeout -k 5 60 compute-sanitizer --target-processes all --log-file "$work/sanitizer-%p.log" "$bundle/bin/fuselab" bench w1 w4-rmsnorm w5 \
      --shape rows=33,cols=1027 --device "$device" --db "$work/sanitizer.db" >>"$log" 2>&1
    cat "$work"/sanitizer-*.log >>"$log" 2>/dev/null
    local errors
    errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p' "$work"/sanitizer-*.log 2>/dev/null | awk '{n += $1} END {print n + 0}')
    text+="; compute-sanitizer: $errors errors"
    [ "$errors" -eq 0 ] || bad=$((bad + 1))
  else
    text+='; no compute-sanitizer'
  fi
  [ "$good" -gt 0 ] || { tell skipped "nothing was measured$text"; return; }
  tell "$([ "$bad" -eq 0 ] && echo ok || echo failed)" "$good plans verified and timed, $bad not$text"
}

ceilings() {
  fuselab ceilings --device "$device" --seconds 0.3 --json >"$work/ceilings.json"
  fuselab bench w1 --shape rows=1,cols=32 --device "$device" --quiet --json >"$work/floor.json"
  local most floor copies
  # rate KIND: the ceiling of that kind, per second.
  rate() { awk -v kind="\"$1\"," '/"kind": / {k = $2} /"per_second": / && k == kind {v = $2 + 0; if (v > m) m = v} END {if (m) printf("%.0f", m)}' "$work/ceilings.json"; }
  most=$(rate stream)
  copies=$(printf '%s %s' "$(rate host-to-device)" "$(rate device-to-host)" | awk 'NF == 2 {printf("%.1f GB/s to the device and %.1f GB/s back", $1 / 1e9, $2 / 1e9)}')
  # A launch alone where the backend measures it, else the smallest kernel.
  floor=$(rate launch)
  [ -n "$floor" ] && floor=$(awk -v r="$floor" 'BEGIN {printf("%.1f", 1e9 / r)}') || floor=$(timed_cell "$work/floor.json" | cut -d ' ' -f 1)
  echo "$floor" >"$work/floor.ns"
  [ -n "$most$floor" ] || { tell skipped "$(why "$work/ceilings.json")"; return; }
  tell ok "$(awk -v m="${most:-0}" -v f="${floor:-0}" -v c="${copies:-host to device and back: the backend does not measure it}" 'BEGIN {
    printf("memory %s; %s; launch floor %s", (m > 0) ? sprintf("%.1f GB/s at most", m / 1e9) : "not measured", c, (f > 0) ? sprintf("%.2f µs", f / 1000) : "not measured")}')"
}

# The grid, most wanted first: element-wise and row reductions far beyond the last cache, rows from 1K to 256K columns, and 4096x128, which
# the launch floor bounds. On a processor the same grid with fewer elements.
grid() {
  local elements=67108864
  case $device in cuda* | rocm*) ;; *) elements=262144 ;; esac
  local cols
  for cols in 4096 65536 1024 16384 262144; do
    echo "w4-rmsnorm $((elements / cols)) $cols bf16"
    echo "w5-softmax-op $((elements / cols)) $cols bf16"
  done
  for subject in w1 w3 w6 w5; do echo "$subject $((elements / 4096)) 4096 bf16"; done
  echo 'w4-rmsnorm 4096 128 bf16'
  echo 'w5-softmax-op 4096 128 bf16'
  for subject in w1 w4-rmsnorm w5-softmax-op; do echo "$subject $((elements / 4096)) 4096 f32"; done
  for cols in 2048 8192 32768 131072; do
    echo "w4-rmsnorm $((elements / cols)) $cols bf16"
    echo "w5-softmax-op $((elements / cols)) $cols bf16"
  done
  for subject in w4-layernorm w13-row-sum w2; do echo "$subject $((elements / 4096)) 4096 bf16"; done
}

families() {
  local deadline=$((SECONDS + limit - 15)) index=100 measured=0 left=0 failed=0 shown=''
  rm -f "$work"/families/*.json
  while read -r subject rows cols dtype; do
    index=$((index + 1))
    local rest=$((deadline - SECONDS)) file=$work/families/$index.json
    [ "$rest" -ge 10 ] || { left=$((left + 1)); continue; }
    timeout -k 5 $((rest < 45 ? rest : 45)) "$bundle/bin/fuselab" tune "$subject" --shape "rows=$rows,cols=$cols" --dtype "$dtype" --device "$device" \
      --budget "$budget" --trials 48 --warm-only --quiet --json --db "$db" "${synthetic[@]}" >"$file" 2>>"$log"
    is_whole "$file" || rm -f "$file"
    if [ -s "$file" ] && [ -n "$(timed_cell "$file")" ]; then
      measured=$((measured + 1))
    else
      failed=$((failed + 1))
      shown=": $([ -s "$file" ] && why "$file")"
    fi
  done < <(grid)
  local text="$measured shapes tuned, $failed failed$shown, $left left out for lack of time"
  [ "$measured" -gt 0 ] && tell "$([ $((failed + left)) -eq 0 ] && echo ok || echo partial)" "$text" || tell skipped "$text"
}

torch() {
  command -v python3 >/dev/null || { tell skipped 'no python3'; return; }
  ls "$work"/families/*.json >/dev/null 2>&1 || { tell skipped 'the part families has left nothing to compare with'; return; }
  local code=0
  python3 -B "$helpers/torch_compare.py" "$work/families" $((limit - 15)) >"$work/torch.json" 2>>"$log" || code=$?
  [ "$code" -ne 77 ] || { tell skipped "$(sed 's/SKIPPED: //' "$work/torch.json")"; rm -f "$work/torch.json"; return; }
  is_whole "$work/torch.json" || { rm -f "$work/torch.json"; tell failed "torch_compare.py ended with $code; see log.txt"; return; }
  tell ok "PyTorch $(member "$work/torch.json" torch) on $(grep -c '"model"' "$work/torch.json") shapes, $(member "$work/torch.json" left_out) left out"
}

# right NAME: the next result of the device is right.
right() {
  fuselab bench w5 --shape rows=64,cols=512 --device "$good" --remeasure --quiet --json >"$work/after-$1.json"
  [ -n "$(timed_cell "$work/after-$1.json")" ]
}

faults() {
  local text='' bad=0 good=$device faulty=$device kinds=(crash oom hang) fault code
  case $device in
    null*) good=null:0 faulty=null:1 ;;
    cuda*) kinds=(crash trap oom hang) ;;
  esac
  # Kernels that are made to fail, where the backend has such: they read where nothing is, trap, ask for more memory than there is, or spin past
  # the time-out (10 s) and end by themselves after 14 s, 28 s at the very most. cuda offers them only where it is asked to.
  for fault in "${kinds[@]}"; do
    code=0
    FUSELAB_FAULTY_KERNELS=1 fuselab bench w5-softmax-op --shape rows=64,cols=512 --config "fault=$fault" --device "$faulty" --remeasure --quiet --json >"$work/fault-$fault.json" || code=$?
    if [ "$code" -eq 2 ]; then
      text+="$fault: ${faulty%%:*} has no kernel that does; "
    elif [ "$(member "$work/fault-$fault.json" failed)" = 1 ] && right "$fault"; then
      text+="$fault: one trial, $(sed -n 's/^    "\([a-z-]*\)": {$/\1/p' "$work/fault-$fault.json" | head -n 1), the next result is right; "
    else
      bad=1 text+="$fault: NOT one trial, or the next result is wrong; "
    fi
  done
  # 2^40 elements: more memory than any device has.
  fuselab bench w1 --shape rows=1048576,cols=1048576 --device "$good" --quiet --json >"$work/fault-size.json"
  if [ -z "$(timed_cell "$work/fault-size.json")" ] && right size; then
    text+='4 TiB of data: one trial, the next result is right'
  else
    bad=1 text+='4 TiB of data: measured, or the next result is wrong'
  fi
  tell "$([ $bad -eq 0 ] && echo ok || echo failed)" "$text"
}

# One document of what the parts left.
summary_json() {
  local first='' part file
  printf '{\n"schema": "fuselab.device-run/1",\n"date": "%s",\n"version": "%s",\n"device": "%s",\n"parts": {' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
    "$("$bundle/bin/fuselab" --version | tr -d '\n"')" "$device"
  for part in "${all[@]}"; do
    [ -s "$work/$part.line" ] || continue
    printf '%s\n"%s": {"state": "%s", "text": "%s"}' "$first" "$part" "$(cut -f 1 "$work/$part.line")" "$(cut -f 2- "$work/$part.line" | tr -d '"\\' | tr '\t' ' ')"
    first=,
  done
  printf '\n}'
  for file in devices ceilings floor torch fault-crash fault-trap fault-hang fault-oom fault-size conformance-f32 conformance-f16 conformance-bf16; do
    is_whole "$work/$file.json" && printf ',\n"%s": %s' "$file" "$(cat "$work/$file.json")"
  done
  printf ',\n"families": ['
  first=''
  for file in "$work"/families/*.json; do
    is_whole "$file" || continue
    printf '%s\n%s' "$first" "$(cat "$file")"
    first=,
  done
  printf '\n]\n}\n'
}

table() {
  local part file floor
  echo "Fuselab on $device, $(date -u '+%Y-%m-%d %H:%M UTC'), $("$bundle/bin/fuselab" --version)"
  for part in "${all[@]}"; do
    [ -s "$work/$part.line" ] && printf '  %-12s %-8s %s\n' "$part" "$(cut -f 1 "$work/$part.line")" "$(cut -f 2- "$work/$part.line")"
  done
  grep -qs '"median_ns"' "$work"/families/*.json || return 0
  floor=$(cat "$work/floor.ns" 2>/dev/null)
  printf '\n%-22s %-5s %-22s %12s %10s %9s %9s %9s\n' piece type shape fused 'of limit' '/floor' 'eager/' 'compile/'
  for file in "$work"/families/*.json; do
    set -- $(timed_cell "$file")
    [ $# -ge 3 ] || continue
    local name binding dtype ratios='- -'
    name=$(member "$file" model) binding=$(sed -n 's/^ *"binding": "\(.*\)",$/\1/p' "$file" | head -n 1) dtype=$(member "$file" dtype)
    [ -s "$work/torch.json" ] && ratios=$(awk -v b="\"$binding\"," -v d="\"$dtype\"," -v n="\"$name\"," '
      /"model": / {m = $2} /"binding": / {bb = $2} /"dtype": / {dd = $2} /"eager_over_fuselab": / {e = $2 + 0} /"compiled_over_fuselab": / {c = $2 + 0}
      /^    }/ {gsub(/,?$/, ",", m); gsub(/,?$/, ",", dd); if (m == n && bb == b && dd == d) {printf("%s %s", (e ? sprintf("%.2fx", e) : "-"), (c ? sprintf("%.2fx", c) : "-")); f = 1; exit} e = c = 0}
      END {if (!f) printf "- -"}' "$work/torch.json")
    awk -v n="$name" -v d="$dtype" -v b="$binding" -v m="$1" -v s="$3" -v floor="${floor:-0}" -v r="$ratios" 'BEGIN {
      split(r, t, " ")
      share = (s > 0) ? sprintf("%.0f%%", 100 * s) : "-"
      floors = (floor > 0) ? sprintf("%.1f", m / floor) : "-"
      printf("%-22s %-5s %-22s %9.2f µs %9s %9s %9s %9s\n", n, d, b, m / 1000, share, floors, t[1], t[2])}'
  done
}

report() {
  rm -f "$out/results.db"
  fuselab db gc --budget 12MiB >>"$log"
  fuselab report -o "$out/report.html" >>"$log"
  cp "$db" "$out/results.db" 2>>"$log"
  summary_json >"$out/summary.json"
  table >"$out/summary.txt"
  tail -c 4000000 "$log" >"$log.short" && mv "$log.short" "$log"
  local file
  for file in "$out"/*; do
    [ "$(wc -c <"$file")" -le 15728640 ] || { echo "left out, larger than 15 MiB: $(basename "$file")" >>"$out/summary.txt"; rm -f "$file"; }
  done
}

if [ -n "$inner" ]; then
  limit=$seconds budget=5
  trap 'exit 124' TERM  # when what runs has ended: the next part needs its database
  case $device in null*) budget=1 ;; esac
  "$inner"
  exit
fi

[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}" report)
command -v timeout >/dev/null || { echo 'run_all.sh: needs the program timeout (coreutils)' >&2; exit 2; }
: >>"$log"
for part in "${parts[@]}"; do
  case $part in
    probe) share=25 ;;
    conformance) share=110 ;;
    ceilings) share=40 ;;
    families) share=190 ;;
    torch) share=70 ;;
    faults) share=90 ;;
    report) continue ;;
    *) echo "run_all.sh: no part is called '$part'; --help lists them" >&2; exit 2 ;;
  esac
  rest=$((seconds - SECONDS - 15))
  share=$((share < rest ? share : rest))
  inner=$part
  rm -f "$work/$part.line"
  if [ "$part" != probe ] && grep -q '^skipped' "$work/probe.line" 2>/dev/null; then tell skipped 'no such device here, as the probe says'; inner=''; continue; fi
  if [ "$share" -lt 5 ]; then tell skipped 'no time was left'; inner=''; continue; fi
  echo "== $part (at most $share s)"
  timeout -k 10 "$share" "${BASH:-bash}" "${BASH_SOURCE[0]}" --bundle "$bundle" --out "$out" --device "$device" --seconds "$share" --inner "$part" 2>>"$log"
  code=$?
  [ -s "$work/$part.line" ] || tell failed "$([ $code -eq 124 ] && echo "took longer than its $share s" || echo "ended with code $code; see log.txt")"
  inner=''
done
inner=report
report
cat "$out/summary.txt"
grep -q "$(printf '\tfailed')\|^failed" "$work"/*.line 2>/dev/null && exit 1
exit 0
