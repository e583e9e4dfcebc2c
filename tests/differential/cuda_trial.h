// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/emulator/emulated_kernel.h"
#include "core/kernel/compiled_kernel.h"
#include "core/tensor/tensor.h"

namespace fuselab::testing {

// What kernels are generated for: sm_90.
const Target& cuda_target();

// A number in the middle of an input that the kernel is given, and what it is to make of it.
struct WrongNumber {
  std::size_t input;
  double given, meant;
};

// What came of a launch on the SIMT executor, `kernel` being the first of simt::texts_of() there: empty, or what the executor
// found, or the first outlier against the reference. `banks` is what simt::run_emulated() counts.
std::string try_on_simt(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                        const InputSpec& spec, std::uint64_t order_seed, const WrongNumber* wrong = nullptr,
                        simt::SharedBanks* banks = nullptr);

// Which accesses of shared memory met in a bank: empty where none did.
std::string conflicts_of(const simt::SharedBanks& banks);

// The same of inputs that the caller made, rounded to their types. Results that cannot be judged are right.
std::string try_inputs_on_simt(const Graph& graph, const KernelAbi& abi, const simt::KernelObject& object, std::size_t kernel,
                               std::span<const RealTensor> inputs, std::uint64_t order_seed);

// What repeats a case: graph, configuration, target.
std::string cuda_repro(const Graph& graph, const LaunchConfig& config, const Target& target);

}  // namespace fuselab::testing
