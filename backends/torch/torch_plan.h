// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "backends/torch/schema.h"
#include "core/types/dtype.h"

namespace fuselab::torch {

using Extents = std::vector<std::int64_t>;

// A tensor as PyTorch is shown it: a part of a place, in elements.
struct PlanTensor {
  int place = -1;
  DType dtype = DType::kF32;
  Extents extents, strides;
  std::int64_t offset = 0;
};

// A tensor of the plan by its number, as an argument.
struct Ref {
  int tensor = -1;
};
struct None {};
using Argument = std::variant<None, Ref, std::vector<Ref>, std::int64_t, double, bool, Extents, const char*>;

// One call. Its result, where the operator returns a new tensor, is copied into `copied_to`.
struct Call {
  const Schema* schema;
  std::vector<Argument> arguments;
  int copied_to = -1;
  void* function = nullptr;  // the C++ function that the schema names, once it was found
};

struct PlanNumber {
  int place;
  DType dtype;
  double value;
};

// Places are numbered: the kernel's arguments in order, then memory that the plan keeps.
struct TorchPlan {
  int arguments = 0;
  std::vector<std::int64_t> kept_bytes;
  std::vector<PlanNumber> numbers;  // what is written into kept places ahead
  std::deque<PlanTensor> tensors;   // lowering keeps references while it adds more
  std::vector<Call> calls;
  std::vector<std::string> words;  // one per call: "aten::mm.out covers MatMul"
};

}  // namespace fuselab::torch
