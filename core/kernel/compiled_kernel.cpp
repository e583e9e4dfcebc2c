// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

ContentHash KernelIdentity::key() const {
  return IdentityHasher("kernel")
      .add("graph", graph)
      .add("backend", backend)
      .add("generator", generator)
      .add("generator_version", generator_version)
      .add("source", source)
      .add("target", target)
      .add("compiler", compiler)
      .add("compiler_version", compiler_version)
      .add("flags", flags)
      .add("library", library)
      .add("library_version", library_version)
      .add("config", config)
      .finish();
}

}  // namespace fuselab
