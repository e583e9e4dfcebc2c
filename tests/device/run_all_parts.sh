# SPDX-License-Identifier: Apache-2.0
# For run_all.sh: what each part does. Each runs in a process of its own, $ends says by when ($SECONDS) it must have ended.

left() { echo $((ends - SECONDS)); }
# within SECONDS COMMAND…: at most so long, and never past the part's end.
within() {
  local most=$1 rest
  shift
  rest=$(left)
  [ "$rest" -ge 1 ] || return 124
  timeout --foreground -k 2 $((most < rest ? most : rest)) "$@"
}
# fuselab SECONDS ARGUMENT…
fuselab() {
  local most=$1
  shift
  within "$most" "$bundle/bin/fuselab" "$@" --db "$db" "${synthetic[@]}" 2>>"$log"
}
why() { [ -s "$1" ] && member "$1" message || echo 'it was cut short or ended without a word; see log.txt'; }

# Of a shape: what its table says, or what stopped the whole.
why_no_figure() {
  local reason
  reason=$(awk '/^ *"fused": \{/ {on = 1} on && /"reason": / {sub(/^ *"reason": "/, ""); sub(/",?$/, ""); print; exit} /^ *\}/ {on = 0}' "$1")
  echo "${reason:-$(why "$1")}"
}

# A backend's name becomes its first device: with several, each shape would be measured on all of them. Says why there is none.
choose_device() {
  local id=${device%%:*} found
  [ -s "$work/devices.json" ] || timeout 20 "$bundle/bin/fuselab" devices --json "${synthetic[@]}" --db "$db" >"$work/devices.json" 2>>"$log"
  # id, name, last cache of each device; the backend, whether it is usable and why not.
  found=$(awk '
    function value() { sub(/^ *"[a-z0-9_]*": /, ""); sub(/,$/, ""); gsub(/"/, ""); return $0 }
    /^      "devices": \[/ {n = 0} /^          "id": / {id = value()} /^          "name": / {name = value()}
    /^            "l[23]": / {l2 = value()} /^        }/ {n++; line[n] = "device\t" id "\t" name "\t" l2; l2 = ""}
    /^      "id": / {backend = value()} /^      "reason": / {reason = value()}
    /^      "usable": / {usable = value(); for (i = 1; i <= n; ++i) print line[i] "\t" backend; print "backend\t" backend "\t" usable "\t" reason; n = 0}
  ' "$work/devices.json")
  local state
  state=$(awk -F '\t' -v id="$id" '$1 == "backend" && $2 == id {print $3 "\t" $4}' <<<"$found")
  case $state in
    true*) ;;
    '') printf 'skipped\tthere is no backend %s\n' "'$id'" >"$work/device.line"; return 1 ;;
    *) printf 'skipped\t%s is not usable: %s\n' "$id" "$(cut -f 2 <<<"$state")" >"$work/device.line"; return 1 ;;
  esac
  local asked=$device row
  row=$(awk -F '\t' -v id="$id" -v asked="$asked" '$1 == "device" && $5 == id && (asked == id || asked == $2) {print; exit}' <<<"$found")
  [ -n "$row" ] || { printf 'skipped\tthere is no device %s\n' "'$asked'" >"$work/device.line"; return 1; }
  device=$(cut -f 2 <<<"$row")
  echo "$device" >"$work/device.id"
  cut -f 3 <<<"$row" >"$work/device.name"
  cut -f 4 <<<"$row" | awk '{n = $1; if ($2 == "KiB") n *= 1024; if ($2 == "MiB") n *= 1048576; if (n > 0) printf("%.0f\n", n)}' >"$work/l2.bytes"
  local count
  count=$(awk -F '\t' -v id="$id" '$1 == "device" && $5 == id {n++} END {print n + 0}' <<<"$found")
  printf 'ok\t%s is usable%s: %s %s\n' "$id" "$([ -z "$(cut -f 2 <<<"$state")" ] || echo " ($(cut -f 2 <<<"$state"))")" "$device" \
    "$(cut -f 3 <<<"$row")$([ "$asked" = "$device" ] || [ "$count" -lt 2 ] || echo ", the first of $count; --device names another")" >"$work/device.line"
}

