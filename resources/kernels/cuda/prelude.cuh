// SPDX-License-Identifier: Apache-2.0
// What generated kernels stand on, for NVRTC and sm_75 or later; includes nothing. prelude_host.h implements the same names for
// the processor: a primitive that is added here is added there.

#define FL_DEVICE __device__ __forceinline__
#define FL_KERNEL(max_threads) __global__ __launch_bounds__(max_threads)
#define FL_RESTRICT __restrict__
#define FL_SHARED(type, name, count) __shared__ __align__(16) type name[count]
// The same in the memory that a launch asks for, `offset` bytes behind its begin: where a block may declare less than it may have.
#define FL_DYNAMIC_SHARED(type, name, count, offset)                  \
  extern __shared__ __align__(16) unsigned char fl_dynamic_memory[]; \
  type* const name = reinterpret_cast<type*>(fl_dynamic_memory + (offset))

// Half precision as it lies in memory.
struct fl_f16 {
  unsigned short bits;
};
struct fl_bf16 {
  unsigned short bits;
};

// --- Where a thread stands ---
FL_DEVICE int fl_thread() {
  return static_cast<int>(threadIdx.x);
}
FL_DEVICE long long fl_block() {
  return blockIdx.x;
}
FL_DEVICE int fl_block_size() {
  return static_cast<int>(blockDim.x);
}
FL_DEVICE long long fl_grid_size() {
  return gridDim.x;
}
FL_DEVICE int fl_lane() {
  return static_cast<int>(threadIdx.x & 31);
}
FL_DEVICE int fl_warp() {
  return static_cast<int>(threadIdx.x >> 5);
}

// --- Time, and an end: for kernels that are made to fail ---
FL_DEVICE unsigned long long fl_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}
// For a millisecond, at most two.
FL_DEVICE void fl_pause() {
  __nanosleep(1000000);
}
FL_DEVICE void fl_trap() {
  __trap();
}

// --- Threads among each other; every lane of a warp calls a shuffle, every thread of a block the barrier ---
FL_DEVICE void fl_barrier() {
  __syncthreads();
}
template <typename T>
FL_DEVICE T fl_shuffle_xor(T value, int lane_mask, int width) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask, width);
}
template <typename T>
FL_DEVICE T fl_shuffle_down(T value, int delta, int width) {
  return __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(delta), width);
}
template <typename T>
FL_DEVICE T fl_shuffle(T value, int lane, int width) {
  return __shfl_sync(0xffffffffu, value, lane, width);
}

// --- Memory; N elements lie aligned to their size together, at most 16 bytes ---
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) fl_vec {
  T v[N];
};

// As many bytes as one instruction moves.
template <int Bytes>
struct fl_word;
template <>
struct fl_word<1> {
  using type = unsigned char;
};
template <>
struct fl_word<2> {
  using type = unsigned short;
};
template <>
struct fl_word<4> {
  using type = unsigned;
};
template <>
struct fl_word<8> {
  using type = uint2;
};
template <>
struct fl_word<16> {
  using type = uint4;
};

// The words that fl_vec<T, N> consists of.
template <typename T, int N>
struct fl_words {
  static constexpr int bytes = sizeof(T) * N;
  static constexpr int size = bytes < 16 ? bytes : 16;
  static constexpr int count = bytes / size;
  using word = typename fl_word<size>::type;
  union value {
    word words[count];
    fl_vec<T, N> vector;
  };
};

template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_load(const T* from) {
  using words = fl_words<T, N>;
  typename words::value value;
#pragma unroll
  for (int i = 0; i < words::count; ++i) value.words[i] = reinterpret_cast<const typename words::word*>(from)[i];
  return value.vector;
}
// From memory that no thread writes while the kernel runs.
template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_load_readonly(const T* from) {
  using words = fl_words<T, N>;
  typename words::value value;
#pragma unroll
  for (int i = 0; i < words::count; ++i) value.words[i] = __ldg(reinterpret_cast<const typename words::word*>(from) + i);
  return value.vector;
}
template <typename T, int N>
FL_DEVICE void fl_store(T* to, fl_vec<T, N> vector) {
  using words = fl_words<T, N>;
  typename words::value value;
  value.vector = vector;
#pragma unroll
  for (int i = 0; i < words::count; ++i) reinterpret_cast<typename words::word*>(to)[i] = value.words[i];
}
// What is stored is not read again soon: it leaves the caches first.
template <typename T, int N>
FL_DEVICE void fl_store_streaming(T* to, fl_vec<T, N> vector) {
  using words = fl_words<T, N>;
  typename words::value value;
  value.vector = vector;
#pragma unroll
  for (int i = 0; i < words::count; ++i) __stcs(reinterpret_cast<typename words::word*>(to) + i, value.words[i]);
}

