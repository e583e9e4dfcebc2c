// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cpu/stream_kernels.h"

// The kernels for the instruction set that the including file is compiled for; kVectorBytes says its width.
namespace fuselab::cpu {
namespace {

using Vector = float __attribute__((vector_size(kVectorBytes), may_alias));
constexpr std::size_t kLanes = kVectorBytes / sizeof(float);
constexpr std::size_t kStep = 64;  // elements: four cache lines per stream and turn

template <bool kNontemporal>
inline void put(float* p, Vector v) {
  if constexpr (!kNontemporal) {
    *reinterpret_cast<Vector*>(p) = v;
  } else if constexpr (kVectorBytes == 16) {
    asm volatile("movntps %1, %0" : "=m"(*reinterpret_cast<Vector*>(p)) : "x"(v));
  } else {
    asm volatile("vmovntps %1, %0" : "=m"(*reinterpret_cast<Vector*>(p)) : "v"(v));
  }
}

template <int kReads, int kWrites, bool kNontemporal>
float stream(const float* const* reads, float* const* writes, std::size_t begin, std::size_t end) {
  Vector total = {};
  Vector value = total + 1.0F;
  for (std::size_t at = begin; at < end; at += kStep) {
    for (std::size_t i = at; i < at + kStep; i += kLanes) {
      if constexpr (kReads > 0) {
        value = *reinterpret_cast<const Vector*>(reads[0] + i);
        for (int r = 1; r < kReads; ++r) value += *reinterpret_cast<const Vector*>(reads[r] + i);
      }
      for (int w = 0; w < kWrites; ++w) put<kNontemporal>(writes[w] + i, value);
      if constexpr (kWrites == 0) total += value;
    }
  }
  if constexpr (kNontemporal) asm volatile("sfence" ::: "memory");
  return total[0] + total[kLanes - 1];
}

float multiply_adds(std::size_t rounds, float seed) {
  constexpr int kChains = 12;  // latency times throughput of current cores, and fits the registers
  Vector chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = Vector{} + (seed + static_cast<float>(i));
  const Vector factor = Vector{} + 0.9999F;
  const Vector term = Vector{} + 1e-4F;
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chain[i] = chain[i] * factor + term;
  }
  Vector sum = {};
  for (int i = 0; i < kChains; ++i) sum += chain[i];
  return sum[0] + sum[kLanes - 1];
}

template <int kReads, int kWrites>
void fill_cell(StreamKernels& kernels) {
  kernels.streams[kReads][kWrites][0] = stream<kReads, kWrites, false>;
  kernels.streams[kReads][kWrites][1] = stream<kReads, kWrites, kWrites != 0>;
}

template <int kReads>
void fill_row(StreamKernels& kernels) {
  fill_cell<kReads, 0>(kernels);
  fill_cell<kReads, 1>(kernels);
  fill_cell<kReads, 2>(kernels);
  fill_cell<kReads, 3>(kernels);
  fill_cell<kReads, 4>(kernels);
}

StreamKernels make_kernels() {
  StreamKernels kernels{};
  fill_row<0>(kernels);
  fill_row<1>(kernels);
  fill_row<2>(kernels);
  fill_row<3>(kernels);
  fill_row<4>(kernels);
  kernels.flops = multiply_adds;
  kernels.flops_per_round = 2.0 * 12 * kLanes;
  return kernels;
}

}  // namespace
}  // namespace fuselab::cpu
