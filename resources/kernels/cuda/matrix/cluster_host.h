// SPDX-License-Identifier: Apache-2.0
// --- Blocks of a cluster ---
#define FL_CLUSTER(blocks)
using fl_place = unsigned long long;
FL_DEVICE int fl_cluster_rank() {
  return fl_host_cluster_rank();
}
FL_DEVICE void fl_cluster_barrier(int line = __builtin_LINE()) {
  fl_host_cluster_barrier(line);
}
FL_DEVICE fl_place fl_place_in(const void* shared, int rank) {
  return fl_host_place_in(shared, rank);
}
FL_DEVICE void fl_copy_box_to(void* shared, const fl_tensor_map& map, int x, int y, unsigned long long* barrier, int blocks,
                              int line = __builtin_LINE()) {
  for (int rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    fl_host_copy_box(reinterpret_cast<void*>(fl_place_in(shared, rank)), &map, x, y, 0,
                     reinterpret_cast<void*>(fl_place_in(barrier, rank)), line);
  }
}
FL_DEVICE void fl_phase_arrive_in(unsigned long long* barrier, int rank, int line = __builtin_LINE()) {
  fl_host_phase_arrive(reinterpret_cast<void*>(fl_place_in(barrier, rank)), 0, line);
}
FL_DEVICE void fl_store_to(fl_place place, float value) {
  fl_host_store(reinterpret_cast<void*>(place), &value, 4);
}
