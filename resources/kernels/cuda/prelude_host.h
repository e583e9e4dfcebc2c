// SPDX-License-Identifier: Apache-2.0
// The primitives of generated kernels on the host, for the SIMT executor (backends/emulator): it takes the place of
// prelude.cuh, and of hip/prelude.h; the kernel's text after it is the same. One thread of a block is one fiber; blocks run one
// after another. What fl_host_… promise stands in backends/emulator/host_interface.cpp. No #include: a kernel compiles in a tenth
// of a second.
extern "C" {
int fl_host_thread();
int fl_host_lanes();
int fl_host_block_size();
long long fl_host_block();
long long fl_host_grid_size();
void fl_host_barrier(int line);
unsigned long long fl_host_shuffle(unsigned long long bits, int kind, int operand, int width, int line);
void* fl_host_shared(const char* name, long long element, long long count, long long alignment, int line);
void* fl_host_dynamic_shared(const char* name, long long element, long long count, long long alignment, long long offset, int line);
unsigned long long fl_host_nanoseconds();
void fl_host_pause();
void fl_host_load(void* to, const void* from, long long bytes, int readonly);
void fl_host_store(void* to, const void* from, long long bytes);
void fl_host_copy_async(void* shared, const void* global, int bytes, int line);
void fl_host_copy_commit();
void fl_host_copy_wait(int newest, int line);
}

