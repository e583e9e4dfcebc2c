// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "profiler/static/instruction.h"

namespace fuselab::profile {

// A loop of a function: code[begin, end), from the target of backward jumps to the last of these jumps.
struct Loop {
  std::size_t begin = 0, end = 0;
  int parent = -1;  // index of the loop around it; -1: none
  int depth = 1;
  bool innermost = true;
};

// Returns the loops of a function, outer ones before the loops in them. Loops that overlap without one holding the other are taken
// as neighbours.
std::vector<Loop> find_loops(const std::vector<Instruction>& code);

}  // namespace fuselab::profile
