#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that is to be learnt of one device on a bare machine, within nine minutes: builds nothing, needs no network, changes no setting.
set -u
usage() {
  cat <<'TEXT'
run_all.sh [--bundle DIR] [--out DIR] [--work DIR] [--device NAME] [--seconds N] [PART…]

Runs the parts below on one device and leaves at most six files, each of at most 15 MiB: summary.txt, summary.json, report.html,
results.db, devices.json, log.txt. Prints the table last. A part that cannot run says why in one line; what is cut short or killed
leaves what it had.

  probe        what is there: every backend with its reason, every device with its attributes
  primitives   matrix units, shuffles, asynchronous copies, clusters: each alone, bit for bit against what the bundle carries of the SIMT executor
  ceilings     memory, arithmetic, host to device and back where the backend measures it; the launch floor; bytes under way and what they give
  families     element-wise and row reductions over the shape grid: each shape once, then tuned while time is left
  gemm         matrix products from few rows to square, with and without an epilogue
  attention    attention at four shapes in bf16 and one in f32
  coverage     one shape each of convolution, matrix times vector, full reductions, 8-bit products
  profiles     one piece of each family under the profiler: what bounds it, by the device's own counters where they may be read
  torch        PyTorch eager and compiled on the same shapes, where there is PyTorch; its products are cuBLAS's, its attention cuDNN's or its own
  conformance  the built-in workloads at odd extents in f32, f16 and bf16, verified; under compute-sanitizer where there is one
  faults       what goes wrong costs one trial, and the next result is right
  report       the files

  --bundle DIR   the unpacked portable bundle (default: the folder of this script)
  --out DIR      where the files go (default: ./fuselab-device-results)
  --work DIR     what parts hand to each other, and caches (default: the folder of the files with .work at its end)
  --device NAME  cuda:0, rocm:0, cpu, null, …; a backend's name means its first device (default: rocm where there is a /dev/kfd and no nvidia-smi, else cuda)
  --seconds N    for everything (default: 530); each part gets its share of it
TEXT
}

# Seconds of each part, of 530; 5 are for what lies between them. What probe, primitives and ceilings leave over goes to families, and
# what is left at the end to the shapes that families left out. Nothing runs past its part.
declare -A share=([probe]=15 [primitives]=20 [ceilings]=40 [families]=80 [gemm]=95 [attention]=45 [coverage]=35 [profiles]=40 [torch]=45 [conformance]=50
  [faults]=45 [report]=15)
readonly whole=530
all=(probe primitives ceilings families gemm attention coverage profiles torch conformance faults)

self=${BASH_SOURCE[0]}
bundle=$(cd "$(dirname "$self")" && pwd)
out=fuselab-device-results work='' device='' seconds=$whole inner='' again='' parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --bundle | --out | --work | --device | --seconds | --inner | --again)
      [ $# -gt 1 ] || { echo "run_all.sh: $1 needs a value" >&2; exit 2; }
      printf -v "${1#--}" '%s' "$2"; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "run_all.sh does not know '$1'; --help explains" >&2; exit 2 ;;
    *) parts+=("$1") ;;
  esac
  shift
done
case $seconds in '' | *[!0-9]* | 0) echo "run_all.sh: --seconds wants a whole number above 0, not '$seconds'" >&2; exit 2 ;; esac
[ -x "$bundle/bin/fuselab" ] || { echo "run_all.sh: no bin/fuselab in $bundle; --bundle names the unpacked bundle" >&2; exit 2; }
command -v timeout >/dev/null || { echo 'run_all.sh: needs the program timeout (coreutils)' >&2; exit 2; }
work=${work:-${out%/}.work}
mkdir -p "$out" "$work/families" || exit 3
bundle=$(cd "$bundle" && pwd) out=$(cd "$out" && pwd) work=$(cd "$work" && pwd)
log=$out/log.txt db=$work/results.db
# A report alone is of the device that was examined.
[ -n "$device" ] || [ "${parts[*]-}" != report ] || device=$(cat "$work/device.id" 2>/dev/null)
# /dev/kfd is the compute driver of AMD's GPUs.
[ -n "$device" ] || [ ! -e /dev/kfd ] || command -v nvidia-smi >/dev/null || device=rocm
device=${device:-cuda}
helpers=$bundle/share/fuselab/device
[ -d "$helpers" ] || helpers=$(cd "$(dirname "$self")" && pwd)
# HOME stays: NVRTC and PyTorch may lie in ~/.local. What programs keep goes beside the results.
export XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config NO_COLOR=1
export TRITON_CACHE_DIR=$work/triton TORCHINDUCTOR_CACHE_DIR=$work/inductor CUDA_CACHE_PATH=$work/cuda-cache
synthetic=()
case $device in null*) synthetic=(--synthetic) ;; esac
. "$helpers/run_all_summary.sh"
. "$helpers/run_all_parts.sh"
. "$helpers/run_all_profiles.sh"