part_probe() {
  within 20 "$bundle/bin/fuselab" devices --details "${synthetic[@]}" --db "$db" 2>&1 | tee -a "$log"
  fuselab 20 devices --json >"$work/devices.new"
  is_whole "$work/devices.new" || { tell failed "the programs of the bundle do not answer: $(tail -n 1 "$log")"; return; }
  mv "$work/devices.new" "$work/devices.json"
  cp "$work/devices.json" "$out/devices.json"
  if command -v nvidia-smi >/dev/null; then within 5 nvidia-smi -q >"$work/nvidia-smi.txt" 2>&1; cat "$work/nvidia-smi.txt" >>"$log"; fi
  if command -v rocminfo >/dev/null; then within 5 rocminfo >"$work/rocminfo.txt" 2>&1; cat "$work/rocminfo.txt" >>"$log"; fi
  choose_device
  tell "$(cut -f 1 "$work/device.line")" "$(cut -f 2- "$work/device.line")"
}

# Each case of the bundle on the device, through the runtime. A kernel that makes the device useless ends the program: the next one goes
# on behind it. Leaves a line for each case, and the map of lanes where one is wrong.
part_primitives() {
  local program=$bundle/bin/fuselab-primitives cases=$bundle/share/fuselab/primitives rows=$work/primitives.rows code names missing
  rm -f "$rows"
  case $device in cuda:*) ;; rocm:*) cases+=-hip ;; *) tell skipped "they are CUDA's and AMD's, and $device is another backend's"; return ;; esac
  [ -x "$program" ] && [ -s "$cases/order.txt" ] || { tell skipped 'this bundle carries none'; return; }
  : >"$rows"
  # untried: the names that have no line yet.
  untried() { awk -F '\t' -v rows="$rows" 'BEGIN {while ((getline line < rows) > 0) {split(line, f, "\t"); seen[f[1]]}} !($1 in seen)' "$cases/order.txt"; }
  while missing=$(untried) && [ -n "$missing" ] && [ "$(left)" -ge 2 ]; do
    mapfile -t names <<<"$missing"
    code=0
    within "$(left)" "$program" check "$cases" "$device" "${names[@]}" >>"$rows" 2>"$work/primitives.said" || code=$?
    cat "$work/primitives.said" >>"$log"
    case $code in
      0 | 1) break ;;
      77) tell failed "they do not begin: $(tail -n 1 "$work/primitives.said")"; return ;;
    esac
    missing=$(untried | head -n 1)
    [ -z "$missing" ] || printf '%s\tfailed\t%s\n' "$missing" \
      "$([ $code -lt 124 ] || [ $code -gt 137 ] && echo "ended its process with $code: $(tail -n 1 "$work/primitives.said" | tr '\t' ' ')" || echo 'did not end in time')" >>"$rows"
  done
  cat "$rows" >>"$log"
  # count STATE; list STATE: "lane_map (3 elements …), …"
  count() { awk -F '\t' -v state="$1" '$1 != "map" && $2 == state {n++} END {print n + 0}' "$rows"; }
  list() { awk -F '\t' -v state="$1" '$1 != "map" && $2 == state {printf("%s%s (%s)", n++ ? ", " : "", $1, $3)}' "$rows"; }
  local all rest text state=ok each
  all=$(wc -l <"$cases/order.txt") rest=$(untried | wc -l)
  text="$(count ok) of $all as on the executor"
  each=$(awk -F '\t' '$2 == "ok" && index($3, ";") {sub(/.*; /, "", $3); printf("; %s", $3)}' "$rows")
  [ "$(count skipped)" -eq 0 ] || text+=", $(count skipped) not for this device"
  [ "$rest" -eq 0 ] || { text+=", $rest not reached in time"; state=failed; }
  [ "$(count wrong)" -eq 0 ] || { text+="; wrong: $(list wrong)"; state=failed; }
  [ "$(count failed)" -eq 0 ] || { text+="; failed: $(list failed)"; state=failed; }
  tell $state "$text$each"
}

