// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// The way in which a stored binary is called: everything that a loader needs beside the bytes.
struct KernelAbi {
  std::string entry;  // symbol to look up
  std::vector<KernelArgument> arguments;
  DimFormula grid_x, grid_y, grid_z;     // cpu: grid_x parallel tasks, handed to the thread pool
  DimFormula block_x, block_y, block_z;  // cpu: all 1
  DimFormula shared_bytes{"0"};          // cpu: per-thread scratch bytes
  Preparation preparation;
  bool operator==(const KernelAbi&) const = default;
};

}  // namespace fuselab
