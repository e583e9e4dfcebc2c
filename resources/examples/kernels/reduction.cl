__kernel void sum_rows(__global const float* restrict input, __global float* restrict sums, const int count,
                       __local float* partial) {
  const int item = get_local_id(0);
  __global const float* const row = input + (size_t)get_group_id(0) * count;
  float sum[unroll];
  for (int i = 0; i < unroll; ++i) sum[i] = 0;
  const int each = (count + block - 1) / block;
  for (int step = 0; step < each; step += unroll)
    for (int i = 0; i < unroll; ++i) {
      const int at = contiguous ? item * each + step + i : (step + i) * block + item;
      const int end = contiguous ? min((item + 1) * each, count) : count;
      if (step + i < each && at < end) sum[i] += row[at];
    }
  float all = 0;
  for (int i = 0; i < unroll; ++i) all += sum[i];
  partial[item] = all;
  for (int half_way = block / 2; half_way > 0; half_way /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_way) partial[item] += partial[item + half_way];
  }
  if (item == 0) sums[get_group_id(0)] = partial[0];
}
