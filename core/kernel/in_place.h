// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernel/abi.h"

namespace fuselab {

// A kernel that overwrites a tensor in place has it twice among its arguments: of the role in, untouched, and of the role inout.
// Before each run the second is given the contents of the first. An inout argument without such a partner is the input itself.
struct InPlace {
  std::size_t overwritten = 0, begins_as = 0;  // places among the tensors that a plan binds: scratch is left out
};
std::vector<InPlace> overwritten_in_place(const std::vector<KernelArgument>& arguments);

}  // namespace fuselab
