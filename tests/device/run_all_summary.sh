# SPDX-License-Identifier: Apache-2.0
# For run_all.sh: the one line of each part, and the table and the document that are made of them. All can be written at any time:
# each replaces the one before it as a whole.

# tell STATE TEXT: the one line that the table shows of this part.
tell() { printf '%s\t%s\n' "$1" "$(printf '%s' "$2" | tr '\t\n' '  ')" >"$work/$part.line"; }
# member FILE KEY: the first string or number of that name in a document of fuselab's.
member() { sed -n "s/^ *\"$2\": //p" "$1" | sed 's/,$//; s/^"//; s/"$//' | head -n 1; }
is_whole() { [ -s "$1" ] && [ "$(tail -n 1 "$1")" = '}' ]; }
quoted() { printf '"%s"' "$(tr -d '"\\\t' <<<"$1")"; }
readonly goal=0.85  # of the device's own ceiling for the same mix of streams

# What `fuselab tune --json` and `bench --json` say of the first piece, as one line: model, binding, type, median, low, high (ns), ideal
# (ns), share of the ceiling, bytes, unfused (ns), gain, configuration; "-" for what it does not say. Nothing where nothing was timed.
cell_of() {
  awk '
    function value(text) { text = $0; sub(/^ *"[a-z_]*": /, "", text); sub(/,$/, "", text); gsub(/"/, "", text); return text }
    function keep(name, text) { if (!(name in found)) found[name] = text }
    function said(name) { return (name in found) ? found[name] : "-" }
    /^ *"(best_unfused|cold_fused|cold_unfused|totals)": [\[{]/ {where = "other"}
    /^ *"fused": \{/ {where = "fused"} /^ *"unfused": \{/ {where = "unfused"} /^ *"gain": \{/ {where = "gain"}
    /^ *"model": / {keep("model", value())} /^ *"binding": / {keep("binding", value())} /^ *"dtype": / {keep("dtype", value())}
    /^ *"ideal_bytes": / {keep("bytes", value())} /^ *"ideal_ns": / {keep("ideal", value())}
    /^ *"share_of_ceiling": / {keep("share", value())}
    where == "fused" && /"median_ns": / {keep("median", value())} where == "fused" && /"config": / {keep("config", value())}
    where == "fused" && /"interval_ns": / {line = NR}
    line && NR == line + 1 {keep("low", $1 + 0)} line && NR == line + 2 {keep("high", $1 + 0); line = 0}
    where == "unfused" && /"median_ns": / {keep("unfused", value())} where == "gain" && /"ratio": / {keep("gain", value())}
    END {
      if ("median" in found) print said("model") "\t" said("binding") "\t" said("dtype") "\t" said("median") "\t" said("low") "\t" \
        said("high") "\t" said("ideal") "\t" said("share") "\t" said("bytes") "\t" said("unfused") "\t" said("gain") "\t" said("config")
    }' "$1"
}

# One line per shape that has a figure: kind (wide: beyond the last cache, floor: the launch decides), family, how (tuned, default), mode, then
# what cell_of says, then what PyTorch took: eager and compiled (ns).
rows() {
  local row
  for row in "$work"/families/*.row; do
    [ -s "$row" ] && cat "$row"
  done | awk -F '\t' -v OFS='\t' -v torch="$work/torch.rows" '
    BEGIN {while ((getline line < torch) > 0) {split(line, t, "\t"); key = t[1] FS t[2] FS t[3] FS t[4]; eager[key] = t[5]; compiled[key] = t[6]}}
    {key = $5 FS $6 FS $7 FS $4; print $0, (key in eager) ? eager[key] : "-", (key in compiled) ? compiled[key] : "-"}'
}

# Per family, of its shapes that move at least twice the last cache: how many reach the goal, the lowest and the highest share.
goals() {
  rows | awk -F '\t' -v goal=$goal -v l2="$(cat "$work/l2.bytes" 2>/dev/null)" '
    $1 == "wide" && $12 != "-" && $13 >= 2 * l2 {
      f = $2; if (!(f in n)) {order[++m] = f; low[f] = 9; high[f] = 0}
      n[f]++; reached[f] += ($12 >= goal); if ($12 < low[f]) low[f] = $12; if ($12 > high[f]) high[f] = $12
    }
    END {for (i = 1; i <= m; ++i) {f = order[i]; printf("%s\t%d\t%d\t%.4f\t%.4f\t%s\n", f, n[f], reached[f], low[f], high[f], (n[f] == reached[f]) ? "reached" : "missed")}}'
}

# What lanes got where the executor has something else: the map that came out, for whoever mends the layout.
lane_maps() {
  awk -F '\t' '$1 == "map" {if ($2 != last) printf("  lane map of %s that came out:\n", $2); last = $2; print "    " $3}' "$work/primitives.rows" 2>/dev/null
}

table() {
  local each floor l2
  floor=$(cat "$work/floor.ns" 2>/dev/null) l2=$(cat "$work/l2.bytes" 2>/dev/null)
  echo "Fuselab on $device${device_name:+ ($device_name)}, $(date -u '+%Y-%m-%d %H:%M UTC'), $("$bundle/bin/fuselab" --version)"
  for each in "${all[@]}"; do
    [ -s "$work/$each.line" ] && printf '  %-12s %-9s %s\n' "$each" "$(cut -f 1 "$work/$each.line")" "$(cut -f 2- "$work/$each.line")"
  done
  lane_maps
  [ -n "$(rows)" ] || return 0
  printf '\n%-20s %-5s %-25s %-8s %-8s %6s %11s %9s %7s %7s %7s %7s\n' piece type shape how mode '/cache' fused 'of limit' '/floor' 'unf./' 'eager/' 'comp./'
  rows | awk -F '\t' -v floor="${floor:-0}" -v l2="${l2:-0}" '
    function ratio(a, b) { return (a + 0 > 0 && b + 0 > 0) ? sprintf("%.2f", a / b) : "-" }
    {printf("%-20s %-5s %-25s %-8s %-8s %6s %8.2f µs %9s %7s %7s %7s %7s\n", $5, $7, $6, $3, $4, (l2 > 0) ? sprintf("%.1f", $13 / l2) : "-", $8 / 1000,
      ($12 == "-") ? "-" : sprintf("%.0f%%", 100 * $12), ($1 == "floor") ? ratio($8, floor) : "-", ($15 == "-") ? "-" : sprintf("%.2f", $15), ratio($17, $8), ratio($18, $8))}'
  echo
  echo '  how: default or tuned launch configuration; /cache: bytes that must move over the last cache; of limit: of the device'"'"'s own measured ceiling for the'
  echo '  same mix of streams; /floor: times an empty launch; unf./, eager/, comp./: one kernel per operator, PyTorch and torch.compile over fused'
  goals | awk -F '\t' -v goal=$goal '
    {printf("  %s: %d of %d shapes of twice the last cache or more at %.0f%% of the limit or more (%.0f%% to %.0f%%): goal %s\n", $1, $3, $2, 100 * goal, 100 * $4, 100 * $5, $6)}
    END {if (!NR) printf("  no shape moves twice the last cache: nothing to hold against the goal of %.0f%%\n", 100 * goal)}'
  verdicts
}

# What bounds the pieces that were looked at, a sentence each.
verdicts() {
  [ -s "$work/profiles.rows" ] || return 0
  echo
  awk -F '\t' '{printf("  %s %s %s: %s, %s. %s\n", $2, $3, $4, $5, $6, $7)}' "$work/profiles.rows"
}

# One document of what the parts left.
summary_json() {
  local comma='' each file
  printf '{\n"schema": "fuselab.device-run/2",\n"date": "%s",\n"version": %s,\n"device": %s,\n"device_name": %s,\n"parts": {' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(quoted "$("$bundle/bin/fuselab" --version)")" "$(quoted "$device")" "$(quoted "${device_name:-}")"
  for each in "${all[@]}"; do
    [ -s "$work/$each.line" ] || continue
    printf '%s\n"%s": {"state": "%s", "text": %s}' "$comma" "$each" "$(cut -f 1 "$work/$each.line")" "$(quoted "$(cut -f 2- "$work/$each.line")")"
    comma=,
  done
  printf '\n},\n"goals": ['
  goals | awk -F '\t' -v goal=$goal '{printf("%s\n{\"family\": \"%s\", \"goal\": %s, \"shapes\": %d, \"reached\": %d, \"lowest\": %s, \"highest\": %s, \"state\": \"%s\"}", NR > 1 ? "," : "", $1, goal, $2, $3, $4, $5, $6)}'
  printf '\n],\n"shapes": ['
  rows | awk -F '\t' -v floor="$(cat "$work/floor.ns" 2>/dev/null)" -v l2="$(cat "$work/l2.bytes" 2>/dev/null)" '
    function number(name, value) { if (value != "-" && value != "") printf(", \"%s\": %s", name, value) }
    function over(name, a, b) { if (a + 0 > 0 && b + 0 > 0) printf(", \"%s\": %.4f", name, a / b) }
    {
      printf("%s\n{\"model\": \"%s\", \"binding\": \"%s\", \"dtype\": \"%s\", \"kind\": \"%s\", \"family\": \"%s\", \"configuration\": \"%s\", \"mode\": \"%s\", \"config\": \"%s\"",
        NR > 1 ? "," : "", $5, $6, $7, $1, $2, $3, $4, $16)
      number("fused_ns", $8); number("low_ns", $9); number("high_ns", $10); number("ideal_ns", $11); number("share_of_ceiling", $12)
      number("bytes", $13); over("bytes_over_last_cache", $13, l2); number("unfused_ns", $14); number("gain", $15)
      if ($1 == "floor") over("over_launch_floor", $8, floor)
      number("eager_ns", $17); number("compiled_ns", $18); over("eager_over_fused", $17, $8); over("compiled_over_fused", $18, $8)
      printf("}")
    }'
  printf '\n],\n"primitives": ['
  awk -F '\t' '$1 != "map" {gsub(/["\\]/, ""); printf("%s\n{\"case\": \"%s\", \"state\": \"%s\", \"text\": \"%s\"}", n++ ? "," : "", $1, $2, $3)}' "$work/primitives.rows" 2>/dev/null
  printf '\n],\n"in_flight": ['
  awk -F '\t' '{printf("%s\n{\"form\": \"%s\", \"blocks\": %d, \"threads\": %d, \"loads\": %d, \"bytes\": %d, \"bytes_per_second\": %.0f}", n++ ? "," : "", $1, $2, $3, $4, $5, $6)}' \
    "$work/in-flight.rows" 2>/dev/null
  printf '\n]'
  for file in devices ceilings floor torch profile-{1..12} fault-crash fault-trap fault-hang fault-oom fault-size conformance-f32 conformance-f16 conformance-bf16; do
    is_whole "$work/$file.json" && printf ',\n"%s": %s' "$file" "$(cat "$work/$file.json")"
  done
  printf '\n}\n'
}

write_summary() {
  device_name=$(cat "$work/device.name" 2>/dev/null)
  table >"$work/summary.txt" && mv "$work/summary.txt" "$out/summary.txt"
  summary_json >"$work/summary.json" && mv "$work/summary.json" "$out/summary.json"
}
