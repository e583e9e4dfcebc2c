// SPDX-License-Identifier: Apache-2.0
// What generated kernels for AMD's GPUs stand on, for clang -x hip; includes nothing. Functions come from AMD's device library
// (ocml). cuda/prelude_host.h implements the same names for the processor: a primitive that is added here is added there.

#define FL_DEVICE __attribute__((device, always_inline)) inline
#define FL_KERNEL(max_threads, ...) __attribute__((global, amdgpu_flat_work_group_size(max_threads, max_threads)))
// Lanes that its text counts on, for the executor.
#define FL_WAVEFRONT(lanes)
#define FL_RESTRICT __restrict__
#define FL_SHARED(type, name, count) static __attribute__((shared, aligned(16))) type name[count]
// The same in the memory that a launch asks for, `offset` bytes behind its begin.
#define FL_DYNAMIC_SHARED(type, name, count, offset)                             \
  extern __attribute__((shared, aligned(16))) unsigned char fl_dynamic_memory[]; \
  type* const name = reinterpret_cast<type*>(fl_dynamic_memory + (offset))
#if defined(__GFX9__)
#define FL_LANES 64
#else
#define FL_LANES 32
#endif

// Half precision as it lies in memory.
struct fl_f16 {
  unsigned short bits;
};
struct fl_bf16 {
  unsigned short bits;
};

// --- Where a thread stands ---
FL_DEVICE int fl_thread() {
  return static_cast<int>(__builtin_amdgcn_workitem_id_x());
}
FL_DEVICE long long fl_block() {
  return __builtin_amdgcn_workgroup_id_x();
}
FL_DEVICE int fl_block_size() {
  return static_cast<int>(__builtin_amdgcn_workgroup_size_x());
}
FL_DEVICE long long fl_grid_size() {
  return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x();
}
FL_DEVICE int fl_lane() {
  return fl_thread() % FL_LANES;
}
// The wavefront, by what all its lanes know to be the same.
FL_DEVICE int fl_warp() {
  return __builtin_amdgcn_readfirstlane(fl_thread() / FL_LANES);
}

// --- Time, and an end: for kernels that are made to fail ---
FL_DEVICE unsigned long long fl_nanoseconds() {
#if __has_builtin(__builtin_readsteadycounter)
  return __builtin_readsteadycounter() * 10;  // 100 MHz
#else
  return __builtin_readcyclecounter();  // of about a gigahertz
#endif
}
// For about half a millisecond.
FL_DEVICE void fl_pause() {
  for (int i = 0; i < 64; ++i) __builtin_amdgcn_s_sleep(127);
}
FL_DEVICE void fl_trap() {
  __builtin_trap();
}

// --- Threads among each other; every lane of a wavefront calls a shuffle, every thread of a block the barrier ---
FL_DEVICE void fl_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
template <typename T>
FL_DEVICE T fl_from_lane(T value, int lane) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  int words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof value);
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = __builtin_amdgcn_ds_bpermute(lane * 4, words[i]);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
template <typename T>
FL_DEVICE T fl_shuffle_xor(T value, int lane_mask, int) {
  return fl_from_lane(value, fl_lane() ^ lane_mask);
}
template <typename T>
FL_DEVICE T fl_shuffle_down(T value, int delta, int width) {
  const int lane = fl_lane();
  return fl_from_lane(value, lane % width + delta < width ? lane + delta : lane);
}
template <typename T>
FL_DEVICE T fl_shuffle(T value, int lane, int width) {
  return fl_from_lane(value, fl_lane() / width * width + lane % width);
}

// --- Memory; N elements lie aligned to their size together, at most 16 bytes ---
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) fl_vec {
  T v[N];
};
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
  using type = unsigned __attribute__((ext_vector_type(2)));
};
template <>
struct fl_word<16> {
  using type = unsigned __attribute__((ext_vector_type(4)));
};
// The words that fl_vec<T, N> consists of, each moved by one instruction.
template <typename T, int N>
struct fl_words {
  static constexpr int bytes = sizeof(T) * N;
  static constexpr int size = bytes < 16 ? bytes : 16;
  static constexpr int count = bytes / size;
  using word = typename fl_word<size>::type;
};

template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_load(const T* from) {
  using words = fl_words<T, N>;
  fl_vec<T, N> vector;
#pragma unroll
  for (int i = 0; i < words::count; ++i) {
    const typename words::word word = reinterpret_cast<const typename words::word*>(from)[i];
    __builtin_memcpy(reinterpret_cast<unsigned char*>(&vector) + i * words::size, &word, words::size);
  }
  return vector;
}
template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_load_readonly(const T* from) {
  return fl_load<T, N>(from);
}
template <typename T, int N>
FL_DEVICE void fl_store(T* to, fl_vec<T, N> vector) {
  using words = fl_words<T, N>;
#pragma unroll
  for (int i = 0; i < words::count; ++i) {
    typename words::word word;
    __builtin_memcpy(&word, reinterpret_cast<const unsigned char*>(&vector) + i * words::size, words::size);
    reinterpret_cast<typename words::word*>(to)[i] = word;
  }
}
// What is stored is not read again soon: it leaves the caches first.
template <typename T, int N>
FL_DEVICE void fl_store_streaming(T* to, fl_vec<T, N> vector) {
  using words = fl_words<T, N>;
#pragma unroll
  for (int i = 0; i < words::count; ++i) {
    typename words::word word;
    __builtin_memcpy(&word, reinterpret_cast<const unsigned char*>(&vector) + i * words::size, words::size);
    __builtin_nontemporal_store(word, reinterpret_cast<typename words::word*>(to) + i);
  }
}