# Whether kernels of matrix units may be measured: on a device of CUDA or ROCm only when the primitives that they stand on are proved.
primitives_hold() {
  case $device in cuda:* | rocm:*) ;; *) return 0 ;; esac
  grep -qs '^ok' "$work/primitives.line" && return 0
  tell skipped "kernels of matrix units are not run unless the part primitives is ok; it says: $(cut -f 1 "$work/primitives.line" 2>/dev/null || echo nothing)"
  return 1
}

# What memory gives with more and more bytes under way on a multiprocessor; sets $said.
sweep_in_flight() {
  local program=$bundle/bin/fuselab-primitives
  said=''
  case $device in cuda:*) ;; *) return ;; esac
  [ -x "$program" ] && [ "$(left)" -ge 6 ] || return
  within $(($(left) - 3)) "$program" sweep "$device" 1024 $(($(left) - 6)) >"$work/in-flight.rows" 2>>"$log"
  [ -s "$work/in-flight.rows" ] || return
  { echo 'form, blocks, threads, loads or stages, bytes under way, bytes a second:'; cat "$work/in-flight.rows"; } >>"$log"
  said=$(awk -F '\t' '{if ($6 > top) top = $6; bytes[NR] = $5; rate[NR] = $6} END {
    for (i = 1; i <= NR; ++i) if (rate[i] >= 0.95 * top && (!least || bytes[i] < least)) least = bytes[i]
    printf("; reads %.0f GB/s at most, 95 %% of it from %d KiB under way a multiprocessor on", top / 1e9, least / 1024)}' "$work/in-flight.rows")
}

part_ceilings() {
  fuselab 25 ceilings --device "$device" --seconds 0.3 --json >"$work/ceilings.json"
  fuselab 15 bench w1 --shape rows=1,cols=32 --device "$device" --quiet --json >"$work/floor.json"
  local most floor copies
  # rate KIND: the ceiling of that kind, per second.
  rate() { awk -v kind="\"$1\"," '/"kind": / {k = $2} /"per_second": / && k == kind {v = $2 + 0; if (v > m) m = v} END {if (m) printf("%.0f", m)}' "$work/ceilings.json"; }
  most=$(rate stream)
  # Of the largest working set alone: the smaller ones lie in caches.
  local far
  far=$(awk '/"footprint_bytes": / {f = $2 + 0} /"kind": / {k = $2} /"per_second": / && k == "\"stream\"," {v = $2 + 0; if (f > top) {top = f; m = 0} if (f == top && v > m) m = v} END {if (m) printf("%.0f", m)}' "$work/ceilings.json")
  copies=$(printf '%s %s' "$(rate host-to-device)" "$(rate device-to-host)" | awk 'NF == 2 {printf("%.1f GB/s to the device and %.1f GB/s back", $1 / 1e9, $2 / 1e9)}')
  # A launch alone where the backend measures it, else the smallest kernel.
  floor=$(rate launch)
  [ -n "$floor" ] && floor=$(awk -v r="$floor" 'BEGIN {printf("%.1f", 1e9 / r)}') || floor=$(cell_of "$work/floor.json" | cut -f 4)
  echo "$floor" >"$work/floor.ns"
  [ -n "$most$floor" ] || { tell skipped "$(why "$work/ceilings.json")"; return; }
  local said
  sweep_in_flight
  tell ok "$(awk -v m="${far:-0}" -v f="${floor:-0}" -v c="${copies:-host to device and back: the backend does not measure it}" 'BEGIN {
    printf("memory %s; %s; launch floor %s", (m > 0) ? sprintf("%.1f GB/s over 256 MiB", m / 1e9) : "not measured", c, (f > 0) ? sprintf("%.2f µs", f / 1000) : "not measured")}')$said"
}

