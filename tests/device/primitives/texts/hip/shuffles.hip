// What each lane gets of the others', over the whole wavefront and over its parts: kLanes stands before this text.
extern "C" FL_KERNEL(KLANES) FL_WAVEFRONT(KLANES) void primitive(const float* FL_RESTRICT x, float* FL_RESTRICT y) {
  const int lane = fl_lane();
  const float own = x[lane];
  int place = 0;
#pragma unroll
  for (int mask = 1; mask < KLANES; mask *= 2) y[place++ * KLANES + lane] = fl_shuffle_xor(own, mask, KLANES);
#pragma unroll
  for (int width = 16; width <= KLANES; width *= 2) {
    y[place++ * KLANES + lane] = fl_shuffle_down(own, width / 2 - 1, width);
    y[place++ * KLANES + lane] = fl_shuffle(own, 5, width);
  }
}
