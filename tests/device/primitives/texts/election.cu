// One lane of each warp is elected, whichever.
extern "C" FL_KERNEL(64) void primitive(int* FL_RESTRICT y) {
  FL_ALIGNED_SHARED(int, elected, 64, 0);
  const int thread = fl_thread();
  elected[thread] = fl_first_lane_elected() ? 1 : 0;
  fl_barrier();
  if (thread >= 2) return;
  int count = 0;
  for (int i = 0; i < 32; ++i) count += elected[thread * 32 + i];
  y[thread] = count;
}