# The shapes, most wanted first: kind, family, mode, distinct kernels (the fused one and one per operator), subject, shape, type, level.
# What lies beyond the last cache moves at least twice its bytes, rounded up to a power of two elements: verifying costs the host some
# 15 ns an element and process, so that a larger one would cost more shapes than it is worth. Estimated for an H200 (60 MB of L2: 2^25
# elements where two bf16 arrays move): 4 s for a shape in its default configuration, 8 to 12 s more to tune one of a single kernel
# (two batches of four configurations at 0.4 s each, compiled in parallel in about 1 s a batch, and two fresh processes that compute the
# reference again), 8 s a kernel where there are operators to hold it against.
grid() {
  local l2 rotating='' cols
  case $device in cuda* | rocm*) l2=$(cat "$work/l2.bytes" 2>/dev/null) ;; *) l2=524288 ;; esac
  within 5 "$bundle/bin/fuselab" tune --help 2>/dev/null | grep -q rotating && rotating=yes
  # elements ARRAYS BYTES: of one array, where so many of so many bytes an element move.
  elements() { awk -v l2="${l2:-41943040}" -v per=$(($1 * $2)) 'BEGIN {n = 262144; while (n * per < 2 * l2 && n < 67108864) n *= 2; printf("%.0f", n)}'; }
  # wide FAMILY KERNELS SUBJECT ARRAYS COLS TYPE
  wide() { echo "wide $1 warm $2 $3 rows=$(($(elements "$4" "$([ "$6" = f32 ] && echo 4 || echo 2)") / $5)),cols=$5 $6 O2"; }
  local rows=row-reductions each=element-wise
  for subject in w4-rmsnorm w5-softmax-op; do
    echo "floor $rows warm 1 $subject rows=4096,cols=128 bf16 O2"
    [ -z "$rotating" ] || echo "floor $rows rotating 1 $subject rows=4096,cols=128 bf16 O2"
  done
  wide $rows 1 w4-rmsnorm 2 4096 bf16
  wide $rows 1 w5-softmax-op 2 4096 bf16
  wide $each 3 w1 2 4096 bf16
  wide $rows 3 w3 4 4096 bf16
  for cols in 65536 1024 16384 262144; do
    wide $rows 1 w4-rmsnorm 2 $cols bf16
    wide $rows 1 w5-softmax-op 2 $cols bf16
  done
  wide $each 3 w6 3 4096 bf16
  echo "wide $each warm 1 w7-rope-op batch=1,heads=32,seq=$(($(elements 2 2) / 4096)) bf16 O2"
  wide $rows 1 w4-layernorm 2 4096 bf16
  wide $rows 1 w13-row-sum 1 4096 bf16
  echo "wide $rows warm 1 w8 rows=$(($(elements 1 2) / 32768)),vocab=32768 bf16 O2"
  wide $each 5 w2 2 4096 bf16
  echo "wide $each warm 9 w14 count=$(elements 7 4) f32 O3"
  wide $rows 6 w5 2 4096 bf16
  wide $rows 1 w4-rmsnorm 2 4096 f32
  wide $rows 1 w5-softmax-op 2 4096 f32
  wide $each 3 w1 2 4096 f32
  wide $rows 1 w13-row-sum 1 4096 f32
  wide $rows 4 w13-mean-variance 1 4096 bf16
  echo "wide $each warm 7 w7-rope heads=32,seq=$(($(elements 2 2) / 4096)) bf16 O2"
}

