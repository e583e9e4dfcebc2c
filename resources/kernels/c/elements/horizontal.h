// SPDX-License-Identifier: Apache-2.0
// needs: vector, extrema
// All lanes to one, by halves.
static inline $U sum_$N($F v) {
  $S lane[$L];
  memcpy(lane, &v, sizeof v);
  for (int width = $L / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lane[i] += lane[i + width];
  return ($U){lane[0]};
}
static inline $U largest_$N($F v) {
  $S lane[$L];
  memcpy(lane, &v, sizeof v);
  for (int width = $L / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lane[i] = (lane[i] > lane[i + width]) | (lane[i] != lane[i]) ? lane[i] : lane[i + width];
  return ($U){lane[0]};
}
