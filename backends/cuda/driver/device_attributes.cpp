// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/device_attributes.h"

#include <algorithm>
#include <iterator>

#include "backends/cuda/abi/device_attributes.h"

namespace fuselab::cuda {
namespace {

struct Known {
  int number;
  const char* name;
};
constexpr Known kKnown[] = {
#define FL_KNOWN(number, name) {number, #name},
    FL_CUDA_DEVICE_ATTRIBUTES(FL_KNOWN)
#undef FL_KNOWN
};

// The last attribute of cuda.h since this version of CUDA. 12.0 has 129 too, but not 128.
struct Last {
  int cuda;
  int number;
};
constexpr Last kLast[] = {{13000, 147}, {12040, 134}, {12000, 127}};

int last_of(int cuda) {
  const auto* const since =
      std::find_if(std::begin(kLast), std::end(kLast), [cuda](const Last& each) { return cuda >= each.cuda; });
  return since == std::end(kLast) ? 0 : since->number;
}

}  // namespace

std::vector<DeviceAttribute> device_attributes(const CudaDriver& driver, abi::Device device) {
  std::vector<DeviceAttribute> attributes;
  for (const Known& each : kKnown) {
    int value = 0;
    if (each.number > last_of(driver.version_number())) break;
    if (driver.calls().device_attribute(&value, each.number, device) != abi::kSuccess) continue;
    attributes.push_back({each.number, each.name, value});
  }
  return attributes;
}

}  // namespace fuselab::cuda