// Copies 4, 8 or 16 bytes to shared memory, at once and through registers. What was copied may be read after fl_copy_async_wait.
template <int Bytes>
FL_DEVICE void fl_copy_async(void* shared, const void* global) {
  using word = typename fl_word<Bytes>::type;
  *static_cast<word*>(shared) = *static_cast<const word*>(global);
}
FL_DEVICE void fl_copy_async_commit() {}
template <int Groups>
FL_DEVICE void fl_copy_async_wait() {}

// --- Conversions, to the nearest, ties to even ---
FL_DEVICE float fl_to_f32(fl_f16 x) {
  return static_cast<float>(__builtin_bit_cast(_Float16, x.bits));
}
FL_DEVICE float fl_to_f32(fl_bf16 x) {
  return __builtin_bit_cast(float, static_cast<unsigned>(x.bits) << 16);
}
FL_DEVICE fl_f16 fl_from_f32_f16(float x) {
  return {__builtin_bit_cast(unsigned short, static_cast<_Float16>(x))};
}
FL_DEVICE fl_bf16 fl_from_f32_bf16(float x) {
#if defined(__gfx950__)
  return {__builtin_bit_cast(unsigned short, static_cast<__bf16>(x))};
#else
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  const unsigned rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return {static_cast<unsigned short>(x == x ? rounded : 0x7fffu)};
#endif
}

// --- Mathematics: nothing is flushed to zero, a NaN stays a NaN ---
template <typename T>
FL_DEVICE T fl_infinity() {
  return static_cast<T>(__builtin_huge_val());
}
template <typename T>
FL_DEVICE T fl_nan() {
  return static_cast<T>(__builtin_nan(""));
}
template <typename T>
FL_DEVICE T fl_max(T a, T b) {
  return a > b || a != a ? a : b;
}
template <typename T>
FL_DEVICE T fl_min(T a, T b) {
  return a < b || a != a ? a : b;
}

#define FL_FUNCTION(name, single_precision, double_precision) \
  FL_DEVICE float fl_##name(float x) {                        \
    return single_precision(x);                               \
  }                                                           \
  FL_DEVICE double fl_##name(double x) {                      \
    return double_precision(x);                               \
  }
#define FL_OF_LIBRARY(name)                                              \
  extern "C" __attribute__((device)) float __ocml_##name##_f32(float);   \
  extern "C" __attribute__((device)) double __ocml_##name##_f64(double); \
  FL_FUNCTION(name, __ocml_##name##_f32, __ocml_##name##_f64)
FL_OF_LIBRARY(exp)
FL_OF_LIBRARY(log)
FL_OF_LIBRARY(tanh)
FL_OF_LIBRARY(erf)
FL_OF_LIBRARY(rsqrt)
FL_OF_LIBRARY(sin)
FL_OF_LIBRARY(cos)
FL_OF_LIBRARY(tan)
FL_OF_LIBRARY(asin)
FL_OF_LIBRARY(acos)
FL_OF_LIBRARY(atan)
FL_OF_LIBRARY(sinh)
FL_OF_LIBRARY(cosh)
FL_OF_LIBRARY(asinh)
FL_OF_LIBRARY(acosh)
FL_OF_LIBRARY(atanh)
#undef FL_OF_LIBRARY
FL_FUNCTION(sqrt, __builtin_sqrtf, __builtin_sqrt)
FL_FUNCTION(rcp, 1.0f /, 1.0 /)
FL_FUNCTION(abs, __builtin_fabsf, __builtin_fabs)
FL_FUNCTION(floor, __builtin_floorf, __builtin_floor)
FL_FUNCTION(ceil, __builtin_ceilf, __builtin_ceil)
FL_FUNCTION(round_even, __builtin_rintf, __builtin_rint)
#undef FL_FUNCTION
#define FL_FUNCTION(name, of_library)                                                  \
  extern "C" __attribute__((device)) float __ocml_##of_library##_f32(float, float);    \
  extern "C" __attribute__((device)) double __ocml_##of_library##_f64(double, double); \
  FL_DEVICE float fl_##name(float x, float y) {                                        \
    return __ocml_##of_library##_f32(x, y);                                            \
  }                                                                                    \
  FL_DEVICE double fl_##name(double x, double y) {                                     \
    return __ocml_##of_library##_f64(x, y);                                            \
  }
FL_FUNCTION(pow, pow)
FL_FUNCTION(rest, fmod)  // what is left of x divided by y, with the sign of x
#undef FL_FUNCTION
FL_DEVICE float fl_fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
FL_DEVICE double fl_fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
// End of the prelude.