# Products, attention and the rest: the kind says that neither memory nor the launch decides, or that it is one shape of its sort.
grid_gemm() {
  local shape
  for shape in m=4096,n=4096,k=4096 m=16,n=4096,k=4096 m=1024,n=1024,k=1024 m=2048,n=5632,k=2048 m=128,n=4096,k=4096 m=512,n=12288,k=4096 m=8192,n=128,k=8192; do
    echo "unit products warm 1 s1-matmul $shape bf16 O2"
  done
  echo 'unit products warm 3 w10-matmul-bias-gelu m=4096,n=4096,k=1024 bf16 O2'
  echo 'unit products warm 3 w10-matmul-bias-gelu m=256,n=3072,k=768 bf16 O2'
  echo 'unit products warm 1 s1-matmul m=4096,n=4096,k=4096 f32 O2'
}
grid_attention() {
  local seq
  for seq in 2048 512 4096 1024; do
    echo "unit attention warm 1 w12-attention batch=2,heads=16,seq=$seq bf16 O2"
    [ $seq -ne 512 ] || echo "unit attention warm 1 w12-attention batch=1,heads=16,seq=1024 f32 O2"
  done
}
grid_coverage() {
  echo 'unit coverage warm 3 w11-conv-bn-relu batch=16,channels=64,filters=64 bf16 O2'
  echo 'unit coverage warm 1 s1-matmul-vec rows=8192,cols=8192 bf16 O2'
  echo 'unit coverage warm 1 w13-full-sum rows=8192,cols=8192 f32 O2'
  echo 'unit coverage warm 1 s1-weighted-sum-rows dim=128,seq=65536 f32 O2'
  echo 'unit coverage warm 3 w18-matmul-integer-scale-bias m=1024,n=4096,k=1024 f32 O2'
}

# shape_run VERB SECONDS BUDGET INDEX: one shape of the grid (its fields are the caller's variables); leaves its row when something was timed.
shape_run() {
  local verb=$1 most=$2 budget=$3 file=$work/families/$4.json said code=0
  local extra=()
  [ "$verb" = bench ] || extra=(--budget "$budget" --trials 48)
  fuselab "$most" "$verb" "$subject" --shape "$shape" --dtype "$dtype" --level "$level" --mode "$mode" --device "$device" "${extra[@]}" \
    --quiet --json >"$file" || code=$?
  [ $code -lt 124 ] || [ "$verb" = bench ] || return 1  # cut short: what it had found by then is not tuned
  is_whole "$file" && said=$(cell_of "$file") || said=''
  [ -n "$said" ] || return 1
  printf '%s\t%s\t%s\t%s\t%s\n' "$kind" "$family" "$([ "$verb" = bench ] && echo default || echo tuned)" "$mode" "$said" >"$work/families/$4.row"
}

# measure_grid FIRST: the grid of this part, whose shapes are numbered from there on. Each shape once in its default configuration; then those
# are tuned that are furthest up in the grid and miss the goal.
measure_grid() {
  local first=$1 wanted=$work/grid.$part rows_of=$work/families/${1%00} index kind family mode kernels subject shape dtype level shown='' row what
  [ -n "$again" ] || rm -f "$rows_of"??.*
  # count NAME PATTERN: files of that kind.
  count_rows() { cat "$rows_of"??.row 2>/dev/null | awk -F '\t' -v how="$1" '$3 == how || how == "" {n++} END {print n + 0}'; }
  say() {
    local all measured tuned failed
    all=$(wc -l <"$wanted") measured=$(count_rows '') tuned=$(count_rows tuned) failed=$(find "$work/families" -name "${first%00}??.failed" | wc -l)
    local text="$measured of $all shapes measured, $tuned of them tuned, $failed failed$shown, $((all - measured - failed)) left out for lack of time"
    [ "$measured" -eq "$all" ] && what=ok || what=partial
    [ "$measured" -gt 0 ] || what=$([ "$failed" -gt 0 ] && echo failed || echo skipped)
    tell "$what" "$text"
    write_summary
    rm -f "$work/$part.left"
    [ $((measured + failed)) -eq "$all" ] && [ "$tuned" -eq "$measured" ] || echo yes >"$work/$part.left"
  }
  index=$first
  while read -r kind family mode kernels subject shape dtype level; do
    index=$((index + 1))
    [ ! -e "$work/families/$index.row" ] && [ ! -e "$work/families/$index.failed" ] || continue
    [ "$(left)" -ge 8 ] || break
    if ! shape_run bench 30 0 $index; then
      [ "$(left)" -ge 3 ] || break  # cut short by the part's end
      echo "$subject $shape $dtype $mode: $(why_no_figure "$work/families/$index.json")" | tee -a "$log" >"$work/families/$index.failed"
      shown=" ($(cat "$work/families/$index.failed"))"
    fi
    say
  done <"$wanted"
  for few in 3 99; do
    index=$first
    while read -r kind family mode kernels subject shape dtype level; do
      index=$((index + 1)) row=$work/families/$index.row
      [ -s "$row" ] && [ "$kernels" -le $few ] && [ "$(cut -f 3 "$row")" = default ] || continue
      awk -F '\t' -v kind="$kind" '{exit !(kind == "wide" && $12 != "-" && $12 >= 0.95)}' "$row" && continue  # nothing to be won
      local budget=$((kernels == 1 ? 4 : 8 * kernels)) need=$((kernels == 1 ? 14 : 10 * kernels))
      [ "$(left)" -ge $need ] || continue
      shape_run tune $((3 * need)) $budget $index
      say
    done <"$wanted"
  done
  say
}

