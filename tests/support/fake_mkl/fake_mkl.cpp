// SPDX-License-Identifier: Apache-2.0
// A stand-in for MKL: version, threading layer, products and vector functions, computed plainly. A product over a depth of 13
// crashes, one over 17 never ends; code is written for products of an edge of 6 alone.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kTransposed = 112;
[[maybe_unused]] constexpr int kPacked = 151;  // what lacks packed products does not meet it
// A packed matrix begins with this number; behind it the plain one lies, times alpha, row-major.
constexpr float kMark = 4711;

struct Version {
  int major, minor, update;
  const char *product_status, *build, *processor, *platform;
};

void multiply(bool trans_a, bool trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb,
              float beta, float* c, int ldc) {
  if (k == 13) std::raise(SIGSEGV);
  while (k == 17) ::pause();
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int x = 0; x < k; ++x) sum += double{a[trans_a ? x * lda + i : i * lda + x]} * b[trans_b ? j * ldb + x : x * ldb + j];
      float& to = c[i * ldc + j];
      to = static_cast<float>(alpha * sum + (beta == 0 ? 0.0 : double{beta} * to));
    }
  }
}

struct Jitter {
  bool trans_a, trans_b;
  int m, n, k, lda, ldb, ldc;
  float alpha;
};

void jitted(void* jitter, float* a, float* b, float* c) {
  const auto& j = *static_cast<const Jitter*>(jitter);
  multiply(j.trans_a, j.trans_b, j.m, j.n, j.k, j.alpha, a, j.lda, b, j.ldb, 0, c, j.ldc);
}

}  // namespace

EXPORT void MKL_Get_Version(Version* version) {
  *version = {FAKE_MAJOR, 0, 1, "Fake", "20260101", "any", "any"};
}
EXPORT int MKL_Set_Threading_Layer(int layer) {
#ifdef FAKE_STUBBORN
  return layer + 1;
#else
  return layer;
#endif
}
EXPORT void MKL_Set_Num_Threads(int) {}
EXPORT void MKL_Set_Dynamic(int) {}

