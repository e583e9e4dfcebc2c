// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "backends/cuda/abi/driver_abi.h"

namespace fuselab::fake_cuda {

// A device as `fuselab devices --json` told of it.
struct DumpedDevice {
  std::string name;
  cuda::abi::Uuid uuid{};
  std::size_t memory = 0;  // bytes
  std::map<int, int> attributes;
};

// The CUDA part of such a file: tests/support/fake_cuda/machines.
struct DumpedMachine {
  int driver_version = 12000;  // 12080 for 12.8
  std::vector<DumpedDevice> devices;
};

// Ends the process where the file is none of these: a test gave it.
DumpedMachine read_machine(const std::string& path);

}  // namespace fuselab::fake_cuda
