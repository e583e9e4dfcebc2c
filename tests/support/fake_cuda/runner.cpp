// SPDX-License-Identifier: Apache-2.0
// runner REQUEST: executes the launch that the file describes, through the SIMT executor, and puts the buffers back. What is wrong
// with the kernel is said on stderr, and the exit status is 1.
#include <cstdio>
#include <cstring>
#include <string>

#include "backends/emulator/emulated_kernel.h"
#include "tests/support/fake_cuda/run_request.h"

namespace {

using namespace fuselab;

int element_bytes(const std::string& parameter) {
  for (const auto* two : {"fl_f16", "fl_bf16"}) {
    if (parameter.find(two) != std::string::npos) return 2;
  }
  for (const auto* eight : {"double", "long long"}) {
    if (parameter.find(eight) != std::string::npos) return 8;
  }
  return parameter.find("char") != std::string::npos ? 1 : 4;
}

// The parameters of the kernel: "const float* FL_RESTRICT a".
std::vector<std::string> parameters(const std::string& source, const std::string& name) {
  std::vector<std::string> found;
  const std::size_t at = source.rfind(" " + name + "(");
  if (at == std::string::npos) return found;
  std::size_t begin = at + name.size() + 2;
  const std::size_t close = source.find(')', begin);
  while (begin < close) {
    const std::size_t end = std::min(source.find(',', begin), close);
    found.push_back(source.substr(begin, end - begin));
    begin = end + 1;
  }
  return found;
}

int run(const char* path) {
  fake_cuda::RunRequest request = fake_cuda::read_request(path);
  const simt::KernelText text = simt::text_of(request.name, request.source);
  const auto object = simt::KernelObject::compile(std::span(&text, 1));
  if (!object.ok()) {
    std::fprintf(stderr, "%s\n", object.error().message.c_str());
    return 1;
  }
  const std::vector<std::string> signature = parameters(request.source, request.name);
  // What follows another kernel finds what that one left.
  const bool follows = request.name.find("_fold") != std::string::npos;
  const simt::BufferUse written = follows ? simt::BufferUse::kReadWrite : simt::BufferUse::kWrite;
  std::vector<simt::Argument> arguments;
  for (std::size_t i = 0; i < request.buffers.size(); ++i) {
    const std::string parameter = i < signature.size() ? signature[i] : "";
    const bool read_only = parameter.find("const ") != std::string::npos;
    arguments.push_back({"argument " + std::to_string(i), read_only ? simt::BufferUse::kRead : written, element_bytes(parameter),
                         64, std::move(request.buffers[i])});
  }
  for (const TensorMapArgument& map : request.maps) {
    auto argument = simt::map_argument(map, "map of argument " + std::to_string(map.buffer));
    if (!argument.ok()) {
      std::fprintf(stderr, "%s\n", argument.error().message.c_str());
      return 1;
    }
    arguments.push_back(std::move(argument).value());
  }
  const simt::Outcome outcome =
      simt::run_launch(*object.value(), 0,
                       {static_cast<std::int64_t>(request.grid), static_cast<int>(request.block),
                        static_cast<std::int64_t>(request.dynamic_shared), object.value()->cluster(0), object.value()->lanes(0)},
                       arguments);
  if (!outcome.ok()) {
    std::fprintf(stderr, "%s\n", outcome.finding.c_str());
    return 1;
  }
  for (std::size_t i = 0; i < request.buffers.size(); ++i) request.buffers[i] = std::move(arguments[i].bytes);
  fake_cuda::write_request(path, request);
  return 0;
}

}  // namespace

int main(int count, char** values) {
  return count == 2 ? run(values[1]) : 2;
}
