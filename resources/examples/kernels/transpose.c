// The transpose of a strip of rows, tile by tile; through a buffer, so that the tile's rows are written whole.
static long least(long a, long b) { return a < b ? a : b; }

void transpose(const float* restrict input, float* restrict result, float* restrict buffer, long task) {
  const long first = task * tile_rows, last = least(first + tile_rows, rows);
  for (long from = 0; from < cols; from += tile_cols) {
    const long to = least(from + tile_cols, cols);
#if buffered
    for (long y = first; y < last; ++y)
      for (long x = from; x < to; ++x) buffer[(x - from) * tile_rows + (y - first)] = input[y * cols + x];
    for (long x = from; x < to; ++x)
      for (long y = first; y < last; ++y) result[x * rows + y] = buffer[(x - from) * tile_rows + (y - first)];
#else
    (void)buffer;
    for (long x = from; x < to; ++x)
      for (long y = first; y < last; ++y) result[x * rows + y] = input[y * cols + x];
#endif
  }
}
