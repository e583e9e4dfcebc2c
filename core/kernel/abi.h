// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/graph/graph.h"

namespace fuselab {

enum class BufferRole { kIn, kOut, kInOut, kScratch, kProviderOwned };
std::string_view name_of(BufferRole role);
Result<BufferRole> parse_buffer_role(std::string_view name);

// One argument of a kernel, in calling order: the graph's inputs, its outputs, then scratch.
struct KernelArgument {
  std::string name;
  BufferRole role = BufferRole::kIn;
  TensorType type;              // scratch: u8[bytes]
  std::int64_t alignment = 64;  // bytes the buffer's address must be a multiple of
  bool operator==(const KernelArgument&) const = default;
};

// An integer formula over named dimensions: "ceil_div(rows, 4) * cols". Operators + - * / with parentheses, ceil_div, min, max.
// Constant text when the kernel is specialised on its dimensions.
struct DimFormula {
  std::string text = "1";
  Result<std::int64_t> evaluate(const std::map<std::string, std::int64_t>& dims) const;
  bool operator==(const DimFormula&) const = default;
};

// Work that a kernel needs once for given contents of some inputs, before its launches and outside their timing: constant weights
// laid out in the order in which the kernel reads them. Its result is one more buffer, which follows the kernel's arguments; the
// runtime owns it. A provider of plans does the same behind its own interface.
struct Preparation {
  std::string entry;        // symbol to look up; it is called like the kernel. Empty: there is nothing to prepare
  std::vector<int> inputs;  // arguments whose contents it reads, ascending
  DimFormula tasks{"0"};    // parallel tasks
  DimFormula bytes{"0"};    // size of the buffer
  bool operator==(const Preparation&) const = default;
};

// A kernel of the same module and the same arguments that is launched behind the first, on what that one left.
struct FollowingLaunch {
  std::string entry;  // symbol to look up
  DimFormula grid_x, block_x;
  DimFormula shared_bytes{"0"};
  bool operator==(const FollowingLaunch&) const = default;
};

// A parameter that describes a buffer to the copy engine of a GPU: a tensor of up to five axes, and the box of it that one copy
// moves. The runtime encodes it when it knows the buffer's address.
struct TensorMapArgument {
  int buffer = 0;  // of the kernel's arguments
  DType element = DType::kF32;
  std::vector<std::int64_t> extents;  // elements, the innermost axis first
  std::vector<std::int64_t> strides;  // bytes from one to the next, of every axis but the innermost
  std::vector<std::int64_t> box;      // elements, as many axes as extents
  std::int64_t swizzle = 0;           // bytes of a row of the box whose parts change places: 32, 64 or 128. 0: none
  bool operator==(const TensorMapArgument&) const = default;
};
// Checks that a copy engine takes such a map, and that it stays inside a buffer of so many bytes.
// Fails with kUnsupported and what does not fit.
Status check_tensor_map(const TensorMapArgument& map, std::int64_t buffer_bytes);

// What one parameter of a kernel's entry is, where they are not simply its arguments in order: a kernel that the user wrote may
// have numbers among its buffers.
struct EntryParameter {
  int buffer = -1;              // of the kernel's arguments; -1: none
  DType element = DType::kF32;  // of a number
  std::string number;           // as it is written; empty: none
  DimFormula local_bytes{"0"};  // OpenCL: memory of the work-group, where it is neither
  bool operator==(const EntryParameter&) const = default;
};
// Returns the bytes of a number as a launch passes them.
// Fails with kInvalidArgument for a text that is no number of its type.
Result<std::vector<std::byte>> number_bytes(const EntryParameter& parameter);

// The way in which a stored binary is called: everything that a loader needs beside the bytes.
struct KernelAbi {
  std::string entry;  // symbol to look up
  std::vector<KernelArgument> arguments;
  DimFormula grid_x, grid_y, grid_z;     // cpu: grid_x parallel tasks, handed to the thread pool
  DimFormula block_x, block_y, block_z;  // cpu: all 1
  DimFormula shared_bytes{"0"};          // cpu: per-thread scratch bytes
  Preparation preparation;
  // In order. Where there is none, a second kernel that is called <entry>_fold is launched as one block of as many threads as its
  // launch bounds say.
  std::vector<FollowingLaunch> after;
  std::int64_t cluster = 1;                // blocks of the first kernel that run together and reach each other's shared memory
  std::vector<TensorMapArgument> maps;     // parameters behind the arguments, of every kernel of the module
  std::vector<EntryParameter> parameters;  // all of the entry's, in order; empty: the arguments, then the maps
  bool operator==(const KernelAbi&) const = default;
};

}  // namespace fuselab
