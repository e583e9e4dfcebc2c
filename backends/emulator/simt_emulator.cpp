// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/simt_emulator.h"

#include "backends/emulator/emulated_kernel.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::simt {

Availability SimtEmulator::probe() {
  if (find_emulator_compiler()) return Availability::available();
  return Availability::unavailable("kernels are emulated with a C++ compiler, and there is neither g++ nor clang++ in $PATH");
}

Result<std::vector<std::vector<std::byte>>> SimtEmulator::run(const SourceModule& source,
                                                              std::span<const std::vector<std::byte>> inputs,
                                                              std::uint64_t order_seed) {
  if (const Availability usable = probe(); !usable.usable) return Error{ErrorCode::kUnavailable, usable.reason};
  const std::vector<KernelText> texts = texts_of(source);
  FL_TRY(const auto object, KernelObject::compile(texts));
  return run_emulated(source.abi, *object, 0, inputs, order_seed);
}

void sweep_emulations() {
  platform::TemporaryFolder::sweep(kEmulationFolder);
}

}  // namespace fuselab::simt
