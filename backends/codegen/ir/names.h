// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>

namespace fuselab::codegen {

// Turns names of a graph into identifiers of the generated code: valid, no keyword, each unique.
class Names {
 public:
  // `keeps_free` lists identifiers that a kernel's surrounding code or its language uses beside C's keywords.
  explicit Names(std::set<std::string> keeps_free = {}) : taken_(std::move(keeps_free)) {}

  // Returns an unused identifier close to the wished one.
  std::string unique(const std::string& wish);

 private:
  std::set<std::string> taken_;
};

// Returns names for a graph's values that avoid those of a kernel of many threads and its surrounding code, C++ and OpenCL C.
Names simt_names();

}  // namespace fuselab::codegen
