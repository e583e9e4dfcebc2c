// SPDX-License-Identifier: Apache-2.0
// Values in registers: one lane is a plain float or double, several are fl_vec. Memory holds them in a type of its own.
template <typename T>
FL_DEVICE T fl_number(T x) {
  return x;
}
FL_DEVICE float fl_number(fl_f16 x) {
  return fl_to_f32(x);
}
FL_DEVICE float fl_number(fl_bf16 x) {
  return fl_to_f32(x);
}
template <typename T>
struct fl_stored {
  template <typename C>
  static FL_DEVICE T from(C x) {
    return static_cast<T>(x);
  }
};
template <>
struct fl_stored<fl_f16> {
  static FL_DEVICE fl_f16 from(float x) { return fl_from_f32_f16(x); }
};
template <>
struct fl_stored<fl_bf16> {
  static FL_DEVICE fl_bf16 from(float x) { return fl_from_f32_bf16(x); }
};

template <typename C, int N, typename T>
FL_DEVICE auto fl_read(const T* from) {
  if constexpr (N == 1) {
    return static_cast<C>(fl_number(*from));
  } else {
    const fl_vec<T, N> stored = fl_load<T, N>(from);
    fl_vec<C, N> result;
#pragma unroll
    for (int i = 0; i < N; ++i) result.v[i] = static_cast<C>(fl_number(stored.v[i]));
    return result;
  }
}
// One element after the other, at any address.
template <typename C, int N, typename T>
FL_DEVICE fl_vec<C, N> fl_read_each(const T* from) {
  fl_vec<C, N> result;
#pragma unroll
  for (int i = 0; i < N; ++i) result.v[i] = static_cast<C>(fl_number(from[i]));
  return result;
}
template <typename T, typename C, int N>
FL_DEVICE fl_vec<T, N> fl_to_storage(fl_vec<C, N> x) {
  fl_vec<T, N> result;
#pragma unroll
  for (int i = 0; i < N; ++i) result.v[i] = fl_stored<T>::from(x.v[i]);
  return result;
}
template <typename T, typename C>
FL_DEVICE void fl_write(T* to, C x) {
  *to = fl_stored<T>::from(x);
}
template <typename T, typename C, int N>
FL_DEVICE void fl_write(T* to, fl_vec<C, N> x) {
  fl_store<T, N>(to, fl_to_storage<T>(x));
}
template <typename T, typename C>
FL_DEVICE void fl_write_streaming(T* to, C x) {
  fl_vec<T, 1> stored;
  stored.v[0] = fl_stored<T>::from(x);
  fl_store_streaming<T, 1>(to, stored);
}
template <typename T, typename C, int N>
FL_DEVICE void fl_write_streaming(T* to, fl_vec<C, N> x) {
  fl_store_streaming<T, N>(to, fl_to_storage<T>(x));
}

template <int N, typename C>
FL_DEVICE fl_vec<C, N> fl_spread(C x) {
  fl_vec<C, N> result;
#pragma unroll
  for (int i = 0; i < N; ++i) result.v[i] = x;
  return result;
}

// A constant beside a vector stands in every lane.
#define FL_OPERATOR(op)                                                  \
  template <typename C, int N>                                           \
  FL_DEVICE fl_vec<C, N> operator op(fl_vec<C, N> a, fl_vec<C, N> b) {   \
    _Pragma("unroll") for (int i = 0; i < N; ++i) a.v[i] = a.v[i] op b.v[i]; \
    return a;                                                            \
  }                                                                      \
  template <typename C, int N>                                           \
  FL_DEVICE fl_vec<C, N> operator op(fl_vec<C, N> a, C b) {              \
    return a op fl_spread<N>(b);                                         \
  }                                                                      \
  template <typename C, int N>                                           \
  FL_DEVICE fl_vec<C, N> operator op(C a, fl_vec<C, N> b) {              \
    return fl_spread<N>(a) op b;                                         \
  }