#define FL_KERNEL(max_threads) __attribute__((visibility("default")))
#define FL_WAVEFRONT(lanes)
#define FL_RESTRICT __restrict__
#define FL_DEVICE inline __attribute__((always_inline))
// Whole threads share it, each asks for it once: the executor knows its bounds, and who touched which element when.
#define FL_SHARED(type, name, count) \
  auto& name = *static_cast<type(*)[count]>(fl_host_shared(#name, sizeof(type), count, alignof(type), __LINE__))
#define FL_DYNAMIC_SHARED(type, name, count, offset) \
  auto& name = *static_cast<type(*)[count]>(fl_host_dynamic_shared(#name, sizeof(type), count, alignof(type), offset, __LINE__))

FL_DEVICE int fl_thread() {
  return fl_host_thread();
}
FL_DEVICE int fl_block_size() {
  return fl_host_block_size();
}
FL_DEVICE long long fl_block() {
  return fl_host_block();
}
FL_DEVICE long long fl_grid_size() {
  return fl_host_grid_size();
}
FL_DEVICE int fl_lane() {
  return fl_host_thread() % fl_host_lanes();
}
FL_DEVICE int fl_warp() {
  return fl_host_thread() / fl_host_lanes();
}

FL_DEVICE unsigned long long fl_nanoseconds() {
  return fl_host_nanoseconds();
}
FL_DEVICE void fl_pause() {
  fl_host_pause();
}
FL_DEVICE void fl_trap() {
  __builtin_trap();
}

FL_DEVICE void fl_barrier(int line = __builtin_LINE()) {
  fl_host_barrier(line);
}

template <typename T>
FL_DEVICE T fl_host_exchange(T value, int kind, int operand, int width, int line) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most eight bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = fl_host_shuffle(bits, kind, operand, width, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <typename T>
FL_DEVICE T fl_shuffle_xor(T value, int lane_mask, int width = 32, int line = __builtin_LINE()) {
  return fl_host_exchange(value, 0, lane_mask, width, line);
}
template <typename T>
FL_DEVICE T fl_shuffle_down(T value, int delta, int width = 32, int line = __builtin_LINE()) {
  return fl_host_exchange(value, 1, delta, width, line);
}
template <typename T>
FL_DEVICE T fl_shuffle(T value, int lane, int width = 32, int line = __builtin_LINE()) {
  return fl_host_exchange(value, 2, lane, width, line);
}

struct fl_f16 {
  unsigned short bits;
};
struct fl_bf16 {
  unsigned short bits;
};

FL_DEVICE unsigned fl_host_bits(float value) {
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
FL_DEVICE float fl_host_float(unsigned bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

FL_DEVICE float fl_to_f32(fl_bf16 value) {
  return fl_host_float(static_cast<unsigned>(value.bits) << 16);
}
FL_DEVICE float fl_to_f32(fl_f16 value) {
  const unsigned sign = static_cast<unsigned>(value.bits & 0x8000) << 16;
  const unsigned exponent = (value.bits >> 10) & 31;
  const unsigned mantissa = value.bits & 0x3ff;
  if (exponent == 31) return fl_host_float(sign | 0x7f800000 | (mantissa << 13));
  if (exponent != 0) return fl_host_float(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float small = static_cast<float>(mantissa) * 0x1p-24f;  // denormal, exact
  return fl_host_float(sign | fl_host_bits(small));
}
FL_DEVICE float fl_to_f32(float value) {
  return value;
}

FL_DEVICE fl_bf16 fl_from_f32_bf16(float value) {
  const unsigned bits = fl_host_bits(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return {static_cast<unsigned short>((bits >> 16) | 0x40)};
  return {static_cast<unsigned short>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}
FL_DEVICE fl_f16 fl_from_f32_f16(float value) {
  const unsigned bits = fl_host_bits(value);
  const unsigned sign = (bits >> 16) & 0x8000;
  const unsigned size = bits & 0x7fffffff;
  if (size > 0x7f800000) return {static_cast<unsigned short>(sign | 0x7e00)};
  if (size >= 0x477ff000) return {static_cast<unsigned short>(sign | 0x7c00)};  // 65520 and above
  if (size < 0x38800000) {  // below 2^-14: the sum's last bit is 2^-24, the hardware rounds
    const float sum = fl_host_float(size) + 0.5f;
    return {static_cast<unsigned short>(sign | (fl_host_bits(sum) - 0x3f000000))};
  }
  const unsigned rounded = size + 0xfff + ((size >> 13) & 1);
  return {static_cast<unsigned short>(sign | ((rounded - 0x38000000) >> 13))};
}

template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) fl_vec {
  T v[N];
};

// One access for as many bytes as one instruction moves: the address must be a multiple of them.
template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_load(const T* from) {
  fl_vec<T, N> vector;
  fl_host_load(&vector, from, sizeof vector, 0);
  return vector;
}
template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_load_readonly(const T* from) {
  fl_vec<T, N> vector;
  fl_host_load(&vector, from, sizeof vector, 1);
  return vector;
}
template <typename T, int N>
FL_DEVICE void fl_store(T* to, fl_vec<T, N> vector) {
  fl_host_store(to, &vector, sizeof vector);
}
template <typename T, int N>
FL_DEVICE void fl_store_streaming(T* to, fl_vec<T, N> vector) {
  fl_host_store(to, &vector, sizeof vector);
}

template <int bytes>
FL_DEVICE void fl_copy_async(void* shared, const void* global, int line = __builtin_LINE()) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "the device copies 4, 8 or 16 bytes at a time");
  fl_host_copy_async(shared, global, bytes, line);
}
FL_DEVICE void fl_copy_async_commit() {
  fl_host_copy_commit();
}
template <int newest>
FL_DEVICE void fl_copy_async_wait(int line = __builtin_LINE()) {
  fl_host_copy_wait(newest, line);
}

template <typename T>
FL_DEVICE T fl_infinity() {
  return T(__builtin_inf());
}
template <typename T>
FL_DEVICE T fl_nan() {
  return T(__builtin_nan(""));
}
// NaN wins, as ONNX wants.
template <typename T>
FL_DEVICE T fl_max(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
FL_DEVICE T fl_min(T a, T b) {
  return a < b || a != a ? a : b;
}

#define FL_HOST_MATH(name, f32, f64)     \
  FL_DEVICE float fl_##name(float x) {   \
    return f32(x);                       \
  }                                      \
  FL_DEVICE double fl_##name(double x) { \
    return f64(x);                       \
  }
FL_HOST_MATH(exp, __builtin_expf, __builtin_exp)
FL_HOST_MATH(log, __builtin_logf, __builtin_log)
FL_HOST_MATH(tanh, __builtin_tanhf, __builtin_tanh)
FL_HOST_MATH(erf, __builtin_erff, __builtin_erf)
FL_HOST_MATH(sqrt, __builtin_sqrtf, __builtin_sqrt)
FL_HOST_MATH(sin, __builtin_sinf, __builtin_sin)
FL_HOST_MATH(cos, __builtin_cosf, __builtin_cos)
FL_HOST_MATH(tan, __builtin_tanf, __builtin_tan)
FL_HOST_MATH(asin, __builtin_asinf, __builtin_asin)
FL_HOST_MATH(acos, __builtin_acosf, __builtin_acos)
FL_HOST_MATH(atan, __builtin_atanf, __builtin_atan)
FL_HOST_MATH(sinh, __builtin_sinhf, __builtin_sinh)
FL_HOST_MATH(cosh, __builtin_coshf, __builtin_cosh)
FL_HOST_MATH(asinh, __builtin_asinhf, __builtin_asinh)
FL_HOST_MATH(acosh, __builtin_acoshf, __builtin_acosh)
FL_HOST_MATH(atanh, __builtin_atanhf, __builtin_atanh)
FL_HOST_MATH(floor, __builtin_floorf, __builtin_floor)
FL_HOST_MATH(ceil, __builtin_ceilf, __builtin_ceil)
FL_HOST_MATH(round_even, __builtin_rintf, __builtin_rint)
FL_HOST_MATH(abs, __builtin_fabsf, __builtin_fabs)
FL_HOST_MATH(rsqrt, 1.0f / __builtin_sqrtf, 1.0 / __builtin_sqrt)
FL_HOST_MATH(rcp, 1.0f /, 1.0 /)
#undef FL_HOST_MATH
FL_DEVICE float fl_pow(float x, float y) {
  return __builtin_powf(x, y);
}
FL_DEVICE double fl_pow(double x, double y) {
  return __builtin_pow(x, y);
}
FL_DEVICE float fl_rest(float x, float y) {
  return __builtin_fmodf(x, y);
}
FL_DEVICE double fl_rest(double x, double y) {
  return __builtin_fmod(x, y);
}
FL_DEVICE float fl_fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
FL_DEVICE double fl_fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
// End of the prelude.
