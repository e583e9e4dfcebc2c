// SPDX-License-Identifier: Apache-2.0
// needs: vector
// All lanes to one, by halves.
static $U sum_$F($F x) {
  $S lane[$L];
  FL_STORE_$L(lane, x);
  for (int width = $L / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lane[i] += lane[i + width];
  return lane[0];
}
static $U largest_$F($F x) {
  $S lane[$L];
  FL_STORE_$L(lane, x);
  $S best = lane[0];
  for (int i = 1; i < $L; ++i) best = (best > lane[i]) | (best != best) ? best : lane[i];
  return best;
}
