// SPDX-License-Identifier: Apache-2.0
// needs: attention_rows
// Weighs together what attention_decode leaves of each row: a block per query, a thread per element of its result.
FL_DEVICE void fl_attention_merge(const fl_arguments& in) {
  constexpr int kPitch = kWidth + 2;
  const int batch = static_cast<int>(fl_block()) / kQueries, query = static_cast<int>(fl_block()) % kQueries, column = fl_thread();
  if (column >= kWidth) return;
  const int row = batch % kGroup * kQueries + query;
  const float* const parts = fl_partials(in) + (static_cast<long long>(batch / kGroup) * kParts * kRows + row) * kPitch;
  float top = kLowest;
  for (int p = 0; p < kParts; ++p) top = fl_max(top, parts[p * kRows * kPitch + kWidth]);
  float total = 0.0f, sum = 0.0f;
#pragma unroll 4
  for (int p = 0; p < kParts; ++p) {
    const float* const part = parts + p * kRows * kPitch;
    const float by = fl_exp2_fast((part[kWidth] - top) * kPower);
    total = fl_fma(part[column], by, total);
    sum = fl_fma(part[kWidth + 1], by, sum);
  }
  fl_results(in)[fl_results_at(in, batch) + query * kResultPitch + column] = fl_narrowed(total * fl_share(sum));
}
