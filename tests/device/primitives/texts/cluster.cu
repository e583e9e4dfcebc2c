// Two blocks: what each writes into the other's shared memory, and a box that one of them orders for both.
extern "C" FL_CLUSTER(2) FL_KERNEL(64) void primitive(const fl_bf16* FL_RESTRICT, fl_bf16* FL_RESTRICT y, float* FL_RESTRICT ranks,
                                                      FL_TENSOR_MAP(map)) {
  FL_ALIGNED_SHARED(fl_bf16, box, 64 * 8, 0);
  FL_ALIGNED_SHARED(unsigned long long, full, 1, 1024);
  FL_ALIGNED_SHARED(float, told, 64, 2048);
  const int thread = fl_thread(), rank = fl_cluster_rank(), block = static_cast<int>(fl_block());
  if (thread == 0) {
    fl_phase_init(full, 1);
    fl_phase_publish();
    fl_phase_expect(full, 1024);
  }
  fl_cluster_barrier();
  if (rank == 0 && thread == 0) fl_copy_box_to(box, map, 0, 8 * (block / 2), full, 3);
  fl_store_to(fl_place_in(told + thread, 1 - rank), static_cast<float>(1000 * block + thread));
  fl_phase_wait(full, 0);
  for (int i = thread; i < 512; i += 64) y[block * 512 + i] = box[i];
  fl_cluster_barrier();
  ranks[block * 64 + thread] = told[thread];
}
