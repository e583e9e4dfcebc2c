// A convolution of one image with one filter. Each work-item computes a tile of the result; the image has a border.
__kernel void convolution(__global float* restrict output, __global const float* restrict input, __constant float* filter,
                          const int width, const int height) {
  const int stride = width + filter_width - 1;
  const int left = (get_group_id(0) * block_size_x + get_local_id(0)) * tile_size_x;
  const int top = (get_group_id(1) * block_size_y + get_local_id(1)) * tile_size_y;
  float sums[tile_size_y][tile_size_x];
  for (int y = 0; y < tile_size_y; ++y)
    for (int x = 0; x < tile_size_x; ++x) sums[y][x] = 0;
  for (int fy = 0; fy < filter_height; ++fy)
    for (int fx = 0; fx < filter_width; ++fx) {
      const float weight = filter[fy * filter_width + fx];
      for (int y = 0; y < tile_size_y; ++y)
        for (int x = 0; x < tile_size_x; ++x)
          if (top + y < height && left + x < width) sums[y][x] += weight * input[(top + y + fy) * stride + left + x + fx];
    }
  for (int y = 0; y < tile_size_y; ++y)
    for (int x = 0; x < tile_size_x; ++x)
      if (top + y < height && left + x < width) output[(top + y) * width + left + x] = sums[y][x];
}
