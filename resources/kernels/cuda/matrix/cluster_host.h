// SPDX-License-Identifier: Apache-2.0
// --- Blocks of a cluster ---
extern "C" {
int fl_host_cluster_rank();
void fl_host_cluster_barrier(int line);
void* fl_host_place_in(const void* shared, int rank, int line);
}
#define FL_CLUSTER(blocks)
using fl_place = void*;
FL_DEVICE int fl_cluster_rank() {
  return fl_host_cluster_rank();
}
FL_DEVICE void fl_cluster_barrier(int line = __builtin_LINE()) {
  fl_host_cluster_barrier(line);
}
FL_DEVICE fl_place fl_place_in(const void* shared, int rank, int line = __builtin_LINE()) {
  return fl_host_place_in(shared, rank, line);
}
FL_DEVICE void fl_copy_box_to(void* shared, const fl_tensor_map& map, int x, int y, unsigned long long* barrier, int blocks,
                              int line = __builtin_LINE()) {
  for (int rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    fl_host_copy_box(fl_place_in(shared, rank, line), &map, x, y, 0, fl_place_in(barrier, rank, line), line);
  }
}
FL_DEVICE void fl_phase_arrive_in(unsigned long long* barrier, int rank, int line = __builtin_LINE()) {
  fl_host_phase_arrive(fl_place_in(barrier, rank, line), 0, line);
}
FL_DEVICE void fl_store_to(fl_place place, float value) {
  fl_host_store(place, &value, 4);
}
