// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/ceiling_kernels.h"

namespace fuselab::cuda {
namespace {

// A store that tells the caches to keep something else.
constexpr const char* kStreamPreamble = R"(
__device__ __forceinline__ void store_plain(float4* to, float4 v) { *to = v; }
__device__ __forceinline__ void store_evict(float4* to, float4 v) {
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
__device__ __forceinline__ float4 sum(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
)";

std::string parameters(int reads, int writes) {
  std::string text;
  for (int i = 0; i < reads; ++i) text += "const float4* __restrict__ r" + std::to_string(i) + ", ";
  for (int i = 0; i < writes; ++i) text += "float4* __restrict__ w" + std::to_string(i) + ", ";
  return text + "float* sink, long long count";
}

// Element `at` of every stream into v; what is written depends on all that was read.
std::string load(int reads, const std::string& at) {
  if (reads == 0) return "make_float4(1.0f, 2.0f, 3.0f, 4.0f)";
  std::string text = "r0[" + at + "]";
  for (int i = 1; i < reads; ++i) text = "sum(" + text + ", r" + std::to_string(i) + "[" + at + "])";
  return text;
}

std::string stream_kernel(const StreamProbe& probe, int reads, int writes) {
  std::string const unroll = std::to_string(probe.unroll);
  std::string text =
      "extern \"C\" __global__ __launch_bounds__(1024) void " + probe.name() + "(" + parameters(reads, writes) + ") {\n";
  text += "  const long long stride = (long long)gridDim.x * blockDim.x * " + unroll + ";\n";
  text += "  float4 kept = make_float4(0.0f, 0.0f, 0.0f, 0.0f);\n";
  text += "  for (long long base = (long long)blockIdx.x * blockDim.x * " + unroll +
          " + threadIdx.x; base < count; base += stride) {\n";
  text += "    float4 v[" + unroll + "];\n#pragma unroll\n";
  text += "    for (int u = 0; u < " + unroll + "; ++u) {\n      const long long i = base + (long long)u * blockDim.x;\n";
  text += "      v[u] = i < count ? " + load(reads, "i") + " : kept;\n    }\n#pragma unroll\n";
  text += "    for (int u = 0; u < " + unroll + "; ++u) {\n      const long long i = base + (long long)u * blockDim.x;\n";
  for (int i = 0; i < writes; ++i) {
    text += std::string("      if (i < count) store_") + (probe.evict_first ? "evict" : "plain") + "(w" + std::to_string(i) +
            " + i, v[u]);\n";
  }
  if (writes == 0) text += "      kept = sum(kept, v[u]);\n";
  text += "    }\n  }\n";
  // Never true for what the arrays hold, and the compiler cannot know.
  text += "  if (kept.x + kept.y + kept.z + kept.w == 1.2345e30f) *sink = kept.x;\n}\n";
  return text;
}

std::string rate_kernel(const std::string& name, const std::string& type) {
  std::string const chains = std::to_string(kRateChains);
  return "extern \"C\" __global__ __launch_bounds__(256) void " + name + "(" + type + "* sink) {\n  " + type + " a[" + chains +
         "];\n" + "  const " + type + " m = (" + type + ")0.999, c = (" + type + ")threadIdx.x;\n#pragma unroll\n" +
         "  for (int i = 0; i < " + chains + "; ++i) a[i] = (" + type + ")i;\n#pragma unroll 4\n" +
         "  for (int round = 0; round < " + std::to_string(kRateRounds) + "; ++round) {\n#pragma unroll\n    for (int i = 0; i < " +
         chains + "; ++i) a[i] = a[i] * m + c;\n  }\n" + "  " + type + " s = 0;\n#pragma unroll\n  for (int i = 0; i < " + chains +
         "; ++i) s += a[i];\n  if (s == (" + type + ")-1.5) *sink = s;\n}\n";
}

}  // namespace

std::string StreamProbe::name() const {
  return std::string("stream_") + (evict_first ? "evict_" : "plain_") + std::to_string(unroll);
}

std::string stream_probe_text(int reads, int writes) {
  std::string text = kStreamPreamble;
  for (const StreamProbe& probe : kStreamProbes) text += stream_kernel(probe, reads, writes);
  return text;
}

std::string rate_probe_text() {
  return rate_kernel("rate_f32", "float") + rate_kernel("rate_f64", "double") + "extern \"C\" __global__ void nothing() {}\n";
}

}  // namespace fuselab::cuda
