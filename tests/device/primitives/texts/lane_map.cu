// Where a lane's four sums of a product lie: row + 16 · column, as a sum of products that names them.
extern "C" FL_KERNEL(32) void primitive(int* FL_RESTRICT y) {
  const int lane = fl_lane(), group = lane >> 2, first = lane % 4 == 0;
  // a is (row, 1) in its first two columns, b is (1, 16 · column) in its first two rows.
  const unsigned a[4] = {first ? fl_pack_bf16(static_cast<float>(group), 1.0f) : 0,
                         first ? fl_pack_bf16(static_cast<float>(group + 8), 1.0f) : 0, 0, 0};
  const unsigned b = first ? fl_pack_bf16(1.0f, static_cast<float>(16 * group)) : 0;
  float d[4] = {};
  fl_multiply_bf16(d, a, b, 0);
#pragma unroll
  for (int i = 0; i < 4; ++i) y[lane * 4 + i] = static_cast<int>(d[i]);
}
