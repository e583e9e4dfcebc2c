#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_all_test.sh PROGRAMS SCRIPT [CASES DRIVER NVRTC RUNNER AMD_CASES HIP HIPRTC]: the device script with the programs of a build in place of a bundle: parts that run, that cannot, that do
# not exist, that are killed; and with programs that only say what theirs would, what it makes of them.
# CASES is what fuselab-primitives has made; with the stand-ins for driver, compiler and device behind it, they are run.
set -euo pipefail
programs=$1 script=$2 made=${3-} driver=${4-} nvrtc=${5-} runner=${6-} amd_made=${7-} hip=${8-} hiprtc=${9-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$programs" "$folder/bin"
fail() { echo "$*" >&2; exit 1; }
is_document() { python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["schema"] == "fuselab.device-run/2"' "$1" || fail "no document: $1"; }

"$script" --bundle "$folder" --device null --out "$folder/there" --work "$folder/apart" probe report >"$folder/said"
grep -q '^  probe  *ok  *null is usable: null:0 synthetic device, the first of 2; --device names another' "$folder/said" || fail "which device: $(cat "$folder/said")"
is_document "$folder/there/summary.json"
[ -s "$folder/apart/devices.json" ] && [ ! -e "$folder/there.work" ] || fail "what parts hand to each other lies elsewhere: $(ls "$folder")"
[ "$(find "$folder/there" -type f | wc -l)" -le 6 ] || fail "more than six files: $(ls "$folder/there")"
"$script" --bundle "$folder" --device null:0 --out "$folder/there" profiles >"$folder/said"
grep -q 'profiles  *skipped  *no part has measured a piece to look at' "$folder/said" || fail "profiles of nothing: $(cat "$folder/said")"
"$script" --bundle "$folder" --device null:0 --out "$folder/there" torch >"$folder/said"
grep -q 'torch  *skipped  *[Tt]he part families has left nothing' "$folder/said" || fail "what cannot run has no reason: $(cat "$folder/said")"
# What bounds a plan is read from its profile alone, not from the findings in it.
(
  . "${script%/*}/run_all_profiles.sh"
  printf '{\n  "profiles": [\n    {\n      "verdict": {\n        "bound": "memory",\n        "certainty": "sure",\n        "findings": [\n          {\n            "bound": "issue"\n          }\n        ],\n        "text": "Its bytes, 91 %%."\n      }\n    }\n  ]\n}\n' >"$folder/profile.json"
  [ "$(verdict_of "$folder/profile.json")" = "$(printf 'memory\tsure\tIts bytes, 91 %%.')" ]
) || fail "the verdict of a profile is not read"
# What is changed of a device outlives us; whoever asks for that does not ask here.
if grep -nE 'nvidia-smi +-*(lgc|lmc|rgc|rmc|lock|reset|r |pm|pl|ac|mig|e )|gpu-reset' "$script" "${script%/*}"/run_all_{parts,profiles,summary}.sh; then fail 'the device script changes a setting'; fi
if "$script" --bundle "$folder" --out "$folder/no" nosuch >"$folder/said" 2>&1; then fail 'a part that does not exist is taken'; fi
grep -q "no part is called 'nosuch'" "$folder/said" || fail "$(cat "$folder/said")"

# Killed in the middle: what was measured until then is there, in whole files.
"$script" --bundle "$folder" --device null --out "$folder/killed" families >"$folder/said" 2>&1 &
run=$!
until [ -s "$folder/killed.work/families/101.row" ]; do sleep 0.1; kill -0 $run 2>/dev/null || fail "it ended by itself: $(cat "$folder/said")"; done
sleep 0.2
kill -TERM $run
code=0
wait $run || code=$?
[ $code -eq 143 ] || fail "ended with $code when it was killed"
is_document "$folder/killed/summary.json"
grep -q '^w4-rmsnorm ' "$folder/killed/summary.txt" || fail "killed, it leaves nothing: $(cat "$folder/killed/summary.txt")"

# Programs that say what is asked of them: what the script makes of compute-sanitizer's ways to end, and what it lets programs see.
pretended=$folder/pretended
mkdir -p "$pretended/bin" "$pretended/tools"
cat >"$pretended/bin/fuselab" <<'PROGRAM'
#!/bin/sh
echo "$HOME $XDG_CACHE_HOME $TRITON_CACHE_DIR" >>"${PRETENDED_SEEN:-/dev/null}"
case "$*" in
  *--version*) echo 0 ;;
  *devices*) printf '{\n  "backends": [\n    {\n      "devices": [\n        {\n          "id": "cuda:0",\n          "name": "GPU"\n        }\n      ],\n      "id": "cuda",\n      "reason": "",\n      "usable": true\n    }\n  ]\n}\n' ;;
  *bench*) printf '{\n  "trials": {\n    "failed": 0,\n    "measured": 3,\n    "reused": 0\n  }\n}\n' ;;
