// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuselab::fake_cuda {

// What a made-up cubin says of one kernel.
struct FakeKernel {
  std::string name;
  int parameters = 0;
  std::uint32_t registers = 32;
  std::uint32_t stack_bytes = 0;
  std::uint32_t max_threads = 1024;
  std::uint64_t shared_bytes = 0;
  int maps = 0;  // of the parameters, the last ones
};

// An ELF file laid out as a cubin is, without machine code: .nv.info records, and the kernels' text in a section of its own for
// whoever runs them otherwise. `note` is the section of notes, which cubins have none of.
std::vector<std::byte> fake_cubin(const std::vector<FakeKernel>& kernels, const std::string& source, bool reserved_shared = true,
                                  const std::string& note = "");

// The text put in; empty when the image is another ELF file. Trusts the image.
std::string source_in(const void* image);

// The kernels of a CUDA text: every `extern "C" … void name(a, b)`.
std::vector<FakeKernel> kernels_in(std::string_view source);

}  // namespace fuselab::fake_cuda
