// Which elements a lane gets of four matrices, as they lie and turned: 64 · matrix + 8 · row + column of each.
extern "C" FL_KERNEL(32) void primitive(int* FL_RESTRICT y) {
  FL_ALIGNED_SHARED(fl_f16, tiles, 256, 0);
  const int lane = fl_lane();
#pragma unroll
  for (int i = 0; i < 8; ++i) tiles[lane * 8 + i].bits = static_cast<unsigned short>(lane * 8 + i);
  fl_barrier();
  unsigned plain[4], turned[4];
  fl_load_matrices(plain, tiles + lane * 8);
  fl_load_matrices_turned(turned, tiles + lane * 8);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    y[lane * 16 + 4 * i] = static_cast<int>(plain[i] & 0xffff);
    y[lane * 16 + 4 * i + 1] = static_cast<int>(plain[i] >> 16);
    y[lane * 16 + 4 * i + 2] = static_cast<int>(turned[i] & 0xffff);
    y[lane * 16 + 4 * i + 3] = static_cast<int>(turned[i] >> 16);
  }
}
