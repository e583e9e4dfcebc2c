// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab {

struct LibraryFingerprint {
  std::string name;     // "oneDNN"
  std::string version;  // "2.6.3"
};

// Optional ability of a CodeGenerator: dynamic_cast from it. Its "text" is a plan: which of a vendor library's functions compute
// the graph, with what attributes, and which implementation the library takes for each. Its Compiler has the library make them. The
// plan's text is what is stored, the library and its version are part of the kernel's identity.
class LibraryProvider {
 public:
  virtual ~LibraryProvider() = default;
  // Empty where the library is not there.
  virtual LibraryFingerprint library() = 0;
};

}  // namespace fuselab
