// SPDX-License-Identifier: Apache-2.0
// --- The copy engine ---
extern "C" {
void fl_host_copy_box(void* shared, const void* map, int x, int y, int z, void* barrier, int line);
void fl_host_copy_bytes(void* shared, const void* global, int bytes, void* barrier, int line);
void fl_host_store_box(const void* map, int x, int y, const void* shared, int line);
void fl_host_store_commit();
void fl_host_store_wait(int newest);
void fl_host_engine_fence();
}
struct alignas(64) fl_tensor_map {
  unsigned char bytes[128];
};
#define FL_TENSOR_MAP(name) const fl_tensor_map& name
FL_DEVICE void fl_copy_box(void* shared, const fl_tensor_map& map, int x, int y, unsigned long long* barrier,
                           int line = __builtin_LINE()) {
  fl_host_copy_box(shared, &map, x, y, 0, barrier, line);
}
FL_DEVICE void fl_copy_box(void* shared, const fl_tensor_map& map, int x, int y, int z, unsigned long long* barrier,
                           int line = __builtin_LINE()) {
  fl_host_copy_box(shared, &map, x, y, z, barrier, line);
}
FL_DEVICE void fl_copy_bytes(void* shared, const void* global, int bytes, unsigned long long* barrier,
                             int line = __builtin_LINE()) {
  fl_host_copy_bytes(shared, global, bytes, barrier, line);
}
FL_DEVICE void fl_engine_fence() {
  fl_host_engine_fence();
}
FL_DEVICE void fl_store_box(const fl_tensor_map& map, int x, int y, const void* shared, int line = __builtin_LINE()) {
  fl_host_store_box(&map, x, y, shared, line);
}
FL_DEVICE void fl_store_commit() {
  fl_host_store_commit();
}
template <int Groups>
FL_DEVICE void fl_store_wait() {
  fl_host_store_wait(Groups);
}
FL_DEVICE void fl_store_matrices(void* row, const unsigned (&from)[4], int line = __builtin_LINE()) {
  fl_host_rows mine{{}, const_cast<unsigned*>(from), row, line};
  fl_host_together(32, fl_host_gather_rows, &mine, line);
  fl_host_check_row(row, 1, line);
  fl_host_take(row, mine.row);
}