EXPORT void cblas_sgemm(int, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                        int ldb, float beta, float* c, int ldc) {
  multiply(trans_a == kTransposed, trans_b == kTransposed, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
EXPORT void cblas_gemm_bf16bf16f32(int, int trans_a, int trans_b, int m, int n, int k, float alpha, const std::uint16_t* a, int lda,
                                   const std::uint16_t* b, int ldb, float beta, float* c, int ldc) {
  const auto widened = [](const std::uint16_t* from, int count) {
    std::vector<float> to;
    for (int i = 0; i < count; ++i) to.push_back(std::bit_cast<float>(std::uint32_t{from[i]} << 16));
    return to;
  };
  const bool turns_a = trans_a == kTransposed, turns_b = trans_b == kTransposed;
  const auto wide_a = widened(a, lda * (turns_a ? k : m)), wide_b = widened(b, ldb * (turns_b ? n : k));
  multiply(turns_a, turns_b, m, n, k, alpha, wide_a.data(), lda, wide_b.data(), ldb, beta, c, ldc);
}
// Where an environment variable says so, no sum is larger than 16 bits hold, as on processors without VNNI.
EXPORT void cblas_gemm_s8u8s32(int, int, int, int, int m, int n, int k, float, const void* a, int lda, std::int8_t to_a,
                               const void* b, int ldb, std::int8_t to_b, float, std::int32_t* c, int ldc,
                               const std::int32_t* offsets) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      std::int32_t sum = offsets[j];
      for (int x = 0; x < k; ++x) {
        sum += (static_cast<const std::uint8_t*>(a)[i * lda + x] + to_a) * (static_cast<const std::int8_t*>(b)[x * ldb + j] + to_b);
      }
      c[i * ldc + j] = std::getenv("FAKE_MKL_SATURATES") != nullptr ? std::min(sum, 32767) : sum;
    }
  }
}
EXPORT void cblas_sgemm_batch_strided(int, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                                      int stride_a, const float* b, int ldb, int stride_b, float beta, float* c, int ldc,
                                      int stride_c, int count) {
  for (int i = 0; i < count; ++i) {
    multiply(trans_a == kTransposed, trans_b == kTransposed, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb, beta,
             c + i * stride_c, ldc);
  }
}
EXPORT std::size_t cblas_sgemm_pack_get_size(int, int, int n, int k) {
  return (static_cast<std::size_t>(n) * static_cast<std::size_t>(k) + 1) * sizeof(float);
}
EXPORT void cblas_sgemm_pack(int, int, int trans, int, int n, int k, float alpha, const float* source, int ld, float* packed) {
  packed[0] = kMark;
  for (int x = 0; x < k; ++x) {
    for (int j = 0; j < n; ++j) packed[1 + x * n + j] = alpha * source[trans == kTransposed ? j * ld + x : x * ld + j];
  }
}
#ifndef FAKE_PARTIAL
EXPORT void cblas_sgemm_compute(int, int trans_a, int trans_b, int m, int n, int k, const float* a, int lda, const float* b, int,
                                float beta, float* c, int ldc) {
  if (trans_b != kPacked || b[0] != kMark) std::raise(SIGABRT);
  multiply(trans_a == kTransposed, false, m, n, k, 1, a, lda, b + 1, n, beta, c, ldc);
}
#endif
EXPORT int mkl_cblas_jit_create_sgemm(void** jitter, int, int trans_a, int trans_b, int m, int n, int k, float alpha, int lda,
                                      int ldb, float, int ldc) {
  *jitter = new Jitter{trans_a == kTransposed, trans_b == kTransposed, m, n, k, lda, ldb, ldc, alpha};
  return m == 6 && n == 6 && k == 6 ? 0 : 1;
}
EXPORT void* mkl_jit_get_sgemm_ptr(const void*) {
  void* address = nullptr;
  void (*function)(void*, float*, float*, float*) = jitted;
  std::memcpy(&address, &function, sizeof address);
  return address;
}
EXPORT int mkl_jit_destroy(void* jitter) {
  delete static_cast<Jitter*>(jitter);
  return 0;
}

#define UNARY(name, value)                                               \
  EXPORT void vms##name(int n, const float* a, float* y, std::int64_t) { \
    for (int i = 0; i < n; ++i) {                                        \
      const double x = a[i];                                             \
      y[i] = static_cast<float>(value);                                  \
    }                                                                    \
  }
#define BINARY(name, value)                                                              \
  EXPORT void vms##name(int n, const float* a, const float* b, float* y, std::int64_t) { \
    for (int i = 0; i < n; ++i) {                                                        \
      const double x = a[i], z = b[i];                                                   \
      y[i] = static_cast<float>(value);                                                  \
    }                                                                                    \
  }
UNARY(Abs, std::fabs(x))
UNARY(Acos, std::acos(x))
UNARY(Acosh, std::acosh(x))
UNARY(Asin, std::asin(x))
UNARY(Asinh, std::asinh(x))
UNARY(Atan, std::atan(x))
UNARY(Atanh, std::atanh(x))
UNARY(CdfNorm, 0.5 * std::erfc(-x * 0.70710678118654752440))
UNARY(Ceil, std::ceil(x))
UNARY(Cos, std::cos(x))
UNARY(Cosh, std::cosh(x))
UNARY(Erf, std::erf(x))
UNARY(Exp, std::exp(x))
UNARY(Floor, std::floor(x))
UNARY(Inv, 1 / x)
UNARY(Ln, std::log(x))
UNARY(NearbyInt, std::nearbyint(x))
UNARY(Sin, std::sin(x))
UNARY(Sinh, std::sinh(x))
UNARY(Sqrt, std::sqrt(x))
UNARY(Tan, std::tan(x))
UNARY(Tanh, std::tanh(x))
BINARY(Add, x + z)
BINARY(Div, x / z)
BINARY(Fmax, std::fmax(x, z))
BINARY(Fmin, std::fmin(x, z))
BINARY(Fmod, std::fmod(x, z))
BINARY(Mul, (x * z))
BINARY(Pow, std::pow(x, z))
BINARY(Sub, x - z)