esac
PROGRAM
cat >"$pretended/tools/compute-sanitizer" <<'PROGRAM'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do [ "$1" != --log-file ] || log=$(echo "$2" | sed "s/%p/$$/"); shift; [ "${1#-}" != "$1" ] || case $1 in *fuselab) ;; *) shift ;; esac; done
echo "zones $FUSELAB_GUARD_ZONES" >>"$PRETENDED_SEEN"
case "$PRETENDED $*" in
  absent*) exit 1 ;;
  errors*) echo '========= ERROR SUMMARY: 2 errors' >"$log" ;;
  sound*fault=crash*) echo '========= ERROR SUMMARY: 1 error' >"$log" ;;
  *) echo '========= ERROR SUMMARY: 0 errors' >"$log" ;;
esac
exec "$@"
PROGRAM
chmod +x "$pretended/bin/fuselab" "$pretended/tools/compute-sanitizer"
# sanitized BEHAVIOUR SECONDS WORDS
sanitized() {
  PRETENDED=$1 PRETENDED_SEEN=$folder/seen PATH=$pretended/tools:$PATH "$script" --bundle "$pretended" --out "$folder/sanitized" --seconds "$2" conformance >"$folder/said" 2>&1 || true
  grep -q "^  conformance .*9 plans verified and timed, .*$3" "$folder/said" || fail "compute-sanitizer, $1: $(cat "$folder/said")"
}
sanitized sound 530 'compute-sanitizer: 0 errors in 3 plans, and it found the planted one$'
grep -q '^zones 0$' "$folder/seen" || fail 'guard zones are left on under compute-sanitizer'
sanitized blind 530 '0 errors in 3 plans, which says nothing: it did not find the planted one'
sanitized errors 530 'compute-sanitizer: 2 errors'
sanitized absent 530 'compute-sanitizer: did not run (it ended with 1'  # whose logs of before are gone
grep -q "^$HOME $folder/sanitized.work/cache $folder/sanitized.work/triton$" "$folder/seen" || fail "what programs see: $(head -n 1 "$folder/seen")"