FL_OPERATOR(+)
FL_OPERATOR(-)
FL_OPERATOR(*)
FL_OPERATOR(/)
#undef FL_OPERATOR

template <typename C>
FL_DEVICE C fl_neg(C x) {
  return -x;
}
template <typename C>
FL_DEVICE C fl_relu(C x) {
  return x < C(0) ? C(0) : x;
}
template <typename C>
FL_DEVICE C fl_leaky_relu(C x, C alpha) {
  return x < C(0) ? x * alpha : x;
}
template <typename C>
FL_DEVICE C fl_where(C condition, C a, C b) {
  return condition != C(0) ? a : b;
}
// e^-|x| never overflows and keeps small results exact.
template <typename C>
FL_DEVICE C fl_sigmoid(C x) {
  const C e = fl_exp(-fl_abs(x));
  return (x < C(0) ? e : C(1)) / (C(1) + e);
}
template <typename C>
FL_DEVICE C fl_gelu(C x) {
  return x * (C(0.5) + C(0.5) * fl_erf(x * C(0.70710678118654752)));
}
// The tanh form of GELU, 0.5·x·(1 + tanh u), written as x·sigmoid(2u): the same value without the cancellation.
template <typename C>
FL_DEVICE C fl_gelu_tanh(C x) {
  return x * fl_sigmoid(C(1.5957691216057308) * (x + C(0.044715) * x * x * x));
}

// The same for every lane. The names differ from the prelude's, which would be hidden where a text is put into a namespace.
#define FL_EACH_LANE(function)                                                  \
  template <typename C, int N>                                                  \
  FL_DEVICE fl_vec<C, N> function##_lanes(fl_vec<C, N> x) {                             \
    _Pragma("unroll") for (int i = 0; i < N; ++i) x.v[i] = function(x.v[i]);    \
    return x;                                                                   \
  }
FL_EACH_LANE(fl_neg)
FL_EACH_LANE(fl_abs)
FL_EACH_LANE(fl_exp)
FL_EACH_LANE(fl_log)
FL_EACH_LANE(fl_sqrt)
FL_EACH_LANE(fl_erf)
FL_EACH_LANE(fl_tanh)
FL_EACH_LANE(fl_relu)
FL_EACH_LANE(fl_sigmoid)
FL_EACH_LANE(fl_gelu)
FL_EACH_LANE(fl_gelu_tanh)
#undef FL_EACH_LANE
#define FL_EACH_PAIR(function)                                                           \
  template <typename C, int N>                                                           \
  FL_DEVICE fl_vec<C, N> function##_lanes(fl_vec<C, N> a, fl_vec<C, N> b) {                      \
    _Pragma("unroll") for (int i = 0; i < N; ++i) a.v[i] = function(a.v[i], b.v[i]);     \
    return a;                                                                            \
  }
FL_EACH_PAIR(fl_max)
FL_EACH_PAIR(fl_min)
FL_EACH_PAIR(fl_pow)
FL_EACH_PAIR(fl_leaky_relu)
#undef FL_EACH_PAIR
template <typename C, int N>
FL_DEVICE fl_vec<C, N> fl_where_lanes(fl_vec<C, N> condition, fl_vec<C, N> a, fl_vec<C, N> b) {
#pragma unroll
  for (int i = 0; i < N; ++i) a.v[i] = fl_where(condition.v[i], a.v[i], b.v[i]);
  return a;
}

// From the lanes of one register to one.
template <typename C, int N>
FL_DEVICE C fl_sum_lanes(fl_vec<C, N> x) {
  if constexpr (N == 2) {
    return x.v[0] + x.v[1];
  } else {
    fl_vec<C, N / 2> half;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) half.v[i] = x.v[i] + x.v[i + N / 2];
    return fl_sum_lanes(half);
  }
}
template <typename C, int N>
FL_DEVICE C fl_largest_lanes(fl_vec<C, N> x) {
  C result = x.v[0];
#pragma unroll
  for (int i = 1; i < N; ++i) result = fl_max(result, x.v[i]);
  return result;
}

