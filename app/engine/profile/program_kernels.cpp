// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/program_kernels.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "app/engine/kernels/compiled_config.h"

namespace fuselab::engine {
namespace {

// One line of what the compiler says of its binary.
struct Part {
  std::string name;
  std::size_t text_bytes = 0, code_bytes = 0;
};

CompiledKernel kernel_of(const CompiledKernel& program, const Part& part, ResourceUsage resources, std::span<const std::byte> bytes,
                         std::int64_t warp) {
  CompiledKernel kernel;
  kernel.identity = program.identity;
  kernel.config = program.config;
  kernel.source.language = "triton";
  kernel.source.text.assign(reinterpret_cast<const char*>(bytes.data()), part.text_bytes);
  kernel.source.entry = kernel.abi.entry = part.name;
  const auto code = bytes.subspan(part.text_bytes);
  kernel.binary.format = "cubin";
  kernel.binary.data.assign(code.begin(), code.end());
  if (const auto warps = resources.find("warps"); warps != resources.end())
    kernel.abi.block_x.text = std::to_string(warps->second * warp);
  kernel.resources = std::move(resources);
  return kernel;
}

}  // namespace

Result<std::vector<CompiledKernel>> kernels_of_program(const CompiledKernel& program, const Target& target) {
  const auto told = program.binary.metadata.find("program.kernels");
  if (told == program.binary.metadata.end()) return std::vector<CompiledKernel>{program};
  std::vector<Part> parts;
  std::istringstream lines(told->second);
  for (Part part; lines >> part.name >> part.text_bytes >> part.code_bytes;) parts.push_back(part);
  std::span<const std::byte> left = program.binary.data;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->text_bytes > left.size() || part->code_bytes > left.size() - part->text_bytes)
      return Error{ErrorCode::kCorrupt, "the program's binary is shorter than its kernels"};
    left = left.first(left.size() - part->text_bytes - part->code_bytes);
  }
  const auto warp = target.limits.find("warp");
  auto resources = compiled_config(program.config, program, target).kernels;
  std::span<const std::byte> rest = std::span(program.binary.data).subspan(left.size());
  std::vector<CompiledKernel> kernels;
  for (const Part& part : parts) {
    const std::size_t size = part.text_bytes + part.code_bytes;
    kernels.push_back(kernel_of(program, part, std::move(resources[part.name]), rest.first(size),
                                warp == target.limits.end() ? 32 : warp->second));
    rest = rest.subspan(size);
  }
  return kernels;
}

}  // namespace fuselab::engine
