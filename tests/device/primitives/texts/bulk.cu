// Bytes by the copy engine: two copies for one barrier, then one more in its next phase.
extern "C" FL_KERNEL(128) void primitive(const signed char* FL_RESTRICT x, int* FL_RESTRICT y) {
  FL_ALIGNED_SHARED(signed char, bytes, 2048, 0);
  FL_ALIGNED_SHARED(unsigned long long, full, 1, 2048);
  const int thread = fl_thread();
  if (thread == 0) {
    fl_phase_init(full, 1);
    fl_phase_publish();
    fl_phase_expect(full, 1040);
    fl_copy_bytes(bytes, x, 16, full);
    fl_copy_bytes(bytes + 16, x + 16, 1024, full);
  }
  fl_barrier();
  fl_phase_wait(full, 0);
  for (int i = thread; i < 1040; i += 128) y[i] = bytes[i];
  fl_barrier();
  if (thread == 0) {
    fl_phase_expect(full, 1008);
    fl_copy_bytes(bytes + 1040, x + 1040, 1008, full);
  }
  fl_phase_wait(full, 1);
  for (int i = 1040 + thread; i < 2048; i += 128) y[i] = bytes[i];
}
