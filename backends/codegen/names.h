// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

namespace fuselab::codegen {

// Turns names of a graph into identifiers of the generated code: valid, no keyword, each only once.
class Names {
 public:
  // A fresh identifier close to `wish`.
  std::string unique(const std::string& wish);

 private:
  std::set<std::string> taken_;
};

}  // namespace fuselab::codegen