part_families() { grid >"$work/grid.families"; measure_grid 100; }
part_gemm() { primitives_hold || return; grid_gemm >"$work/grid.gemm"; measure_grid 200; }
part_attention() { primitives_hold || return; grid_attention >"$work/grid.attention"; measure_grid 300; }
part_coverage() { primitives_hold || return; grid_coverage >"$work/grid.coverage"; measure_grid 400; }

part_torch() {
  command -v python3 >/dev/null || { tell skipped 'no python3'; return; }
  ls "$work"/families/*.row >/dev/null 2>&1 || { tell skipped 'the part families has left nothing to compare with'; return; }
  local code=0 rows
  rows=$(rows | wc -l)
  rows >"$work/torch.wanted"
  within "$(left)" python3 -B "$helpers/torch_compare.py" "$work/torch.wanted" "$work/torch" "$device" $(($(left) - 6)) \
    ${again:+--again} >"$work/torch.said" 2>>"$log" || code=$?
  [ "$code" -ne 77 ] || { tell skipped "$(sed 's/SKIPPED: //' "$work/torch.said")"; return; }
  local done
  done=$(wc -l 2>/dev/null <"$work/torch.rows" || echo 0)
  local text="$(tail -n 1 "$work/torch.said")"
  case $code in
    0 | 124) ;;
    *) text="torch_compare.py ended with $code, see log.txt; $text" ;;
  esac
  [ "${done:-0}" -gt 0 ] || { tell failed "$text"; return; }
  tell "$([ "$code" -ne 0 ] || [ "$done" -lt "$rows" ] && echo partial || echo ok)" "$text; $done of $rows shapes"
}

# compute-sanitizer over kernels at odd extents. It must have looked at something: a run of ours that measured, a log with its summary,
# and a planted read outside of memory that it finds. Sets $said and $bad.
sanitize() {
  local errors code=0 measured
  local guarded=(env FUSELAB_GUARD_ZONES=0)  # zones of our own around buffers would take up what it is to find
  rm -f "$work"/sanitizer*
  cp "$db" "$work/sanitizer.db" 2>/dev/null  # with the ceilings, which are not to be measured under it
  [ "$(left)" -ge 8 ] || { said='compute-sanitizer: did not run, no time was left'; return; }
  # checked NAME ARGUMENT…: bench under it; its exit code.
  checked() {
    local name=$1
    shift
    within "$(left)" "${guarded[@]}" compute-sanitizer --target-processes all --log-file "$work/sanitizer-$name-%p.log" "$bundle/bin/fuselab" bench \
      "$@" --device "$device" --quiet --json --db "$work/sanitizer.db" >"$work/sanitizer-$name.json" 2>>"$log"
  }
  # errors NAME: of all its logs; nothing where none has a summary.
  errors() { cat "$work"/sanitizer-"$1"-*.log 2>/dev/null | sed -n 's/.*ERROR SUMMARY: \([0-9]*\) error.*/\1/p' | awk '{n += $1} END {if (NR) print n}'; }
  checked clean w1 w4-rmsnorm w5-softmax-op w13-row-sum --shape rows=35,cols=1031 || code=$?
  cat "$work"/sanitizer-clean-*.log >>"$log" 2>/dev/null
  errors=$(errors clean)
  measured=$([ -s "$work/sanitizer-clean.json" ] && member "$work/sanitizer-clean.json" measured)
  case $code in
    124 | 137) said="compute-sanitizer: cut short by the part's end${errors:+, after $errors errors}" ;;
    *)
      if [ -z "$errors" ]; then said="compute-sanitizer: did not run (it ended with $code and left no summary; see log.txt)"
      elif [ "$errors" -gt 0 ]; then said="compute-sanitizer: $errors errors, see log.txt" bad=$((bad + 1))
      elif [ "$code" -ne 0 ] || [ "${measured:-0}" -lt 1 ]; then said="compute-sanitizer: nothing was measured under it (it ended with $code; see log.txt)"
      else said="compute-sanitizer: 0 errors in $measured plans"
      fi ;;
  esac
  [ "$said" = "compute-sanitizer: 0 errors in $measured plans" ] || return
  guarded+=(FUSELAB_FAULTY_KERNELS=1)
  if [ "$(left)" -lt 8 ]; then said+=', whether it would find one was not tried for lack of time'; return; fi
  code=0
  checked planted w5-softmax-op --shape rows=64,cols=512 --config fault=crash --remeasure || code=$?
  errors=$(errors planted)
  if [ "${errors:-0}" -gt 0 ]; then said+=', and it found the planted one'
  elif [ "$code" -eq 124 ] || [ "$code" -eq 137 ]; then said+=', whether it would find one was not known in time'
  else said+=', which says nothing: it did not find the planted one' bad=$((bad + 1))
  fi
}