# Primitives on the stand-in for the driver, which runs kernels through the executor: all as carried; then one that came out otherwise and one
# that takes the device with it, behind which the rest is still tried, and no kernel of matrix units is run.
if [ -n "$runner" ]; then
  cases=$folder/share/fuselab/primitives few='plain lane_map boxes cluster'
  mkdir -p "$cases"
  for each in $few; do cp -r "$made/$each" "$cases/"; done
  tr ' ' '\n' <<<"$few" >"$cases/order.txt"
  # on_stand_in BEHAVIOUR PART…
  on_stand_in() {
    local behaviour=$1
    shift
    FUSELAB_FAKE_CUDA=$behaviour FUSELAB_LIB_CUDA=$driver FUSELAB_LIB_NVRTC=$nvrtc FUSELAB_FAKE_CUDA_RUNNER=$runner "$script" --bundle "$folder" --device cuda --out "$folder/primitives" "$@" >"$folder/said" 2>&1 || true
  }
  on_stand_in '' probe primitives
  grep -q '^  primitives  *ok  *4 of 4 as on the executor$' "$folder/said" || fail "primitives: $(cat "$folder/said")"
  printf '\177' | dd of="$cases/lane_map/out0.bin" bs=1 seek=4 conv=notrunc status=none
  on_stand_in 'faulty=kAt' primitives gemm
  grep -q '^  primitives  *failed  *2 of 4 as on the executor; wrong: lane_map (1 elements of y differ, the first is y\[1\]: 16, the executor has 127); failed: boxes (ended its process with 70: ' "$folder/said" ||
    fail "primitives that do not hold: $(cat "$folder/said")"
  grep -q '^    lane 1: 32 48 40 56$' "$folder/said" || fail "no map of lanes: $(cat "$folder/said")"
  grep -q '^  gemm  *skipped  *kernels of matrix units are not run unless the part primitives is ok; it says: failed' "$folder/said" || fail "gemm behind them: $(cat "$folder/said")"
  is_document "$folder/primitives/summary.json"

  # The same of AMD's on the stand-in for HIP, which is a gfx942: what is for another target is left out.
  cases=$folder/share/fuselab/primitives-hip few='plain shuffles_64 shuffles_32 local unit_bf16_gfx942'
  mkdir -p "$cases"
  for each in $few; do cp -r "$amd_made/$each" "$cases/"; done
  tr ' ' '\n' <<<"$few" >"$cases/order.txt"
  on_amd() {
    FUSELAB_LIB_HIP=$hip FUSELAB_LIB_HIPRTC=$hiprtc FUSELAB_LIB_COMGR=$hiprtc FUSELAB_FAKE_CUDA_RUNNER=$runner "$script" --bundle "$folder" --device rocm --out "$folder/amd" "$@" >"$folder/said" 2>&1 || true
  }
  on_amd probe primitives
  grep -q '^  primitives  *ok  *4 of 5 as on the executor, 1 not for this device$' "$folder/said" || fail "AMD's primitives: $(cat "$folder/said")"
  printf '\177' | dd of="$cases/unit_bf16_gfx942/out0.bin" bs=1 seek=4 conv=notrunc status=none
  on_amd primitives gemm
  grep -q '^  primitives  *failed  *3 of 5 as on the executor, 1 not for this device; wrong: unit_bf16_gfx942 (1 elements of map differ' "$folder/said" || fail "AMD's that do not hold: $(cat "$folder/said")"
  grep -q '^  gemm  *skipped  *kernels of matrix units are not run unless' "$folder/said" || fail "gemm behind them: $(cat "$folder/said")"
  is_document "$folder/amd/summary.json"
  # Without a GPU of theirs each part says so.
  FUSELAB_LIB_HIP=/nonexistent/libamdhip64.so "$script" --bundle "$folder" --device rocm --out "$folder/none" probe primitives report >"$folder/said" 2>&1 || true
  grep -q '^  probe  *skipped  *rocm is not usable: no HIP runtime here' "$folder/said" || fail "without a GPU: $(cat "$folder/said")"
fi

# PyTorch's figures are there after each shape.
mkdir -p "$pretended/torch/nn"
cat >"$pretended/torch/__init__.py" <<'MODULE'
import time
__version__ = "0"
float32 = float16 = bfloat16 = float64 = "type"
class Tensor:
    shape = (1,)
    def to(self, _): return self
def rand(shape, device): return Tensor()
def compile(run, dynamic): return run
def softmax(x, axis): return x
class nn:
    class functional:
        @staticmethod
        def rms_norm(*_): time.sleep(100)
class compiler:
    reset = staticmethod(lambda: None)
class cuda:
    is_available = staticmethod(lambda: False)
MODULE
printf 'wide\tf\ttuned\twarm\t%s\tcols=8,rows=4\tf32\t5\t5\t5\t5\t0.9\t64\t-\t-\tc\n' w5-softmax w4-rmsnorm >"$folder/wanted"
PYTHONPATH=$pretended timeout 1 python3 -B "${script%/*}/torch_compare.py" "$folder/wanted" "$folder/torch" cpu 60 && fail 'the second shape ended'
python3 -c 'import json, sys; rows = json.load(open(sys.argv[1]))["rows"]; assert [row["model"] for row in rows] == ["w5-softmax"]' "$folder/torch.json" || fail "$(cat "$folder/torch.json")"
grep -q "^w5-softmax.cols=8,rows=4.f32.warm.[0-9]" "$folder/torch.rows" || fail "$(cat "$folder/torch.rows")"
echo 'the device script says what is there, what is not, and why'
