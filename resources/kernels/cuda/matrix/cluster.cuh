// SPDX-License-Identifier: Apache-2.0
#if __CUDA_ARCH__ >= 900
// --- Blocks of a cluster, which run at the same time ---
#define FL_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
using fl_place = unsigned;  // of shared memory, this block's or another's
FL_DEVICE int fl_cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
// Every thread of every block of the cluster, none of which may end before others have reached its shared memory.
FL_DEVICE void fl_cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Where the block `rank` has the same element of the same array.
FL_DEVICE fl_place fl_place_in(const void* shared, int rank) {
  unsigned place;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(place) : "r"(fl_shared_address(shared)), "r"(rank));
  return place;
}
// The box into the same place of all blocks whose bits are set; it counts for the barrier of each.
FL_DEVICE void fl_copy_box_to(void* shared, const fl_tensor_map& map, int x, int y, unsigned long long* barrier, int blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], "
      "%5;" ::"r"(fl_shared_address(shared)),
      "l"(&map), "r"(x), "r"(y), "r"(fl_shared_address(barrier)), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}
FL_DEVICE void fl_phase_arrive_in(unsigned long long* barrier, int rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(fl_place_in(barrier, rank)) : "memory");
}
FL_DEVICE void fl_store_to(fl_place place, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(place), "f"(value) : "memory");
}
#endif
