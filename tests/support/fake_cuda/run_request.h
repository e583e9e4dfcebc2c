// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "core/kernel/abi.h"

namespace fuselab::fake_cuda {

// One launch as a file: what to run and the buffers, which come back in the same file as the kernel left them.
struct RunRequest {
  std::string source, name;
  std::uint64_t grid = 1, block = 1, dynamic_shared = 0;
  std::vector<std::vector<std::byte>> buffers;
  std::vector<TensorMapArgument> maps;
};

inline void write_request(const char* path, const RunRequest& request) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const auto number = [&](std::uint64_t value) { file.write(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto bytes = [&](const void* data, std::size_t size) {
    number(size);
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  };
  bytes(request.source.data(), request.source.size());
  bytes(request.name.data(), request.name.size());
  number(request.grid);
  number(request.block);
  number(request.dynamic_shared);
  number(request.buffers.size());
  for (const auto& buffer : request.buffers) bytes(buffer.data(), buffer.size());
  number(request.maps.size());
  for (const TensorMapArgument& map : request.maps) {
    number(static_cast<std::uint64_t>(map.buffer));
    number(static_cast<std::uint64_t>(map.element));
    for (const auto* const list : {&map.extents, &map.strides, &map.box}) bytes(list->data(), list->size() * sizeof(std::int64_t));
    number(static_cast<std::uint64_t>(map.swizzle));
  }
}

inline RunRequest read_request(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const auto number = [&] {
    std::uint64_t value = 0;
    file.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  };
  const auto into = [&](auto& held) {
    held.resize(number());
    file.read(reinterpret_cast<char*>(held.data()), static_cast<std::streamsize>(held.size()));
  };
  RunRequest request;
  into(request.source);
  into(request.name);
  request.grid = number();
  request.block = number();
  request.dynamic_shared = number();
  request.buffers.resize(number());
  for (auto& buffer : request.buffers) into(buffer);
  request.maps.resize(number());
  for (TensorMapArgument& map : request.maps) {
    map.buffer = static_cast<int>(number());
    map.element = static_cast<DType>(number());
    for (auto* const list : {&map.extents, &map.strides, &map.box}) {
      list->resize(number() / sizeof(std::int64_t));
      file.read(reinterpret_cast<char*>(list->data()), static_cast<std::streamsize>(list->size() * sizeof(std::int64_t)));
    }
    map.swizzle = static_cast<std::int64_t>(number());
  }
  return request;
}

}  // namespace fuselab::fake_cuda
