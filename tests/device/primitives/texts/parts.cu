// Asynchronous copies of 16 bytes of which 0 to 16 are there: the rest becomes zero.
extern "C" FL_KERNEL(32) void primitive(const signed char* FL_RESTRICT x, int* FL_RESTRICT y) {
  FL_ALIGNED_SHARED(signed char, parts, 32 * 16, 0);
  const int thread = fl_thread();
  if (thread <= 16) fl_copy_async_part(parts + thread * 16, x + thread * 16, thread);
  fl_copy_async_commit();
  fl_copy_async_wait<0>();
  fl_barrier();
  for (int i = thread; i < 17 * 16; i += 32) y[i] = parts[i];
}