if [ -n "$inner" ]; then
  ends=$((seconds - 3))                 # of $SECONDS, which began with this process
  trap 'exit 124' TERM                  # when what runs has ended: the next part needs its database
  part=$inner
  "part_$inner"
  exit
fi

[ ${#parts[@]} -gt 0 ] || parts=("${all[@]}" report)
for part in "${parts[@]}"; do
  [ -n "${share[$part]-}" ] || { echo "run_all.sh: no part is called '$part'; --help lists them" >&2; exit 2; }
done
: >>"$log"
for part in "${parts[@]}"; do [ "$part" = report ] || tell unreached 'the run ended before its turn'; done

child=''
stop() {
  trap - TERM INT HUP
  [ -z "$child" ] || { kill -TERM "$child" && wait "$child"; } 2>/dev/null
  write_summary
  cat "$out/summary.txt"
  exit 143
}
trap stop TERM INT HUP

# run_part NAME SECONDS: in a process of its own, which cannot outlast them.
run_part() {
  local code=0 part=$1  # which tell reads
  [ "$part" = report ] || [ -n "$again" ] || tell cut 'began and was cut short'
  echo "== $part${again:+, again} (at most $2 s)"
  timeout -k 2 "$2" "${BASH:-bash}" "$self" --bundle "$bundle" --out "$out" --work "$work" --device "$device" --seconds "$2" --inner "$part" \
    --again "$again" 2>>"$log" &
  child=$!
  wait "$child" || code=$?
  child=''
  [ "$part" != report ] || return 0
  if [ "$(cut -f 1 "$work/$part.line")" = cut ]; then
    case $code in
      0 | 124 | 137) tell failed "took longer than its $2 s; $(cut -f 2- "$work/$part.line")" ;;
      *) tell failed "ended with code $code; see log.txt" ;;
    esac
  fi
  write_summary
}

saved=0
for part in "${parts[@]}"; do
  mine=$((share[$part] * seconds / whole)) rest=$((seconds - SECONDS - 2))
  [ "$part" != probe ] || mine=$((mine > 10 ? mine : 10))
  [ "$part" = report ] || rest=$((rest - share[report] * seconds / whole))
  began=$SECONDS
  [ "$part" != families ] || mine=$((mine + saved))
  mine=$((mine < rest ? mine : rest))
  if [ "$part" != report ] && [ "$part" != probe ]; then
    if grep -qs '^skipped' "$work/probe.line"; then tell skipped 'no such device here, as the probe says'; continue; fi
    if ! choose_device; then tell skipped "$(cut -f 2 "$work/device.line")"; continue; fi
    if [ "$mine" -lt 5 ]; then tell skipped 'no time was left'; continue; fi
  fi
  if [ "$part" = report ]; then
    # What no part needed goes to the shapes that were left out.
    rest=$((seconds - SECONDS - mine - 5))
    if [ "$rest" -ge 45 ] && [ ${#parts[@]} -gt 2 ] && [ -s "$work/families.left" ]; then
      again=yes
      run_part families $((rest * 2 / 3))
      [ ! -s "$work/torch.json" ] || run_part torch $((rest / 3))
      again=''
    fi
    mine=$((mine > 5 ? mine : 5))
  fi
  run_part "$part" "$mine"
  case $part in probe | primitives | ceilings) saved=$((saved + mine - (SECONDS - began))) ;; esac
done
cat "$out/summary.txt"
! grep -q '^failed' "$work"/*.line