// Copies 4, 8 or 16 bytes to shared memory; before sm_80 at once. What was copied may be read after fl_copy_async_wait.
template <int Bytes>
FL_DEVICE void fl_copy_async(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes) : "memory");
#else
  using word = typename fl_word<Bytes>::type;
  *static_cast<word*>(shared) = *static_cast<const word*>(global);
#endif
}
FL_DEVICE void fl_copy_async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Until at most Groups of the thread's committed groups are under way.
template <int Groups>
FL_DEVICE void fl_copy_async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

// --- Conversions, to the nearest, ties to even ---
FL_DEVICE float fl_to_f32(fl_f16 x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}
FL_DEVICE float fl_to_f32(fl_bf16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}
FL_DEVICE fl_f16 fl_from_f32_f16(float x) {
  fl_f16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
}
FL_DEVICE fl_bf16 fl_from_f32_bf16(float x) {
  fl_bf16 result;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
#else
  const unsigned bits = __float_as_uint(x);
  const unsigned rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  result.bits = static_cast<unsigned short>(x == x ? rounded : 0x7fffu);
#endif
  return result;
}

// --- Mathematics: nothing is flushed to zero, a NaN stays a NaN ---
template <typename T>
FL_DEVICE T fl_infinity();
template <>
FL_DEVICE float fl_infinity<float>() {
  return __uint_as_float(0x7f800000u);
}
template <>
FL_DEVICE double fl_infinity<double>() {
  return __longlong_as_double(0x7ff0000000000000ll);
}
template <typename T>
FL_DEVICE T fl_nan();
template <>
FL_DEVICE float fl_nan<float>() {
  return __uint_as_float(0x7fc00000u);
}
template <>
FL_DEVICE double fl_nan<double>() {
  return __longlong_as_double(0x7ff8000000000000ll);
}

template <typename T>
FL_DEVICE T fl_max(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
FL_DEVICE T fl_min(T a, T b) {
  return a < b || a != a ? a : b;
}
#if __CUDA_ARCH__ >= 800
// The same in one instruction.
FL_DEVICE float fl_max(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
FL_DEVICE float fl_min(float a, float b) {
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
#endif

#define FL_FUNCTION(name, single_precision, double_precision) \
  FL_DEVICE float fl_##name(float x) {                        \
    return single_precision(x);                               \
  }                                                           \
  FL_DEVICE double fl_##name(double x) {                      \
    return double_precision(x);                               \
  }
FL_FUNCTION(exp, expf, exp)
FL_FUNCTION(log, logf, log)
FL_FUNCTION(tanh, tanhf, tanh)
FL_FUNCTION(erf, erff, erf)
FL_FUNCTION(sqrt, sqrtf, sqrt)
FL_FUNCTION(rsqrt, rsqrtf, rsqrt)
FL_FUNCTION(rcp, 1.0f /, 1.0 /)
FL_FUNCTION(abs, fabsf, fabs)
FL_FUNCTION(sin, sinf, sin)
FL_FUNCTION(cos, cosf, cos)
FL_FUNCTION(tan, tanf, tan)
FL_FUNCTION(asin, asinf, asin)
FL_FUNCTION(acos, acosf, acos)
FL_FUNCTION(atan, atanf, atan)
FL_FUNCTION(sinh, sinhf, sinh)
FL_FUNCTION(cosh, coshf, cosh)
FL_FUNCTION(asinh, asinhf, asinh)
FL_FUNCTION(acosh, acoshf, acosh)
FL_FUNCTION(atanh, atanhf, atanh)
FL_FUNCTION(floor, floorf, floor)
FL_FUNCTION(ceil, ceilf, ceil)
FL_FUNCTION(round_even, rintf, rint)
#undef FL_FUNCTION
FL_DEVICE float fl_pow(float x, float y) {
  return powf(x, y);
}
FL_DEVICE double fl_pow(double x, double y) {
  return pow(x, y);
}
// What is left of x divided by y, with the sign of x.
FL_DEVICE float fl_rest(float x, float y) {
  return fmodf(x, y);
}
FL_DEVICE double fl_rest(double x, double y) {
  return fmod(x, y);
}
FL_DEVICE float fl_fma(float a, float b, float c) {
  return fmaf(a, b, c);
}
FL_DEVICE double fl_fma(double a, double b, double c) {
  return fma(a, b, c);
}
// End of the prelude.
