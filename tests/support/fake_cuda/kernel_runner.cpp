// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_cuda/kernel_runner.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "backends/cuda/abi/driver_abi.h"
#include "tests/support/fake_cuda/run_request.h"

namespace fuselab::fake_cuda {
namespace {

// Of the ceilings, which only count time.
bool is_probe(const std::string& name) {
  return name.rfind("stream_", 0) == 0 || name.rfind("rate_", 0) == 0 || name == "nothing";
}

// What was encoded, with the place of its buffer among the arguments.
TensorMapArgument given_map(const EncodedMap& map, const std::vector<std::uint64_t>& arguments) {
  TensorMapArgument given;
  given.buffer = static_cast<int>(std::find(arguments.begin(), arguments.end(), map.address) - arguments.begin());
  given.element = map.type == cuda::abi::kMapBF16 ? DType::kBF16 : map.type == cuda::abi::kMapF16 ? DType::kF16 : DType::kF32;
  given.extents.assign(map.extents, map.extents + map.axes);
  given.strides.assign(map.strides, map.strides + map.axes - 1);
  given.box.assign(map.box, map.box + map.axes);
  given.swizzle = map.swizzle == 0 ? 0 : 16 << map.swizzle;
  return given;
}

}  // namespace

std::size_t guard_zone() {
  const char* const set = std::getenv("FUSELAB_GUARD_ZONES");
  return set != nullptr && std::strcmp(set, "0") == 0 ? 0 : 512;
}

Code run_kernel(DeviceModel& model, const LaunchOf& launch) {
  const char* const program = std::getenv("FUSELAB_FAKE_CUDA_RUNNER");
  if (program == nullptr || *program == '\0') return cuda::abi::kSuccess;
  const bool generated = launch.function->source.find("FL_KERNEL(") != std::string::npos;
  if (!generated || is_probe(launch.function->name)) return cuda::abi::kSuccess;
  RunRequest request{launch.function->source, launch.function->name, launch.grid, launch.block, launch.dynamic_shared, {}, {}};
  for (const std::uint64_t argument : launch.arguments) {
    const auto [base, size] = model.allocation_of(argument);
    const std::size_t length = size > guard_zone() ? static_cast<std::size_t>(base + size - guard_zone() - argument) : 0;
    const auto* const begin = reinterpret_cast<const std::byte*>(argument);
    request.buffers.emplace_back(begin, begin + length);
  }
  for (const EncodedMap& map : launch.maps) request.maps.push_back(given_map(map, launch.arguments));
  std::string path = (std::filesystem::temp_directory_path() / "fuselab-fake-cuda-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return cuda::abi::kUnknown;
  close(file);
  write_request(path.c_str(), request);
  const int status = std::system((std::string("'") + program + "' '" + path + "'").c_str());
  const std::vector<std::vector<std::byte>> written =
      status == 0 ? read_request(path.c_str()).buffers : std::vector<std::vector<std::byte>>();
  std::remove(path.c_str());
  if (status != 0) return cuda::abi::kIllegalAddress;
  for (std::size_t i = 0; i < written.size(); ++i) {
    std::memcpy(reinterpret_cast<std::byte*>(launch.arguments[i]), written[i].data(), written[i].size());
  }
  return cuda::abi::kSuccess;
}

}  // namespace fuselab::fake_cuda
