// c = a · b. A block computes a tile of c, and a thread tile_y × tile_x of its elements.
__global__ void __launch_bounds__(block_x * block_y) matmul(float* c, const float* a, const float* b) {
  __shared__ float part_a[block_y * tile_y][depth];
  __shared__ float part_b[depth][block_x * tile_x];
  const int thread = threadIdx.y * block_x + threadIdx.x;
  const int top = blockIdx.y * block_y * tile_y, left = blockIdx.x * block_x * tile_x;
  float sums[tile_y][tile_x] = {};
  for (int step = 0; step < k; step += depth) {
    for (int i = thread; i < block_y * tile_y * depth; i += block_x * block_y) {
      const int row = top + i / depth, column = step + i % depth;
      part_a[i / depth][i % depth] = row < m && column < k ? a[row * k + column] : 0;
    }
    for (int i = thread; i < depth * block_x * tile_x; i += block_x * block_y) {
      const int row = step + i / (block_x * tile_x), column = left + i % (block_x * tile_x);
      part_b[i / (block_x * tile_x)][i % (block_x * tile_x)] = row < k && column < n ? b[row * n + column] : 0;
    }
    __syncthreads();
    for (int d = 0; d < depth; ++d)
      for (int y = 0; y < tile_y; ++y)
        for (int x = 0; x < tile_x; ++x) sums[y][x] += part_a[threadIdx.y + y * block_y][d] * part_b[d][threadIdx.x + x * block_x];
    __syncthreads();
  }
  for (int y = 0; y < tile_y; ++y)
    for (int x = 0; x < tile_x; ++x) {
      const int row = top + threadIdx.y + y * block_y, column = left + threadIdx.x + x * block_x;
      if (row < m && column < n) c[row * n + column] = sums[y][x];
    }
}