part_conformance() {
  local subjects=() shapes=() good=0 bad=0 text='' each said='' cut=''
  for each in w1 w2 w3 w4-layernorm w4-rmsnorm w5 w5-softmax-op w6 w13-mean-variance w13-row-sum; do
    subjects+=("$each") shapes+=(--shape rows=33,cols=1027)
  done
  subjects+=(w7-rope w7-rope-op w8 w14) shapes+=(--shape heads=3,seq=33 --shape batch=1,heads=3,seq=33 --shape rows=33,vocab=1027 --shape count=33891)
  local kept=0 most
  case $device in cuda*) command -v compute-sanitizer >/dev/null && kept=30 ;; esac
  for dtype in f32 f16 bf16; do
    local file=$work/conformance-$dtype.json measured failed
    most=$(($(left) - kept))
    [ "$most" -ge 5 ] || { cut+=" $dtype"; continue; }
    fuselab $((most < 45 ? most : 45)) bench "${subjects[@]}" "${shapes[@]}" --dtype $dtype --device "$device" --quiet --json >"$file"
    if ! is_whole "$file" || [ "$(left)" -lt 1 ]; then
      [ "$(left)" -gt "$kept" ] && bad=$((bad + 1)) && text+="; $dtype did not end" || cut+=" $dtype"
      is_whole "$file" || continue
    fi
    measured=$(member "$file" measured) failed=$(member "$file" failed)
    local stored
    stored=$(member "$file" reused)
    [ -n "$measured" ] || { bad=$((bad + 1)); text+="; $dtype: $(why "$file")"; continue; }
    good=$((good + measured + stored)) bad=$((bad + failed))
    [ "$failed" -eq 0 ] || text+="; $dtype: $(member "$file" example)"
  done
  [ -z "$cut" ] || text+="; cut short by the part's end:$cut"
  result() {
    [ "$good" -gt 0 ] || { tell "$([ "$bad" -gt 0 ] && echo failed || echo skipped)" "nothing was measured$text$1"; return; }
    local state=${cut:+partial}
    tell "$([ "$bad" -eq 0 ] && echo "${state:-ok}" || echo failed)" "$good plans verified and timed, $bad not$text$1"
  }
  case $device in
    cuda*)
      if command -v compute-sanitizer >/dev/null; then
        result '; compute-sanitizer: began and was cut short'
        sanitize
        result "; $said"
      else
        result '; no compute-sanitizer'
      fi ;;
    *) result '' ;;
  esac
}

