// The mean of an element's four neighbours. The image has a border of one element around the result.
#define PRAGMA(text) _Pragma(#text)
#define UNROLL(n) PRAGMA(GCC unroll n)

void stencil(const float* restrict image, float* restrict result, long task) {
  const long stride = width + 2;
  const long first = task * rows;
  const long last = first + rows < height ? first + rows : height;
  for (long from = 0; from < width; from += columns) {
    const long to = from + columns < width ? from + columns : width;
    for (long y = first; y < last; ++y) {
      const float* const middle = image + (y + 1) * stride + 1;
      UNROLL(unrolled)
      for (long x = from; x < to; ++x)
        result[y * width + x] = 0.25f * (middle[x - stride] + middle[x + stride] + middle[x - 1] + middle[x + 1]);
    }
  }
}
