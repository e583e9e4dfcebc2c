// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/types/attributes.h"
#include "core/types/tensor_type.h"

namespace fuselab {

// A kernel that the user wrote, as the operator OwnKernel carries it: its text, how it is called, and what may be tuned. A graph of
// one such operator is all that code generation, workers and the database need; no file is read again.

// What stands in a reference's place where the default configuration is taken to be right.
inline constexpr std::string_view kOwnDefault = "default";
// The same where every output has a tensor that the user gave.
inline constexpr std::string_view kOwnGiven = "given";
// Begins OwnArgument::fill and ::expected where the user gave a tensor; its contents' hash follows. Workers read it in this folder
// of the cache.
inline constexpr std::string_view kOwnTensor = "tensor:";
inline constexpr const char* kOwnTensorFolder = "own-tensors";

enum class OwnRole {
  kIn,       // a tensor that is read
  kOut,      // a tensor that is written, all of it
  kInOut,    // a tensor that is read and overwritten in place; each run finds it as it was
  kScalar,   // a number, the same in every launch
  kLocal,    // memory of a work-group, or of a thread of the processor
  kScratch,  // memory that all threads of one run share; what is in it before and after means nothing
  kTask,     // C alone: the number of the task, from 0; the function is called once for each
};
std::string_view name_of(OwnRole role);
Result<OwnRole> parse_own_role(std::string_view name);

struct OwnArgument {
  std::string name;
  OwnRole role = OwnRole::kIn;
  DType element = DType::kF32;
  Shape shape;           // of a tensor, concrete
  std::string value;     // of a scalar the number as it is written; of local memory and scratch the formula of its elements
  std::string fill;      // of a tensor that is read: empty (numbers from the seed), one number for all, or kOwnTensor
  std::string expected;  // of a tensor that is written: empty, or as kOwnTensor what is right
  bool is_read() const { return role == OwnRole::kIn || role == OwnRole::kInOut; }
  bool is_written() const { return role == OwnRole::kOut || role == OwnRole::kInOut; }
  bool is_tensor() const { return is_read() || is_written(); }
  bool has_elements() const { return role == OwnRole::kLocal || role == OwnRole::kScratch; }
};

struct OwnParameter {
  std::string name;
  std::vector<std::string> values;  // all integers or all words
  std::string otherwise;            // the default, one of the values
  std::vector<std::string> flags;   // where it chooses arguments of the compiler: those of each value, separated by blanks
};

struct OwnConstraint {
  std::string expression;  // as core/tuning/constraint_expression.h reads it
  std::string reason;
};

// A kernel's language as people write it: "C", "OpenCL C", "CUDA".
std::string_view spelled_language(std::string_view language);

struct OwnKernel {
  std::string name;
  std::string language;                       // "c", "opencl", "cuda"
  std::string function;                       // the symbol
  std::string source;                         // the whole text
  std::string source_name;                    // "stencil.c": for the compiler's messages
  std::map<std::string, std::int64_t> sizes;  // what formulas may name beside parameters; macros of the text, too
  std::vector<OwnArgument> arguments;         // in the order of the function
  std::vector<OwnParameter> parameters;
  std::vector<OwnConstraint> constraints;
  // Formulas (DimFormula) over sizes and integer parameters: blocks and threads of a block along x, y, z; tasks of a C kernel.
  std::array<std::string, 3> grid = {"1", "1", "1"};
  std::array<std::string, 3> block = {"1", "1", "1"};
  std::string tasks = "1";
  std::string shared_bytes = "0";     // CUDA alone: dynamic shared memory
  std::vector<std::string> flags;     // of the compiler, beside its own
  double flops = 0;                   // of one run; 0: not stated
  double bytes = 0;                   // that one run must move at least; 0: what its tensors have
  std::string reference;              // the text of a graph with the same inputs and outputs, in their order
  double relative = 0, absolute = 0;  // accepted error; both 0: as for the reference's operators
  bool special_inputs = true;         // also judged with ±Inf, NaN, large and denormal numbers
};

// The operator's attributes, and back.
// Fails with kInvalidArgument for attributes that no kernel has. They are untrusted.
Attributes attributes_of(const OwnKernel& kernel);
Result<OwnKernel> own_kernel_of(const Attributes& attributes);

}  // namespace fuselab
