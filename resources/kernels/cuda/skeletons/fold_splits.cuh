// SPDX-License-Identifier: Apache-2.0
// The results of a product whose depth kSplits blocks have shared: their sums, added one after the other, the same result each time.
// A thread makes kLanes of them.

FL_DEVICE void fl_fold_splits(const fl_arguments& in) {
  constexpr long long kAll = static_cast<long long>(kBatches) * kM * kN;
  const long long at = (fl_block() * fl_block_size() + fl_thread()) * kLanes;
  if (at >= kAll) return;
  fl_vec<fl_total, kLanes> total = fl_load<fl_total, kLanes>(fl_split_sums(in) + at);
#pragma unroll 4
  for (int split = 1; split < kSplits; ++split) {
    const fl_vec<fl_total, kLanes> more = fl_load<fl_total, kLanes>(fl_split_sums(in) + split * kAll + at);
#pragma unroll
    for (int l = 0; l < kLanes; ++l) total.v[l] += more.v[l];
  }
  const long long row = at / kN;
  fl_finish(in, static_cast<int>(row / kM), static_cast<int>(row % kM), static_cast<int>(at % kN), fl_results(total));
}
