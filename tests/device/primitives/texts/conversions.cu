// Numbers to the formats that products take.
extern "C" FL_KERNEL(128) void primitive(const float* FL_RESTRICT x, int* FL_RESTRICT y) {
  const int i = fl_thread();
  y[2 * i] = static_cast<int>(fl_pack_bf16(x[i], -x[i]));
  y[2 * i + 1] = static_cast<int>(fl_round_tf32(x[i]));
}
