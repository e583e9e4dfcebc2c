// Bytes through registers into local memory, 16 together, and back in another order; then the same in memory that the launch gives.
extern "C" FL_KERNEL(128) void primitive(const signed char* FL_RESTRICT x, int* FL_RESTRICT y) {
  FL_SHARED(signed char, own, 2048);
  FL_DYNAMIC_SHARED(signed char, given, 2048, 0);
  const int thread = fl_thread();
  fl_store<signed char, 16>(own + thread * 16, fl_load_readonly<signed char, 16>(x + thread * 16));
  fl_barrier();
  fl_store<signed char, 16>(given + (127 - thread) * 16, fl_load<signed char, 16>(own + (thread * 37 % 128) * 16));
  fl_barrier();
  for (int i = thread; i < 2048; i += 128) y[i] = given[i];
}
