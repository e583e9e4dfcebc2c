// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>

namespace fuselab::codegen {

// Turns names of a graph into identifiers of the generated code: valid, no keyword, each only once.
class Names {
 public:
  // `keeps_free`: identifiers that the frame of a kernel or its language uses beside C's keywords.
  explicit Names(std::set<std::string> keeps_free = {}) : taken_(std::move(keeps_free)) {}

  // A fresh identifier close to `wish`.
  std::string unique(const std::string& wish);

 private:
  std::set<std::string> taken_;
};

}  // namespace fuselab::codegen
