// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/ceiling_kernels.h"

namespace fuselab::gpu::stream {
namespace {

constexpr const char* kStreamPreamble = R"(
using four = fl_vec<float, 4>;
FL_DEVICE four sum(four a, four b) {
  return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
}
)";

std::string parameters(int reads, int writes) {
  std::string text;
  for (int i = 0; i < reads; ++i) text += "const float* FL_RESTRICT r" + std::to_string(i) + ", ";
  for (int i = 0; i < writes; ++i) text += "float* FL_RESTRICT w" + std::to_string(i) + ", ";
  return text + "float* sink, long long count";
}

// Element `at` of every stream into v; what is written depends on all that was read.
std::string load(int reads, const std::string& at) {
  if (reads == 0) return "four{{1.0f, 2.0f, 3.0f, 4.0f}}";
  const auto one = [&](int i) { return "fl_load<float, 4>(r" + std::to_string(i) + " + 4 * " + at + ")"; };
  std::string text = one(0);
  for (int i = 1; i < reads; ++i) text.insert(0, "sum(").append(", ").append(one(i)).append(")");
  return text;
}

std::string stream_kernel(const StreamProbe& probe, int reads, int writes) {
  const std::string unroll = std::to_string(probe.unroll);
  std::string text = "extern \"C\" FL_KERNEL(1024) void " + probe.name() + "(" + parameters(reads, writes) + ") {\n";
  text += "  const long long stride = fl_grid_size() * fl_block_size() * " + unroll + ";\n";
  text += "  four kept = {{0.0f, 0.0f, 0.0f, 0.0f}};\n";
  text += "  for (long long base = fl_block() * fl_block_size() * " + unroll + " + fl_thread(); base < count; base += stride) {\n";
  text += "    four v[" + unroll + "];\n#pragma unroll\n";
  text += "    for (int u = 0; u < " + unroll + "; ++u) {\n      const long long i = base + (long long)u * fl_block_size();\n";
  text += "      v[u] = i < count ? " + load(reads, "i") + " : four{{0.0f, 0.0f, 0.0f, 0.0f}};\n    }\n#pragma unroll\n";
  text += "    for (int u = 0; u < " + unroll + "; ++u) {\n      const long long i = base + (long long)u * fl_block_size();\n";
  for (int i = 0; i < writes; ++i) {
    text += std::string("      if (i < count) fl_store") + (probe.evict_first ? "_streaming" : "") + "<float, 4>(w" +
            std::to_string(i) + " + 4 * i, v[u]);\n";
  }
  if (writes == 0) text += "      kept = sum(kept, v[u]);\n";
  text += "    }\n  }\n";
  // Never true for what the arrays hold, and the compiler cannot know.
  text += "  if (kept.v[0] + kept.v[1] + kept.v[2] + kept.v[3] == 1.2345e30f) *sink = kept.v[0];\n}\n";
  return text;
}

std::string rate_kernel(const std::string& name, const std::string& type) {
  const std::string chains = std::to_string(kRateChains);
  return "extern \"C\" FL_KERNEL(256) void " + name + "(" + type + "* sink) {\n  " + type + " a[" + chains + "];\n" + "  const " +
         type + " m = (" + type + ")0.999, c = (" + type + ")fl_thread();\n#pragma unroll\n" + "  for (int i = 0; i < " + chains +
         "; ++i) a[i] = (" + type + ")i;\n#pragma unroll 4\n" + "  for (int round = 0; round < " + std::to_string(kRateRounds) +
         "; ++round) {\n#pragma unroll\n    for (int i = 0; i < " + chains + "; ++i) a[i] = a[i] * m + c;\n  }\n" + "  " + type +
         " s = 0;\n#pragma unroll\n  for (int i = 0; i < " + chains + "; ++i) s += a[i];\n  if (s == (" + type +
         ")-1.5) *sink = s;\n}\n";
}

}  // namespace

std::string StreamProbe::name() const {
  return std::string("stream_") + (evict_first ? "evict_" : "plain_") + std::to_string(unroll);
}

std::string stream_probe_text(std::string_view prelude, int reads, int writes) {
  std::string text = std::string(prelude) + kStreamPreamble;
  for (const StreamProbe& probe : kStreamProbes) text += stream_kernel(probe, reads, writes);
  return text;
}

std::string rate_probe_text(std::string_view prelude) {
  return std::string(prelude) + rate_kernel("rate_f32", "float") + rate_kernel("rate_f64", "double") +
         "extern \"C\" FL_KERNEL(1024) void nothing() {}\n";
}

}  // namespace fuselab::gpu::stream
