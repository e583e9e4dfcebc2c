// Matrices of a warp into a box of shared memory, and the box back by the copy engine where the tensor's corner clips it.
extern "C" FL_KERNEL(32) void primitive(fl_bf16* FL_RESTRICT y, fl_bf16* FL_RESTRICT shared, FL_TENSOR_MAP(map)) {
  FL_ALIGNED_SHARED(fl_bf16, box, 64 * 8, 0);
  const int lane = fl_lane();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    unsigned four[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int code = (half * 4 + i) * 64 + (lane >> 2) * 8 + lane % 4 * 2;
      four[i] = static_cast<unsigned>(code) | static_cast<unsigned>(code + 1) << 16;
    }
    // Lane l names row l % 8 of matrix l / 8: eight rows, of which each matrix is one 16-byte part.
    const int row = lane % 8, part = half * 4 + lane / 8;
    fl_store_matrices(box + row * 64 + (part ^ row) * 8, four);
  }
  fl_engine_fence();
  fl_barrier();
  for (int i = lane; i < 512; i += 32) shared[i] = box[i];
  if (lane == 0) {
    fl_store_box(map, 64, 16, box);
    fl_store_commit();
    fl_store_wait<0>();
  }
}
