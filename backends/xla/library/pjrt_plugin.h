// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "backends/loading/vendor_library.h"
#include "backends/xla/abi/pjrt_abi.h"
#include "core/base/result.h"

namespace fuselab::xla {

// A struct of arguments that says its own size, with every default.
template <typename Args>
Args args() {
  Args made{};
  made.struct_size = sizeof(Args);
  return made;
}

// CompileOptionsProto { executable_build_options { num_replicas: 1, num_partitions: 1 } }: XLA aborts without it.
inline constexpr char kCompileOptions[] = {0x1a, 4, 0x20, 1, 0x28, 1};

// Returns the arguments' form of StableHLO text, which must outlive it.
abi::ProgramText stablehlo_program(std::string& text);

// A plugin that is opened and initialised. It stays loaded for the process.
struct PjrtPlugin {
  const abi::Api* api = nullptr;
  std::string path;
  std::string interface;  // "0.115"
  std::string build;      // of the file's bytes: 12 hexadecimal digits

  // Takes an error's message and frees it; success where it is null.
  Status check(abi::PjrtError* error, std::string_view what, ErrorCode code) const;
};

// Opens a plugin. Fails with kUnavailable and one line where there is none, or where its interface is another than the one that is
// declared here. Clears $XLA_FLAGS of this process: they would change what is compiled, and stand in no kernel's identity.
Result<PjrtPlugin> open_plugin(const loading::VendorLibrary& names, const loading::Surroundings& surroundings);

}  // namespace fuselab::xla
