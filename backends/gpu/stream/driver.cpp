// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/driver.h"

namespace fuselab::gpu::stream {

std::string Driver::name_of(abi::Code code) const {
  const char* name = nullptr;
  const std::string number = std::to_string(code);
  if (calls_.error_name(code, &name) != abi::kSuccess || name == nullptr) return "error " + number;
  return std::string(name) + " (" + number + ")";
}

Status Driver::check(abi::Code code, const std::string& what) const {
  if (code == abi::kSuccess) return {};
  return Error{vendor_.meaning_of(code), what + ": " + name_of(code)};
}

}  // namespace fuselab::gpu::stream
