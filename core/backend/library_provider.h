// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/kernel/compiled_kernel.h"

namespace fuselab {

struct LibraryFingerprint {
  std::string name;     // "oneDNN"
  std::string version;  // "2.6.3"
};

// Optional ability of a CodeGenerator: dynamic_cast from it. The text that it generates is a plan: the functions of a vendor
// library that compute the graph, their attributes, and the implementation that the library takes for each. Its Compiler has the
// library make them. The plan's text is stored; the library and its version are part of the kernel's identity.
class LibraryProvider {
 public:
  virtual ~LibraryProvider() = default;
  // Returns an empty fingerprint where the library is missing.
  virtual LibraryFingerprint library() = 0;
  // Returns the one that makes kernels for this target, where there are several.
  virtual LibraryFingerprint library_for(const Target& target) {
    (void)target;
    return library();
  }
};

}  // namespace fuselab
