// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/ceiling_kernels.h"

namespace fuselab::opencl {
namespace {

std::string wide(const std::string& type, int width) {
  return width == 1 ? type : type + std::to_string(width);
}

std::string parameters(const std::string& vector, int reads, int writes) {
  std::string text;
  for (int i = 0; i < reads; ++i) text += "const __global " + vector + "* restrict r" + std::to_string(i) + ", ";
  for (int i = 0; i < writes; ++i) text += "__global " + vector + "* restrict w" + std::to_string(i) + ", ";
  return text + "__global float* sink, long count";
}

// One register of every stream; what is written depends on all that was read.
std::string load(const std::string& vector, int reads) {
  if (reads == 0) return "(" + vector + ")(1.0f)";
  std::string text = "r0[i]";
  for (int i = 1; i < reads; ++i) text += " + r" + std::to_string(i) + "[i]";
  return text;
}

std::string stream_kernel(int width, int reads, int writes) {
  const std::string vector = wide("float", width);
  std::string text = "__kernel void stream_" + std::to_string(width) + "(" + parameters(vector, reads, writes) + ") {\n";
  text += "  " + vector + " kept = (" + vector + ")(0.0f);\n";
  text += "  for (long i = (long)get_global_id(0); i < count; i += (long)get_global_size(0)) {\n";
  text += "    const " + vector + " v = " + load(vector, reads) + ";\n";
  for (int i = 0; i < writes; ++i) text += "    w" + std::to_string(i) + "[i] = v;\n";
  if (writes == 0) text += "    kept += v;\n";
  // Never true for what the arrays hold, and the compiler cannot know.
  return text + "  }\n  if (any(kept == (" + vector + ")(1.2345e30f))) *sink = kept.s0;\n}\n";
}

std::string sum_name(int chain) {
  return "a" + std::to_string(chain);
}

// A sum begins with a number from memory, so that no lane is known to be another's equal.
std::string begin_sum(const std::string& vector, int width, int chain) {
  const std::string at = std::to_string(chain);
  const std::string value = width == 1 ? "sink[" + at + "]" : "vload" + std::to_string(width) + "(" + at + ", sink)";
  return "  " + vector + " " + sum_name(chain) + " = " + value + ";\n";
}

std::string grow_sum(int chain) {
  return "    " + sum_name(chain) + " = mad(" + sum_name(chain) + ", m, c);\n";
}

std::string rate_kernel(const std::string& type, int width) {
  const std::string vector = wide(type, width);
  std::string text = "__kernel void rate_" + std::to_string(width) + "(__global " + type + "* sink) {\n";
  text +=
      "  const " + vector + " m = (" + vector + ")((" + type + ")0.999), c = (" + vector + ")((" + type + ")get_global_id(0));\n";
  for (int i = 0; i < kRateChains; ++i) text += begin_sum(vector, width, i);
  text += "  for (int round = 0; round < " + std::to_string(kRateRounds) + "; ++round) {\n";
  for (int i = 0; i < kRateChains; ++i) text += grow_sum(i);
  text += "  }\n  const " + vector + " s = " + sum_name(0);
  for (int i = 1; i < kRateChains; ++i) text += " + " + sum_name(i);
  const std::string found = "s == (" + vector + ")((" + type + ")-1.5)";
  return text + ";\n  if (" + (width == 1 ? found : "any(" + found + ")") + ") *sink = " + (width == 1 ? "s" : "s.s0") + ";\n}\n";
}

}  // namespace

std::string stream_probe_text(int reads, int writes) {
  std::string text;
  for (const int width : kStreamWidths) text += stream_kernel(width, reads, writes);
  return text;
}

std::string rate_probe_text(const std::string& type) {
  std::string text = type == "double" ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
  for (const int width : kRateWidths) text += rate_kernel(type, width);
  return text + "__kernel void nothing(__global " + type + "* sink) {}\n";
}

}  // namespace fuselab::opencl
