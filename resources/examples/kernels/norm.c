// Two kernels in one text. Each sees the macros of its own parameters alone.
#include <math.h>

#ifdef lanes
void sums(const float* image, float* mean, float* partial, long task) {
  const float* const row = image + task * cols;
  for (int lane = 0; lane < lanes; ++lane) partial[lane] = 0;
  for (long at = 0; at < cols; at += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      if (at + lane < cols) partial[lane] += row[at + lane] * row[at + lane];
  float all = 0;
  for (int lane = 0; lane < lanes; ++lane) all += partial[lane];
  mean[task] = all / cols;
}
#endif

#ifdef divides
void scale(float* image, const float* mean, long task) {
  float* const row = image + task * cols;
  const float root = sqrtf(mean[task]), factor = 1 / root;
  for (long at = 0; at < cols; ++at) row[at] = divides ? row[at] / root : row[at] * factor;
}
#endif
