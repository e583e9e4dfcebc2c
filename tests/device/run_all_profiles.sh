# SPDX-License-Identifier: Apache-2.0
# For run_all.sh: the part that profiles. It needs run_all_parts.sh.

# verdict_of FILE: of a document of `fuselab profile`, what bounds the first plan: bound, certainty, the sentence.
verdict_of() {
  awk '
    function value(text) { text = $0; sub(/^ *"[a-z_]*": "?/, "", text); sub(/"?,?$/, "", text); return text }
    /^ *"verdict": \{/ && !depth {match($0, /[^ ]/); depth = RSTART + 1}
    depth && match($0, /[^ ]/) && RSTART == depth + 1 {
      if (/^ *"bound": /) bound = value()
      if (/^ *"certainty": /) certainty = value()
      if (/^ *"text": /) text = value()
    }
    END {if (bound != "") print bound "\t" certainty "\t" text}' "$1"
}

# One piece of each family of what was measured; then more of the last family, whose pieces differ most. No time here is a figure.
part_profiles() {
  local kind family how mode model binding dtype rest index=0 all done=0 bounds='' failed='' verdict file
  rm -f "$work"/profile-*.json "$work/profiles.rows"
  rows | awk -F '\t' '$1 != "floor" && $4 == "warm" {if ($2 in seen) late[++n] = $0; else print; seen[$2]} END {for (i = 1; i <= n; ++i) {split(late[i], f, "\t"); if (f[2] == "coverage") print late[i]}}' \
    >"$work/profiles.wanted"
  all=$(wc -l <"$work/profiles.wanted")
  [ "$all" -gt 0 ] || { tell skipped 'no part has measured a piece to look at'; return; }
  while IFS=$'\t' read -r kind family how mode model binding dtype rest; do
    [ "$(left)" -ge 4 ] || break
    index=$((index + 1)) file=$work/profile-$index.json
    fuselab 20 profile "$model" --shape "$binding" --dtype "$dtype" --device "$device" --seconds 1 --quiet --json >"$file"
    verdict=$(is_whole "$file" && verdict_of "$file")
    if [ -z "$verdict" ]; then
      failed+="; $model: $(why "$file")"
      rm -f "$file"
      continue
    fi
    done=$((done + 1)) bounds+="; $model $dtype: $(cut -f 1,2 <<<"$verdict" | tr '\t' ' ')"
    printf '%s\t%s\t%s\t%s\t%s\n' "$family" "$model" "$binding" "$dtype" "$verdict" >>"$work/profiles.rows"
    tell partial "$done of $all pieces$bounds$failed"
    write_summary
  done <"$work/profiles.wanted"
  tell "$([ $done -eq "$all" ] && echo ok || { [ $done -gt 0 ] && echo partial || echo failed; })" "$done of $all pieces$bounds$failed"
}
