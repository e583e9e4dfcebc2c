// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::torch {

// An operator of PyTorch as it is called: its name, and a letter for each argument of its schema, keyword-only ones too, in order:
//   t tensor    o tensor or none    v list of tensors     w list of tensors or none
//   i integer   j integer or none   l list of integers    m list of integers or none
//   f real      g real or none      b flag                s text       r text or none
//   d element type or none          c number of any type ("Scalar")
struct Schema {
  const char* name;
  const char* overload;
  const char* arguments;
  int results = 1;
  // For an operator with a `c`, which the stable functions do not take: the C++ function, all of whose arguments are references.
  const char* symbol = nullptr;
};

}  // namespace fuselab::torch
