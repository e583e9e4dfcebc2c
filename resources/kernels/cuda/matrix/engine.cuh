// SPDX-License-Identifier: Apache-2.0
#if __CUDA_ARCH__ >= 900
// --- The copy engine ---
// Describes a tensor in global memory with its box and swizzle; made by the driver (cuTensorMapEncodeTiled).
struct alignas(64) fl_tensor_map {
  unsigned char bytes[128];
};
#define FL_TENSOR_MAP(name) const __grid_constant__ fl_tensor_map name
// One thread: the box at column x of row y into shared memory, zero where it hangs over; its bytes count for the barrier.
FL_DEVICE void fl_copy_box(void* shared, const fl_tensor_map& map, int x, int y, unsigned long long* barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   fl_shared_address(shared)),
               "l"(&map), "r"(x), "r"(y), "r"(fl_shared_address(barrier))
               : "memory");
}
// The same of layer z.
FL_DEVICE void fl_copy_box(void* shared, const fl_tensor_map& map, int x, int y, int z, unsigned long long* barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
                   fl_shared_address(shared)),
               "l"(&map), "r"(x), "r"(y), "r"(z), "r"(fl_shared_address(barrier))
               : "memory");
}
// One thread: bytes that lie together, a multiple of 16.
FL_DEVICE void fl_copy_bytes(void* shared, const void* global, int bytes, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(fl_shared_address(shared)),
      "l"(global), "r"(bytes), "r"(fl_shared_address(barrier))
      : "memory");
}
// What this thread has written to shared memory may be read by the copy engine and by products of warpgroups.
FL_DEVICE void fl_engine_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// One thread: a box back to where the map says; what hangs over is dropped.
FL_DEVICE void fl_store_box(const fl_tensor_map& map, int x, int y, const void* shared) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y),
               "r"(fl_shared_address(shared))
               : "memory");
}
FL_DEVICE void fl_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until at most Groups of this thread's stores still read shared memory.
template <int Groups>
FL_DEVICE void fl_store_wait() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}
// The reverse of fl_load_matrices.
FL_DEVICE void fl_store_matrices(void* row, const unsigned (&from)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(fl_shared_address(row)), "r"(from[0]),
               "r"(from[1]), "r"(from[2]), "r"(from[3])
               : "memory");
}
#endif
