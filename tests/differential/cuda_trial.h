// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/compiled_kernel.h"
#include "core/tensor/tensor.h"
#include "tests/support/simt/kernel_object.h"

namespace fuselab::testing {

// Multiprocessors of the device that the executor stands for: few, so that persistent blocks go from tile to tile.
inline constexpr std::int64_t kMultiprocessors = 2;

// What kernels are generated for: sm_90.
const Target& cuda_target();

// A number in the middle of an input that the kernel is given, and what it is to make of it.
struct WrongNumber {
  std::size_t input;
  double given, meant;
};

// What came of a launch on the SIMT executor, `kernel` being the first of simt_texts() there: empty, or what the executor found, or
// the first outlier against the reference.
std::string try_on_simt(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                        const InputSpec& spec, std::uint64_t order_seed, const WrongNumber* wrong = nullptr);

// The generated text as the executor compiles it: the kernel that is called, and with it the one that is launched behind it.
std::vector<simt::KernelText> simt_texts(const SourceModule& source);

// What repeats a case: graph, configuration, target.
std::string cuda_repro(const Graph& graph, const LaunchConfig& config, const Target& target);

}  // namespace fuselab::testing
