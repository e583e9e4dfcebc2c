// A control without matrix units or shuffles: when this fails, no other result says anything of a layout.
extern "C" FL_KERNEL(128) void primitive(const float* FL_RESTRICT a, const float* FL_RESTRICT b, float* FL_RESTRICT y) {
  const int i = static_cast<int>(fl_block()) * 128 + fl_thread();
  y[i] = a[i] + b[i];
}