# right NAME: the next result of the device is right.
right() {
  fuselab 20 bench w5 --shape rows=64,cols=512 --device "$good" --remeasure --quiet --json >"$work/after-$1.json"
  [ -n "$(cell_of "$work/after-$1.json")" ]
}

part_faults() {
  local text='' bad=0 good=$device faulty=$device kinds=(crash oom hang) fault code state=ok
  case $device in
    null*) good=null:0 faulty=null:1 ;;
    cuda*) kinds=(crash trap oom hang) ;;
  esac
  rm -f "$work"/fault-*.json "$work"/after-*.json
  # Kernels that are made to fail, where the backend has such: they read where nothing is, trap, ask for more memory than there is, or spin past
  # the time-out (10 s) and end by themselves after 14 s, 28 s at the very most. cuda offers them only where it is asked to.
  for fault in "${kinds[@]}"; do
    local file=$work/fault-$fault.json
    [ "$(left)" -ge 6 ] || { state=partial text+="$fault: no time was left; "; continue; }
    code=0
    FUSELAB_FAULTY_KERNELS=1 fuselab 45 bench w5-softmax-op --shape rows=64,cols=512 --config "fault=$fault" --device "$faulty" --remeasure --quiet --json >"$file" || code=$?
    if [ "$code" -eq 2 ]; then
      text+="$fault: ${faulty%%:*} has no kernel that does; "
    elif [ "$(left)" -lt 2 ]; then
      state=partial text+="$fault: cut short by the part's end; "
    elif [ "$(member "$file" failed)" = 1 ] && right "$fault"; then
      text+="$fault: one trial, $(sed -n 's/^    "\([a-z-]*\)": {$/\1/p' "$file" | head -n 1), the next result is right; "
    elif [ "$(left)" -lt 2 ]; then
      state=partial text+="$fault: cut short by the part's end before the next result; "
    else
      bad=1 text+="$fault: NOT one trial, or the next result is wrong; "
    fi
    tell cut "${text}the rest was cut short"
  done
  # 2^40 elements: more memory than any device has.
  if [ "$(left)" -lt 6 ]; then
    state=partial text+='4 TiB of data: no time was left'
  else
    fuselab 20 bench w1 --shape rows=1048576,cols=1048576 --device "$good" --quiet --json >"$work/fault-size.json"
    if [ -z "$(cell_of "$work/fault-size.json")" ] && right size; then
      text+='4 TiB of data: one trial, the next result is right'
    elif [ "$(left)" -lt 2 ]; then
      state=partial text+="4 TiB of data: cut short by the part's end"
    else
      bad=1 text+='4 TiB of data: measured, or the next result is wrong'
    fi
  fi
  tell "$([ $bad -eq 0 ] && echo $state || echo failed)" "$text"
}

part_report() {
  local file
  choose_device
  write_summary
  fuselab 10 db gc --budget 12MiB >>"$log"
  cp "$db" "$work/results.copy" 2>>"$log" && mv "$work/results.copy" "$out/results.db"
  fuselab 10 report -o "$work/report.html" >>"$log" && mv "$work/report.html" "$out/report.html"
  tail -c 4000000 "$log" >"$work/log.short" && cp "$work/log.short" "$log"
  for file in "$out"/*; do
    [ "$(wc -c <"$file")" -le 15728640 ] || { echo "left out, larger than 15 MiB: $(basename "$file")" >>"$out/summary.txt"; rm -f "$file"; }
  done
}
